"""The schema: formatted for a prompt, and checked before anything is fetched.

Both use the rows of the table: the reader checks names, this module checks types.
"""

import tomllib
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path

from models.kg.codes import is_code
from models.kg.language.ast import Call, Invalid, Op, Program, Query, Reduce, Star, uses_before
from models.kg.language.functions import Function, Key, Keys, Parameter, Type, functions
from models.kg.operators import as_number
from models.kg.periods import PeriodError, resolve
from models.records import Domain
from utils.errors import CragError

OPEN_KEYS = Path(__file__).with_name("open_keys.toml")
_ORDERED = frozenset((Op.GE, Op.LE, Op.GT, Op.LT))
IN_ORDER = frozenset((Type.NUMBER, Type.DATE, Type.YEAR))
_COMPARED = IN_ORDER | {Type.LIST}  # the members of a list
_SOME_TIME = datetime(2024, 3, 1)  # whether a time phrase is valid does not depend on it
_FLAGS = frozenset(("true", "false", "yes", "no"))


class SchemaError(CragError):
    """A statement violates the schema; nothing was fetched for it."""

    kind = "statement not understood"


def check(program: Program) -> tuple[tuple[CragError, ...], ...]:
    """The schema violations of each statement, in order; empty if there are none."""
    found: list[tuple[CragError, ...]] = []
    before: Query | None = None
    for statement in program.statements:
        wrong: Iterable[str] = ()
        if isinstance(statement, Invalid):
            wrong = [statement.message]
        elif found and found[-1] and uses_before(statement):
            wrong = ["it uses the statement before it, which was not looked up"]
        elif isinstance(statement, Query):
            wrong = _query(statement, before)
        found.append(tuple(map(SchemaError, wrong)))
        if isinstance(statement, Query) and isinstance(statement.source, Call):
            before = statement
    return tuple(found)


def _query(query: Query, before: Query | None) -> Iterator[str]:
    """`before`: the last statement that calls a function; None if there is none."""
    source, take = query.source, query.take
    if take.count is not None and take.count < 1:
        yield f"[{take.start}:{take.start + take.count}] selects no row"
    fetched = query if isinstance(source, Call) else before
    if fetched is None:
        yield "sort needs a statement before it"
        return
    assert isinstance(fetched.source, Call)
    function = fetched.source.function
    keys = functions().sortable(function, fetched.key or "")
    used = [condition.key for condition in source.where]
    if isinstance(source, Call):
        yield from _arguments(source, before)
    else:
        used += [source.key] if query.key is None else [source.key, query.key]
    yield from (f'{function} has no key "{name}"' for name in used if keys.find(name) is None)
    for condition in source.where:
        yield from _inner(condition.value, before)
        key = keys.key(condition.key)
        if key and condition.op in _ORDERED and key.type not in _COMPARED:
            yield (
                f'"{condition.op}" cannot compare the {key.name} of {function}, which has no order'
            )
        elif key:
            yield from _value(key, function, condition.value, key.codes)
    yield from _reduction(query, function, keys)


def _arguments(call: Call, before: Query | None) -> Iterator[str]:
    """Names may be missing, required times and numbers may not."""
    parameters = functions().parameters_of(call.function)
    for parameter, argument in zip_longest(parameters, call.arguments):
        yield from _inner(argument, before)
        if argument is not None:
            yield from _value(parameter, call.function, argument)
        elif not parameter.optional and parameter.type is not Type.TEXT:
            yield f"the {parameter.name} of {call.function} is missing"


def _inner(part: object, before: Query | None) -> Iterator[str]:
    if isinstance(part, Query):
        yield from _query(part, before)
    elif isinstance(part, Star) and before is None:
        yield "* needs a statement before it"


def _reduction(query: Query, function: str, keys: Keys) -> Iterator[str]:
    """Sums and means need numbers; minimum and maximum need an ordered type."""
    if query.reduce in (None, Reduce.LEN):
        return
    if query.key is None:
        if len(functions().keys_of(function).names) > 1 and isinstance(query.source, Call):
            yield f"{query.reduce} needs a key of {function} to reduce"
        return
    key = keys.key(query.key)
    summed = query.reduce in (Reduce.SUM, Reduce.AVG)
    if key and key.type not in (IN_ORDER - {Type.DATE} if summed else IN_ORDER):
        yield f"{query.reduce} needs numbers, but the {key.name} of {function} has none"


def _value(of: Key | Parameter, function: str, value: object, codes: str = "") -> Iterator[str]:
    if fits(of.type, value, codes):
        return
    if of.type is Type.DATE:
        yield f"the {of.name} of {function}: {why_no_time(str(value))}"
    elif of.type is Type.FLAG:
        yield f'the {of.name} of {function} is true or false, not "{value}"'
    else:
        yield f'the {of.name} of {function} must be a number, is "{value}"'


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


@lru_cache(maxsize=8)
def schema_text(domain: Domain | None = None) -> str:
    """All functions, as shown in a model's prompt; those of `domain` first.

    get_stock_price(name, t1: date?, t2: date?)["date" | "open" $ | …]
    Functions with the same keys share a line.
    """
    lines: dict[str, list[str]] = {}
    for row in sorted(functions().rows, key=lambda row: row.domain is not domain):
        lines.setdefault(_keys_text(row), []).append(_call_text(row))
    return "\n".join(f"{', '.join(calls)}{keys}" for keys, calls in lines.items())


@lru_cache(maxsize=1)
def open_keys() -> dict[str, dict[str, str]]:
    """The most frequent infobox keys by type of entity, and the cue words of each type."""
    return tomllib.loads(OPEN_KEYS.read_text(encoding="utf-8"))


def _call_text(row: Function) -> str:
    return f"{row.name}({', '.join(map(_parameter, row.parameters))})"


def _keys_text(row: Function) -> str:
    keys = " | ".join(_shown(key) for key in row.keys if not key.hidden)
    keys = f"[{keys} | any other key]" if row.any_key else f"[{keys}]"
    if row.domain is Domain.OPEN:
        keys += "".join(f"\n  {k}: {', '.join(v.split())}" for k, v in open_keys()["keys"].items())
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
