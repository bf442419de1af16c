"""The two grammars: `grammar.lark` parses programs, `constraint.lark` constrains a model."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from models.kg.language.ast import Op, Reduce
from models.kg.language.functions import Functions, Keys, functions
from models.kg.language.words import OPERATORS

_Names = dict[str, str]  # in <>, with their replacements
_Values = tuple[_Names, ...]
_FOLDER = Path(__file__).parent
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits for a constrained model's output; depth one is a query without a nested one."""

    statements: int = 8
    depth: int = 3
    names: int = 8
    conditions: int = 6
    characters: int = 120


def _filled(text: str, values: _Names) -> str:
    for name, value in values.items():
        text = text.replace(f"<{name}>", value)
    return text


def grammar_text() -> str:
    """The grammar that parses programs, for lark's LALR parser."""
    values = {
        "functions": _either(functions().readable),
        "operators": _either(OPERATORS),
        "reductions": _either(r for r in Reduce if r is not Reduce.LEN),
    }
    return _filled((_FOLDER / "grammar.lark").read_text(encoding="utf-8"), values)


@lru_cache(maxsize=4)
def constraint_text(bounds: Bounds | None = None) -> str:
    """The grammar of `to_text`'s output, bounded, for llguidance (and vLLM's `grammar=`)."""
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
    by_function = tuple(_written(functions(), name) for name in functions().names)
    of_sort = {"k": "", **_written_keys(functions().all_keys)}
    lines = (
        _filled(_filled(line, filled), filled)  # <arguments> contains a <d> of its own
        for rule in _rules()
        for head in _copies(rule[0].partition(":")[0], depths, (of_sort, *by_function), by_function)
        for line in rule
        if "<deeper>" not in line or "deeper" in head
        for alternative in (by_function if "<f>" in line and "f" not in head else ({},))
        for filled in [values | head | alternative]
    )
    return "\n".join(lines) + "\n"


def _copies(head: str, depths: _Values, keys: _Values, calls: _Values) -> Iterator[_Names]:
    """The values of the names in a rule's head, for each copy of the rule."""
    for depth in depths if "<d>" in head else ({},):
        for function in keys if "<k>" in head else calls if "<f>" in head else ({},):
            yield depth | function


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


def _rules() -> list[list[str]]:
    """The rules of the constraint, each with the lines of its alternatives."""
    rules: list[list[str]] = []
    for line in (_FOLDER / "constraint.lark").read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            rules[-1].append(line)
        elif line and not line.startswith("//"):
            rules.append([line])
    return rules
