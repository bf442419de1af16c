"""The grammar that constrains a model: the text that `printer.py` writes, with bounded strings,
nesting and statements. Its rules stand once per depth of nesting, and once per function."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from models.kg.lexicon.named_functions import functions
from models.kg.schema.functions import KeyIndex
from models.kg.schema.operations import Op, Reduce

_FIXED = Path(__file__).with_name("constraint.lark")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits for a constrained model's output; depth one is a query without a nested one."""

    statements: int = 8
    depth: int = 3
    names: int = 8
    conditions: int = 6
    characters: int = 120


@lru_cache(maxsize=4)
def constraint_text(bounds: Bounds | None = None) -> str:
    """The grammar of `to_text`'s output, bounded, for llguidance (and vLLM's `grammar=`)."""
    return "\n".join(_rules(bounds or Bounds())) + "\n" + _FIXED.read_text(encoding="utf-8")


def _rules(bounds: Bounds) -> Iterator[str]:
    table = functions()
    keys = {"": table.all_keys} | {f"_{name}": table.keys_of(name) for name in table.names}
    yield f"start: statement (_SEP statement){{0,{bounds.statements - 1}}}"
    yield f'names: "[" STRING (_COMMA STRING){{0,{bounds.names - 1}}} "]"'
    yield rf'STRING: /"([^"\\\x00-\x1f\x7f]|\\["\\nrt]){{0,{bounds.characters}}}"/'
    yield f"OPERATOR: /{_either(Op)}/"
    yield f"REDUCE: /({_either(r for r in Reduce if r is not Reduce.LEN)}) /"
    for of, some in keys.items():
        bare, quoted = _patterns(some)
        yield f"?key{of}: {bare}"
        yield f'picked{of}: ("[" {quoted} "]")?'
    for depth in range(1, bounds.depth + 1):
        nested = f" | query{depth + 1}" if depth < bounds.depth else ""
        calls = [f"sort{depth} picked", *(f"call{depth}_{n} picked_{n}" for n in table.names)]
        yield f"query{depth}: {' | '.join(map(_queries, calls))}"
        yield f'sort{depth}: SORT "(" (NONE | where{depth}) _COMMA MINUS? key ")"'
        yield f"?argument{depth}: plain | STRING | names{nested}"
        for name in table.names:
            optional = len(table.parameters_of(name)) - table.written_of(name)
            written = " _COMMA ".join([f"argument{depth}"] * table.written_of(name))
            written += f" (_COMMA argument{depth}" * optional + ")?" * optional
            conditions = f"(_COMMA where{depth}_{name})?"
            yield f'call{depth}_{name}: "{name}" "(" {written} {conditions} ")"'
        for of in keys:
            here, more = f"{depth}{of}", bounds.conditions - 1
            yield f"?where{here}: condition{here} | conditions{here}"
            yield f'conditions{here}: "[" condition{here} (_COMMA condition{here}){{0,{more}}} "]"'
            yield f'condition{here}: OPERATOR "(" key{of} _COMMA value{here} ")"'
            yield f"?value{here}: plain | STRING | key{of}{nested}"


def _queries(call: str) -> str:
    """A call with its key, and what can be around it: ALL, a slice, an aggregation."""
    return f"ALL? {call} length? | {call} cut length? | REDUCE ALL? {call} | REDUCE {call} cut"


def _patterns(keys: KeyIndex) -> tuple[str, str]:
    """Patterns of the keys as they stand in conditions, and in brackets."""
    if keys.any_key:
        return "IDENTIFIER | QUOTED_KEY", "QUOTED_KEY"
    bare = _either(key if is_bare(key) else json.dumps(key) for key in keys.names)
    return f"/{bare}/", f'/"({_either(keys.names)})"/'


def is_bare(key: str) -> bool:
    """Whether a condition may name `key` without quotes."""
    return _IDENTIFIER.fullmatch(key) is not None


def _either(words: Iterable[str]) -> str:
    """A pattern of any of `words`, longer ones before their prefixes."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
