"""What a program may ask for, told to a model, and checked before anything is fetched.

Both read the rows of `table.py`: the grammar sees to names, this to types.
"""

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from models.kg.language.ast import (
    Call,
    Condition,
    Names,
    Op,
    Program,
    Query,
    Reduce,
    Sort,
    Star,
    Statement,
)
from models.kg.language.functions import Function, Key, Parameter, Type, functions
from models.kg.operators import as_number
from models.kg.periods import PeriodError, resolve
from models.records import Domain
from utils.errors import CragError

_SOME_TIME = datetime(2024, 3, 1)  # whether a phrase of time is understood does not depend on it
_ORDERED = frozenset((Op.GE, Op.LE, Op.GT, Op.LT))
_IN_ORDER = frozenset((Type.NUMBER, Type.DATE, Type.YEAR))
_SUMMED = frozenset((Reduce.SUM, Reduce.AVG))
_FLAGS = frozenset(("true", "false", "yes", "no"))


class Misuse(StrEnum):
    """What may be wrong with a program whose names are right, as the sentence that says so."""

    BEFORE = "{} needs a statement before it"
    SEVERAL = "{} takes one {}, not a list"
    DATE = 'the {} of {} must be a date or a time that is understood, is "{}"'
    NUMBER = 'the {} of {} must be a number, is "{}"'
    FLAG = 'the {} of {} is true or false, not "{}"'
    ORDER = '"{}" cannot compare the {} of {}, which has no order'
    KEY = '{} has no key "{}"'
    SUM = "{} needs numbers, and the {} of {} are none"


class SchemaError(CragError):
    """A statement asks for what the schema rules out; nothing was fetched for it."""


def check(program: Program) -> tuple[tuple[SchemaError, ...], ...]:
    """What is wrong with each statement, in order; empty where nothing is."""
    found = []
    before: Call | None = None
    for index, statement in enumerate(program.statements):
        found.append(tuple(map(SchemaError, _statement(statement, before, first=not index))))
        if isinstance(statement, Query) and isinstance(statement.source, Call):
            before = statement.source
    return tuple(found)


def _statement(statement: Statement, before: Call | None, *, first: bool) -> Iterator[str]:
    if isinstance(statement, Query):
        yield from _query(statement, before, first=first)


def _query(query: Query, before: Call | None, *, first: bool) -> Iterator[str]:
    source = query.source
    call = source if isinstance(source, Call) else before
    if isinstance(source, Sort) and first:
        yield Misuse.BEFORE.format("sort")
    if isinstance(source, Call):
        for parameter, argument in zip(_parameters(source), source.arguments, strict=False):
            if isinstance(argument, (Query, Star)):
                yield from _inner(argument, before, first=first)
            else:
                yield from _argument(source.function, parameter, argument)
    elif before is not None:
        for name in dict.fromkeys((source.key, *(condition.key for condition in source.where))):
            yield from _known(before, name)
        if query.key is not None:
            yield from _known(before, query.key)
    for condition in source.where:
        yield from _condition(condition, call, before, first=first)
    key = _key(call, query.key)
    if call and key and query.reduce in _SUMMED and key.type not in (Type.NUMBER, Type.YEAR):
        yield Misuse.SUM.format(query.reduce, key.name, call.function)


def _known(call: Call, name: str) -> Iterator[str]:
    keys = functions().keys_of(call.function)
    if keys.find(name) is None:
        yield Misuse.KEY.format(call.function, name)


def _inner(part: Query | Star, before: Call | None, *, first: bool) -> Iterator[str]:
    if isinstance(part, Query):
        yield from _query(part, before, first=first)
    elif first:
        yield Misuse.BEFORE.format("*")


def _argument(function: str, parameter: Parameter, value: object) -> Iterator[str]:
    if isinstance(value, Names) and not parameter.several:
        yield Misuse.SEVERAL.format(function, parameter.name)
    elif value is not None and not isinstance(value, Names):
        yield from _value(parameter.type, parameter.name, function, value)


def _condition(
    condition: Condition, call: Call | None, before: Call | None, *, first: bool
) -> Iterator[str]:
    value = condition.value
    if isinstance(value, (Query, Star)):
        yield from _inner(value, before, first=first)
    key = _key(call, condition.key)
    if call is None or key is None:
        return
    if condition.op in _ORDERED and key.type not in _IN_ORDER:
        yield Misuse.ORDER.format(condition.op, key.name, call.function)
    elif value is not None and not isinstance(value, (Query, Star)):
        yield from _value(key.type, key.name, call.function, value)


def _value(kind: Type, name: str, function: str, value: object) -> Iterator[str]:
    if kind is Type.DATE and not _is_time(str(value)):
        yield Misuse.DATE.format(name, function, value)
    elif kind in (Type.NUMBER, Type.YEAR) and as_number(value) is None:
        yield Misuse.NUMBER.format(name, function, value)
    elif kind is Type.FLAG and str(value).lower() not in _FLAGS:
        yield Misuse.FLAG.format(name, function, value)


def _is_time(text: str) -> bool:
    try:
        resolve(text, _SOME_TIME)
    except PeriodError:
        return False
    return True


def _parameters(call: Call) -> tuple[Parameter, ...]:
    return functions().parameters_of(call.function)


def _key(call: Call | None, name: str | None) -> Key | None:
    """What the schema says of a key; None where nobody can list a function's keys."""
    return functions().keys_of(call.function).key(name) if call and name else None


@lru_cache(maxsize=8)
def schema_text(domain: Domain | None = None) -> str:
    """The functions of a domain, or of all, a line each, as a prompt shows them to a model.

    get_stock_price(name, t1: date, t2: date?)["date" | "open" $ | …]
    """
    rows = [row for row in functions().rows if domain is None or row.domain is domain]
    return "\n".join(map(_line, rows))


def _line(row: Function) -> str:
    parameters = ", ".join(map(_parameter, row.parameters))
    keys = " | ".join(map(_shown, row.keys))
    if row.any_key:
        keys = f"{keys} | any other key" if keys else "any key"
    complete = f"  # complete: {row.complete}" if row.complete else ""
    return f"{row.name}({parameters})[{keys}]{complete}"


def _parameter(parameter: Parameter) -> str:
    kind = "" if parameter.type is Type.TEXT else f": {parameter.type}"
    return f"{parameter.name}{kind}{'?' if parameter.optional else ''}"


def _shown(key: Key) -> str:
    kind = key.unit or ("" if key.type in (Type.TEXT, Type.NUMBER) else str(key.type))
    return f'"{key.name}"{f" {kind}" if kind else ""}'
