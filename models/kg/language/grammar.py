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
from models.kg.schema.operations import Arithmetic, Op, Reduce

_FIXED_RULES = Path(__file__).with_name("constraint.lark")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_CHUNK = re.compile(r"\w+|\W")  # of a question: names begin and end between these
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_ANY_KEYS = ""  # the suffix of the rules for the keys of all functions, which a sort may use


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits for a constrained model's output; depth one is a query without a nested one."""

    statements: int = 8
    depth: int = 3
    names: int = 8
    conditions: int = 6
    characters: int = 120


# Times that a call may have although its question does not state them.
IMPLICIT_TIMES = ("latest", "today", "this week", "last trading day", "ipo day")


def constraint_text(bounds: Bounds | None = None, *, copied_from: str | None = None) -> str:
    """The grammar of `to_text`'s output, bounded, for llguidance (and vLLM's `grammar=`).

    Args:
        bounds: limits; None: the default ones.
        copied_from: a question. The arguments of calls are then runs of its words, or one of
            `IMPLICIT_TIMES`: a small model cannot misspell a name that it copies. Conditions may
            compare with any text. None: any string is an argument.
    """
    return f"{_rules_text(bounds or Bounds())}\n{_name_rules(copied_from)}"


@lru_cache(maxsize=4)
def _rules_text(bounds: Bounds) -> str:
    rules = "\n".join(_rules(bounds))
    return f"{rules}\n{_FIXED_RULES.read_text(encoding='utf-8')}"


def _name_rules(copied_from: str | None) -> str:
    """The rules of a string in a call."""
    if copied_from is None:
        return "?name: STRING"
    chunks = [escaped(chunk) for chunk in _CHUNK.findall(copied_from)]
    words = json.dumps({"substring_chunks": chunks}, ensure_ascii=False)
    copied = " | ".join(["COPIED_WORDS", *map(json.dumps, IMPLICIT_TIMES)])
    rules = ("?name: NAME", f'NAME: "\\"" ({copied}) "\\""', "COPIED_WORDS: WORDS & /.+/")
    return "\n".join((*rules, f"WORDS: %regex {words}"))


def escaped(text: str) -> str:
    """`text` as it stands between quotes, where no character of it may end them."""
    return text.translate(_ESCAPES)


def is_bare(key: str) -> bool:
    """Whether a condition may name `key` without quotes."""
    return _IDENTIFIER.fullmatch(key) is not None


def _rules(bounds: Bounds) -> Iterator[str]:
    keys_by_suffix = {_ANY_KEYS: functions().all_keys}
    for name in functions().names:
        keys_by_suffix[f"_{name}"] = functions().keys_of(name)
    yield from _flat_rules(bounds)
    for suffix, keys in keys_by_suffix.items():
        yield from _key_rules(suffix, keys)
    for depth in range(1, bounds.depth + 1):
        nested = f" | query{depth + 1}" if depth < bounds.depth else ""
        yield from _query_rules(depth, nested)
        for name in functions().names:
            yield _call_rule(depth, name)
        for suffix in keys_by_suffix:
            yield from _condition_rules(depth, suffix, nested, bounds.conditions)


def _flat_rules(bounds: Bounds) -> Iterator[str]:
    """The rules that have no nesting."""
    reductions = [reduce for reduce in Reduce if reduce is not Reduce.LEN]
    yield f"start: statement (_SEP statement){{0,{bounds.statements - 1}}}"
    yield f'names: "[" name (_COMMA name){{0,{bounds.names - 1}}} "]"'
    yield rf'STRING: /"([^"\\\x00-\x1f\x7f]|\\["\\nrt]){{0,{bounds.characters}}}"/'
    yield f"OPERATOR: /{_either_pattern(Op)}/"
    yield f"ARITHMETIC: /{_either_pattern(Arithmetic)}/"
    yield f"REDUCE: /({_either_pattern(reductions)}) /"


def _key_rules(suffix: str, keys: KeyIndex) -> Iterator[str]:
    """The keys of a function as they stand in conditions, and in brackets."""
    if keys.any_key:
        yield f"?key{suffix}: IDENTIFIER | QUOTED_KEY"
        yield f'picked{suffix}: ("[" QUOTED_KEY "]")?'
        return
    in_conditions = [key if is_bare(key) else json.dumps(key) for key in keys.names]
    yield f"?key{suffix}: /{_either_pattern(in_conditions)}/"
    yield f'picked{suffix}: ("[" /"({_either_pattern(keys.names)})"/ "]")?'


def _query_rules(depth: int, nested: str) -> Iterator[str]:
    """The queries of a depth, of which `nested` has the alternatives that nest another query."""
    calls = [f"sort{depth} picked"]
    calls += [f"call{depth}_{name} picked_{name}" for name in functions().names]
    queries = [*map(_call_alternatives, calls), f"calculation{depth}"]
    yield f"query{depth}: {' | '.join(queries)}"
    operand = f"operand{depth}"
    yield f'calculation{depth}: ARITHMETIC "(" {operand} _COMMA {operand} ")"'
    yield f"?{operand}: NUMBER | STAR | STRING{nested}"
    yield f'sort{depth}: SORT "(" (NONE | where{depth}) _COMMA MINUS? key ")"'
    yield f"?argument{depth}: plain | name | names{nested}"


def _call_alternatives(call: str) -> str:
    """A call with its key, and what can be around it: ALL, a slice, an aggregation."""
    all_rows = f"ALL? {call} length? | {call} cut length? | REDUCE ALL? {call} | REDUCE {call} cut"
    return f"{all_rows} | DISTINCT {call} cut? length? | REDUCE DISTINCT {call} cut?"


def _call_rule(depth: int, name: str) -> str:
    argument = f"argument{depth}"
    required_count = functions().minimum_argument_count(name)
    optional_count = len(functions().parameters_of(name)) - required_count
    required = " _COMMA ".join([argument] * required_count)
    optional = f" (_COMMA {argument}" * optional_count + ")?" * optional_count
    conditions = f"(_COMMA where{depth}_{name})?"
    return f'call{depth}_{name}: "{name}" "(" {required}{optional} {conditions} ")"'


def _condition_rules(depth: int, suffix: str, nested: str, most: int) -> Iterator[str]:
    """The conditions on the keys of a function, in a query of a depth."""
    here = f"{depth}{suffix}"
    condition = f"condition{here}"
    yield f"?where{here}: {condition} | conditions{here}"
    yield f'conditions{here}: "[" {condition} (_COMMA {condition}){{0,{most - 1}}} "]"'
    yield f'{condition}: OPERATOR "(" key{suffix} _COMMA value{here} ")"'
    yield f"?value{here}: plain | STRING | key{suffix}{nested}"


def _either_pattern(words: Iterable[str]) -> str:
    """A pattern of any of `words`, longer ones before their prefixes."""
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(map(re.escape, longest_first))
