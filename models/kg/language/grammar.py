"""The two versions of `grammar.lark`: one parses programs, one constrains a model."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from models.kg.language.ast import Op, Reduce
from models.kg.language.functions import Functions, Keys, functions
from models.kg.language.words import OPERATORS

_FILE = Path(__file__).with_name("grammar.lark")
_MARK = re.compile(r"\s*// (read|write|nested)$")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits for a constrained model's output; depth one is a query without a nested one."""

    statements: int = 8
    depth: int = 3
    names: int = 8
    conditions: int = 6
    characters: int = 120


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    nested: bool


@dataclass(frozen=True, slots=True)
class _Rendering:
    """The replacements of the names in <>, for each nesting depth and each function."""

    kind: str
    values: dict[str, str]
    depths: tuple[dict[str, str], ...]
    functions: tuple[dict[str, str], ...]
    keys: tuple[dict[str, str], ...]

    def rules(self, rules: Iterator[list[_Line]]) -> str:
        return "\n".join(line for rule in rules for line in self._rule(rule)) + "\n"

    def _rule(self, rule: list[_Line]) -> Iterator[str]:
        head = rule[0].text.partition(":")[0]
        for depth in self.depths if "<d>" in head else ({},):
            for function in self._functions(head):
                for line in rule:
                    if line.nested and "deeper" not in depth:
                        continue
                    for alternative in self._alternatives(line.text, function):
                        values = self.values | depth | function | alternative
                        # The replacement of <arguments> contains a <d> of its own.
                        yield _filled(_filled(line.text, values), values)

    def _functions(self, head: str) -> tuple[dict[str, str], ...]:
        if "<k>" in head:
            return self.keys
        return self.functions if "<f>" in head else ({},)

    def _alternatives(self, line: str, function: dict[str, str]) -> tuple[dict[str, str], ...]:
        return self.functions if "<f>" in line and not function else ({},)


def _filled(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"<{name}>", value)
    return text


def grammar_text(table: Functions | None = None) -> str:
    """The grammar that parses programs, for lark's LALR parser."""
    table = table or functions()
    values = {
        **dict.fromkeys(("statements", "names", "conditions"), "*"),
        "top": "",
        "functions": _either(table.readable),
        "operators": _either(OPERATORS),
        "reductions": _either(r for r in Reduce if r is not Reduce.LEN),
    }
    everything = {
        "f": "",
        "k": "",
        "function": "FUNCTION",
        "arguments": "(argument (_COMMA argument)*)?",
    }
    reading = _Rendering("read", values, ({"d": "", "deeper": ""},), (everything,), (everything,))
    return reading.rules(_rules("read"))


def constraint_text(table: Functions | None = None, bounds: Bounds | None = None) -> str:
    """The grammar of `to_text`'s output, bounded, for llguidance (and vLLM's `grammar=`)."""
    table = table or functions()
    bounds = bounds or Bounds()
    values = {
        "statements": f"{{0,{bounds.statements - 1}}}",
        "names": f"{{0,{bounds.names - 1}}}",
        "conditions": f"{{0,{bounds.conditions - 1}}}",
        "characters": str(bounds.characters),
        "top": "_1",
        "operators": _either(Op),
        "reductions": _either(r for r in Reduce if r is not Reduce.LEN),
    }
    depths = tuple(
        {"d": f"_{depth}"} | ({"deeper": f"_{depth + 1}"} if depth < bounds.depth else {})
        for depth in range(1, bounds.depth + 1)
    )
    by_function = tuple(_written(table, name) for name in table.names)
    of_sort = {"k": "", **_written_keys(table.all_keys)}
    writing = _Rendering("write", values, depths, by_function, (of_sort, *by_function))
    return writing.rules(_rules("write"))


def _written(table: Functions, name: str) -> dict[str, str]:
    required = ["argument<d>"] * table.written_of(name)
    more = len(table.parameters_of(name)) - len(required)
    optional = "(_COMMA argument<d>" * more
    closed = ")?" * more
    return {
        "f": f"_{name}",
        "k": f"_{name}",
        "function": f'"{name}"',
        "arguments": f"{' _COMMA '.join(required)} {optional}{closed} (_COMMA where<d>_{name})?",
        **_written_keys(table.keys_of(name)),
    }


def _written_keys(keys: Keys) -> dict[str, str]:
    if keys.any_key:
        return {"keys": "IDENTIFIER | QUOTED_KEY", "quoted_keys": "QUOTED_KEY"}
    bare = _either(key if is_bare(key) else json.dumps(key) for key in keys.names)
    return {"keys": f"/{bare}/", "quoted_keys": f'/"({_either(keys.names)})"/'}


def is_bare(key: str) -> bool:
    """Whether a condition may name `key` without quotes."""
    return _IDENTIFIER.fullmatch(key) is not None


def _either(words: Iterable[str]) -> str:
    """A pattern of any of `words`, longer ones before their prefixes."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _rules(kind: str) -> Iterator[list[_Line]]:
    """The file's rules for one version, each with the lines of its alternatives."""
    rule: list[_Line] = []
    for line in _source():
        mark = _MARK.search(line)
        wanted = mark[1] if mark else ""
        if not line.strip() or line.startswith("//") or wanted in {"read", "write"} - {kind}:
            continue
        if rule and not line.startswith(" "):
            yield rule
            rule = []
        rule.append(_Line(line[: mark.start()] if mark else line, wanted == "nested"))
    yield rule


@lru_cache(maxsize=1)
def _source() -> tuple[str, ...]:
    return tuple(_FILE.read_text(encoding="utf-8").splitlines())
