"""The schema: formatted for a prompt, and checked before anything is fetched.

Both use the rows of the table: the reader checks names, this module checks types.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import zip_longest

from models.kg.english.periods import PeriodError, resolve
from models.kg.english.quantities import as_number
from models.kg.language.ast import FunctionCall, InvalidStatement, Program, Query, Star, uses_before
from models.kg.lexicon.named_functions import functions
from models.kg.schema.codes import is_code
from models.kg.schema.functions import Key, KeyIndex, Parameter, Type
from models.kg.schema.operations import Op, Reduce
from utils.errors import CragError

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
        if isinstance(statement, InvalidStatement):
            wrong = [statement.message]
        elif found and found[-1] and uses_before(statement):
            wrong = ["it uses the statement before it, which was not looked up"]
        elif isinstance(statement, Query):
            wrong = _query(statement, before)
        found.append(tuple(map(SchemaError, wrong)))
        if isinstance(statement, Query) and isinstance(statement.source, FunctionCall):
            before = statement
    return tuple(found)


def _query(query: Query, before: Query | None) -> Iterator[str]:
    """`before`: the last statement that calls a function; None if there is none."""
    source, take = query.source, query.take
    if take.count is not None and take.count < 1:
        yield f"[{take.start}:{take.start + take.count}] selects no row"
    fetched = query if isinstance(source, FunctionCall) else before
    if fetched is None:
        yield "sort needs a statement before it"
        return
    assert isinstance(fetched.source, FunctionCall)
    function = fetched.source.function
    keys = functions().sortable(function, fetched.key or "")
    used = [condition.key for condition in source.where]
    if isinstance(source, FunctionCall):
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


def _arguments(call: FunctionCall, before: Query | None) -> Iterator[str]:
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


def _reduction(query: Query, function: str, keys: KeyIndex) -> Iterator[str]:
    """Sums and means need numbers; minimum and maximum need an ordered type."""
    if query.reduce in (None, Reduce.LEN):
        return
    if query.key is None:
        if len(functions().keys_of(function).names) > 1 and isinstance(query.source, FunctionCall):
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
