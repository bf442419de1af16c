"""The schema: formatted for a prompt, and checked before anything is fetched.

Both use the rows of the table: the grammar checks names, this module checks types.
"""

import tomllib
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from models.kg.codes import is_code
from models.kg.language.ast import (
    Call,
    Column,
    Condition,
    Invalid,
    NameList,
    Op,
    Program,
    Query,
    Reduce,
    Sort,
    Star,
    uses_before,
)
from models.kg.language.functions import Function, Key, Keys, Parameter, Type, functions
from models.kg.operators import as_number
from models.kg.periods import PeriodError, resolve
from models.records import Domain
from utils.errors import CragError

OPEN_KEYS = Path(__file__).with_name("open_keys.toml")
_ORDERED = frozenset((Op.GE, Op.LE, Op.GT, Op.LT))
_IN_ORDER = frozenset((Type.NUMBER, Type.DATE, Type.YEAR))
_COMPARED = _IN_ORDER | {Type.LIST}  # the members of a list
_SOME_TIME = datetime(2024, 3, 1)  # whether a time phrase is valid does not depend on it
_FLAGS = frozenset(("true", "false", "yes", "no"))
_SUMMED = frozenset((Reduce.SUM, Reduce.AVG))


class Violation(StrEnum):
    """The kinds of schema violations, each as its message."""

    BEFORE = "{} needs a statement before it"
    FAILED = "it uses the statement before it, which was not looked up"
    NUMBER = 'the {} of {} must be a number, is "{}"'
    FLAG = 'the {} of {} is true or false, not "{}"'
    ORDER = '"{}" cannot compare the {} of {}, which has no order'
    KEY = '{} has no key "{}"'
    SUM = "{} needs numbers, and the {} of {} are none"
    NO_KEY = "{} needs a key of {} to reduce"
    MISSING = "the {} of {} is missing"
    SLICE = "[{}:{}] selects no row"


class SchemaError(CragError):
    """A statement violates the schema; nothing was fetched for it."""

    kind = "statement not understood"


def check(program: Program) -> tuple[tuple[CragError, ...], ...]:
    """The schema violations of each statement, in order; empty if there are none."""
    found: list[tuple[CragError, ...]] = []
    before: Query | None = None
    failed = False
    for statement in program.statements:
        wrong: Iterable[CragError] = ()
        if isinstance(statement, Invalid):
            wrong = [SchemaError(statement.message)]
        elif failed and uses_before(statement):
            wrong = [SchemaError(Violation.FAILED)]
        elif isinstance(statement, Query):
            wrong = _query(statement, before)
        found.append(tuple(wrong))
        failed = bool(found[-1])
        if isinstance(statement, Query) and isinstance(statement.source, Call):
            before = statement
    return tuple(found)


def _query(query: Query, before: Query | None) -> Iterator[CragError]:
    """`before`: the last statement that calls a function; None if there is none."""
    source, take = query.source, query.take
    if take.count is not None and take.count < 1:
        yield SchemaError(Violation.SLICE.format(take.start, take.start + take.count))
    fetched = query if isinstance(source, Call) else before
    if fetched is None:
        yield SchemaError(Violation.BEFORE.format("sort"))
        return
    assert isinstance(fetched.source, Call)
    function = fetched.source.function
    keys = functions().sortable(function, fetched.key or "")
    if isinstance(source, Call):
        for parameter, argument in zip(_parameters(source), source.arguments, strict=False):
            if isinstance(argument, (Query, Star)):
                yield from _inner(argument, before)
            elif not isinstance(argument, NameList):
                yield from _value(parameter.type, parameter.name, function, argument)
        yield from _missing(source)
    else:
        yield from _known(function, keys, source.key)
    for condition in source.where:
        yield from _known(function, keys, condition.key)
        yield from _condition(condition, function, keys, before)
    if isinstance(source, Sort) and query.key is not None:
        yield from _known(function, keys, query.key)
    yield from _reduction(query, function, keys)


def _missing(call: Call) -> Iterator[CragError]:
    """Required times and numbers that are missing; names are optional."""
    given = [*call.arguments, *[None] * len(_parameters(call))]
    for parameter, argument in zip(_parameters(call), given, strict=False):
        if argument is None and not parameter.optional and parameter.type is not Type.TEXT:
            yield SchemaError(Violation.MISSING.format(parameter.name, call.function))


def _reduction(query: Query, function: str, keys: Keys) -> Iterator[CragError]:
    """Sums and means need numbers; minimum and maximum need an ordered type."""
    if query.reduce in (None, Reduce.LEN):
        return
    own = functions().keys_of(function)
    if query.key is None:
        if len(own.names) > 1 and isinstance(query.source, Call):
            yield SchemaError(Violation.NO_KEY.format(query.reduce, function))
        return
    key = keys.key(query.key)
    allowed = (Type.NUMBER, Type.YEAR) if query.reduce in _SUMMED else _IN_ORDER
    if key and key.type not in allowed:
        yield SchemaError(Violation.SUM.format(query.reduce, key.name, function))


def _known(function: str, keys: Keys, name: str) -> Iterator[CragError]:
    if keys.find(name) is None:
        yield SchemaError(Violation.KEY.format(function, name))


def _inner(part: Query | Star, before: Query | None) -> Iterator[CragError]:
    if isinstance(part, Query):
        yield from _query(part, before)
    elif before is None:
        yield SchemaError(Violation.BEFORE.format("*"))


def _condition(
    condition: Condition, function: str, keys: Keys, before: Query | None
) -> Iterator[CragError]:
    value = condition.value
    if isinstance(value, (Query, Star)):
        yield from _inner(value, before)
    key = keys.key(condition.key)
    if key is None:
        return
    if condition.op in _ORDERED and key.type not in _COMPARED:
        yield SchemaError(Violation.ORDER.format(condition.op, key.name, function))
    elif not isinstance(value, (Query, Star, Column)):
        yield from _value(key.type, key.name, function, value, key.codes)


def _value(
    kind: Type, name: str, function: str, value: object, codes: str = ""
) -> Iterator[CragError]:
    if fits(kind, value, codes):
        return
    if kind is Type.DATE:
        yield PeriodError(f"the {name} of {function}: {why_no_time(str(value))}")
    elif kind is Type.FLAG:
        yield SchemaError(Violation.FLAG.format(name, function, value))
    else:
        yield SchemaError(Violation.NUMBER.format(name, function, value))


def fits(kind: Type, value: object, codes: str = "") -> bool:
    """Whether `value`, a literal of a program, can be of type `kind`; true for non-literals."""
    if not isinstance(value, (str, int, float)):
        return True
    match kind:
        case Type.DATE:
            return not why_no_time(str(value))
        case Type.NUMBER:
            return as_number(value) is not None
        case Type.YEAR:
            return as_number(value) is not None or not why_no_time(str(value))
        case Type.FLAG:
            return str(value).lower() in _FLAGS or is_code(codes, str(value))
    return True


def why_no_time(text: str) -> str:
    """Why a text is not a time; empty if it is one."""
    try:
        resolve(text, _SOME_TIME)
    except PeriodError as error:
        return str(error)
    return ""


def _parameters(call: Call) -> tuple[Parameter, ...]:
    return functions().parameters_of(call.function)


@lru_cache(maxsize=8)
def schema_text(domain: Domain | None = None) -> str:
    """All functions, as shown in a model's prompt; those of `domain` first.

    get_stock_price(name, t1: date?, t2: date?)["date" | "open" $ | …]
    Functions with the same keys share a line.
    """
    rows = sorted(functions().rows, key=lambda row: row.domain is not domain)
    lines: dict[str, list[str]] = {}
    for row in rows:
        lines.setdefault(_keys_text(row), []).append(_call_text(row))
    text = [f"{', '.join(calls)}{keys}" for keys, calls in lines.items()]
    kinds = [f"  {kind}: {', '.join(keys.split())}" for kind, keys in open_keys()["keys"].items()]
    place = next((i for i, line in enumerate(text) if line.startswith("get_open(")), len(text))
    return "\n".join([*text[: place + 1], *kinds, *text[place + 1 :]])


@lru_cache(maxsize=1)
def open_keys() -> dict[str, dict[str, str]]:
    """The most frequent infobox keys by type of entity, and the cue words of each type."""
    return tomllib.loads(OPEN_KEYS.read_text(encoding="utf-8"))


def _call_text(row: Function) -> str:
    return f"{row.name}({', '.join(map(_parameter, row.parameters))})"


def _keys_text(row: Function) -> str:
    keys = " | ".join(_shown(key) for key in row.keys if not key.hidden)
    keys = f"[{keys} | any other key]" if row.any_key else f"[{keys}]"
    return f"{keys}  # {row.note}" if row.note else keys


def _parameter(parameter: Parameter) -> str:
    kind = "" if parameter.type is Type.TEXT else f": {parameter.type}"
    return f"{parameter.name}{kind}{'?' if parameter.optional else ''}"


def _shown(key: Key) -> str:
    kind = key.unit or ("" if key.type in (Type.TEXT, Type.NUMBER) else str(key.type))
    return f'"{key.name}"{f" {kind}" if kind else ""}'


def schema_table() -> str:
    """All functions and keys as a Markdown table for docs/kg_language.md."""
    lines = ["| function | key | type | unit | gives |", "|---|---|---|---|---|"]
    for row in functions().rows:
        name = f"`{_call_text(row)}`"
        for key in (key for key in row.keys if not key.hidden):
            other = f" (also `{'`, `'.join(key.aliases)}`)" if key.aliases else ""
            names = f"; names a {key.entity}" if key.entity else ""
            cells = (name, f"`{key.name}`{other}", key.type, key.unit, f"{key.spoken}{names}")
            lines.append(f"| {' | '.join(cells)} |")
            name = ""
        if row.any_key:
            lines.append(
                f"| {name} | any other | text | as written | what the entity's page says |"
            )
    return "\n".join(lines)
