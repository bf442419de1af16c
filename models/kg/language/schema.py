"""What a program may ask for: written for a prompt, and checked before anything is fetched.

Both use the rows of `table.py`: the grammar checks names, this checks types.
"""

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

from models.kg.language.ast import (
    Call,
    Column,
    Condition,
    Names,
    Op,
    Program,
    Query,
    Reduce,
    Sort,
    Star,
)
from models.kg.language.functions import Function, Key, Keys, Parameter, Type, functions
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
    NUMBER = 'the {} of {} must be a number, is "{}"'
    FLAG = 'the {} of {} is true or false, not "{}"'
    ORDER = '"{}" cannot compare the {} of {}, which has no order'
    KEY = '{} has no key "{}"'
    SUM = "{} needs numbers, and the {} of {} are none"


class SchemaError(CragError):
    """A statement asks for what the schema rules out; nothing was fetched for it."""


def check(program: Program) -> tuple[tuple[CragError, ...], ...]:
    """What is wrong with each statement, in order; empty where nothing is."""
    found = []
    before: Query | None = None
    for statement in program.statements:
        wrong = _query(statement, before) if isinstance(statement, Query) else ()
        found.append(tuple(wrong))
        if isinstance(statement, Query) and isinstance(statement.source, Call):
            before = statement
    return tuple(found)


def _query(query: Query, before: Query | None) -> Iterator[CragError]:
    """`before`: the last statement that calls a function; None where there is none."""
    source = query.source
    fetched = query if isinstance(source, Call) else before
    if fetched is None:
        yield SchemaError(Misuse.BEFORE.format("sort"))
        return
    assert isinstance(fetched.source, Call)
    function = fetched.source.function
    keys = functions().sortable(function, fetched.key or "")
    if isinstance(source, Call):
        for parameter, argument in zip(_parameters(source), source.arguments, strict=False):
            if isinstance(argument, (Query, Star)):
                yield from _inner(argument, before)
            elif not isinstance(argument, Names):
                yield from _value(parameter.type, parameter.name, function, argument)
    elif query.key is not None:
        yield from _known(function, keys, query.key)
    if isinstance(source, Sort):
        yield from _known(function, keys, source.key)
    for condition in source.where:
        yield from _known(function, keys, condition.key)
        yield from _condition(condition, function, keys, before)
    key = keys.key(query.key) if query.key else None
    if key and query.reduce in _SUMMED and key.type not in (Type.NUMBER, Type.YEAR):
        yield SchemaError(Misuse.SUM.format(query.reduce, key.name, function))


def _known(function: str, keys: Keys, name: str) -> Iterator[CragError]:
    if keys.find(name) is None:
        yield SchemaError(Misuse.KEY.format(function, name))


def _inner(part: Query | Star, before: Query | None) -> Iterator[CragError]:
    if isinstance(part, Query):
        yield from _query(part, before)
    elif before is None:
        yield SchemaError(Misuse.BEFORE.format("*"))


def _condition(
    condition: Condition, function: str, keys: Keys, before: Query | None
) -> Iterator[CragError]:
    value = condition.value
    if isinstance(value, (Query, Star)):
        yield from _inner(value, before)
    key = keys.key(condition.key)
    if key is None:
        return
    if condition.op in _ORDERED and key.type not in _IN_ORDER:
        yield SchemaError(Misuse.ORDER.format(condition.op, key.name, function))
    elif not isinstance(value, (Query, Star, Column)):
        yield from _value(key.type, key.name, function, value)


def _value(kind: Type, name: str, function: str, value: object) -> Iterator[CragError]:
    if value is None:
        return
    if kind is Type.DATE and (problem := _no_time(str(value))):
        yield PeriodError(f"the {name} of {function}: {problem}")
    elif kind is Type.NUMBER and as_number(value) is None:
        yield SchemaError(Misuse.NUMBER.format(name, function, value))
    elif kind is Type.YEAR and as_number(value) is None and _no_time(str(value)):
        yield SchemaError(Misuse.NUMBER.format(name, function, value))
    elif kind is Type.FLAG and str(value).lower() not in _FLAGS:
        yield SchemaError(Misuse.FLAG.format(name, function, value))


def _no_time(text: str) -> str:
    """Why a text is no time; empty where it is one."""
    try:
        resolve(text, _SOME_TIME)
    except PeriodError as error:
        return str(error)
    return ""


def _parameters(call: Call) -> tuple[Parameter, ...]:
    return functions().parameters_of(call.function)


@lru_cache(maxsize=8)
def schema_text(domain: Domain | None = None) -> str:
    """The functions of a domain, or of all, a line each, as a prompt shows them to a model.

    get_stock_price(name, t1: date, t2: date?)["date" | "open" $ | …]
    """
    rows = [row for row in functions().rows if domain is None or row.domain is domain]
    return "\n".join(map(_line, rows))


def _line(row: Function) -> str:
    parameters = ", ".join(map(_parameter, row.parameters))
    keys = " | ".join(_shown(key) for key in row.keys if not key.hidden)
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
