"""Checks a program against the schema, before anything is fetched.

The reader checks names, this module checks types; both use the rows of the schema's table.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import zip_longest

from models.english.periods import PeriodError, resolve
from models.english.quantities import as_number
from models.kg.language.ast import (
    Calculation,
    Condition,
    FunctionCall,
    InvalidStatement,
    Program,
    Query,
    Sort,
    Star,
    Statement,
    Take,
    uses_before,
)
from models.kg.lexicon.named_functions import functions
from models.kg.schema.codes import is_code
from models.kg.schema.functions import Key, KeyIndex, Parameter, Type
from models.kg.schema.operations import Arithmetic, Op, Reduce
from utils.errors import CragError

IN_ORDER = frozenset((Type.NUMBER, Type.DATE, Type.YEAR))
_COMPARED = IN_ORDER | {Type.LIST}  # the members of a list
_SUMMED = IN_ORDER - {Type.DATE}
_ORDER_OPERATORS = frozenset((Op.GE, Op.LE, Op.GT, Op.LT))
_YEARS = range(1000, 3000)  # that a whole number may stand for
_SOME_TIME = datetime(2024, 3, 1)  # whether a time phrase is valid does not depend on it
_TEXTS = frozenset((Type.TEXT, Type.LIST))
# The types that each calculation works with.
_CALCULATED = {
    Arithmetic.MINUS: IN_ORDER,
    Arithmetic.RATIO: _SUMMED,
}
_NUMERIC_REDUCTIONS = frozenset((Reduce.LEN, Reduce.AVG, Reduce.SUM))
_OF_ALL_VALUES = frozenset((Reduce.AVG, Reduce.SUM, Reduce.MODE))  # equal values count, too
_FLAGS = frozenset(("true", "false", "yes", "no"))


class SchemaError(CragError):
    """A statement violates the schema; nothing was fetched for it."""

    kind = "statement not understood"


def check(program: Program) -> tuple[tuple[CragError, ...], ...]:
    """The schema violations of each statement, in order; empty if there are none."""
    errors: list[tuple[CragError, ...]] = []
    last_call: Query | None = None  # the last statement that calls a function or calculates
    gives_rows = False  # the last statement: whole rows, no values
    for statement in program.statements:
        previous_failed = bool(errors and errors[-1])
        messages = [*_statement_errors(statement, last_call, previous_failed=previous_failed)]
        if gives_rows and isinstance(statement, Query) and _calculates_with_star(statement):
            messages.append("a calculation needs a value, but * stands for whole rows")
        errors.append(tuple(map(SchemaError, messages)))
        if not isinstance(statement, Query):
            gives_rows = False
        elif isinstance(statement.source, Sort):
            gives_rows = gives_rows and statement.key is None and statement.reduce is None
        else:
            gives_rows = _gives_rows(statement)
            last_call = statement
    return tuple(errors)


def _statement_errors(
    statement: Statement, last_call: Query | None, *, previous_failed: bool
) -> Iterable[str]:
    if isinstance(statement, InvalidStatement):
        return [statement.message]
    if previous_failed and uses_before(statement):
        return ["it uses the statement before it, which was not looked up"]
    if isinstance(statement, Query):
        return _query_errors(statement, last_call)
    return []


def _query_errors(query: Query, last_call: Query | None) -> Iterator[str]:
    if isinstance(query.source, Calculation):
        yield from _calculation_errors(query.source, last_call)
        return
    yield from _slice_errors(query.take)
    call = query if isinstance(query.source, FunctionCall) else last_call
    if call is None:
        yield "sort needs a statement before it"
        return
    if not isinstance(call.source, FunctionCall):
        yield "a calculation has no rows to sort"
        return
    function = call.source.function
    keys = functions().sortable(function, call.key or "")
    if isinstance(query.source, FunctionCall):
        yield from _argument_errors(query.source, last_call)
    for name in _keys_used(query):
        if keys.find(name) is None:
            yield f'{function} has no key "{name}"'
    for condition in query.source.where:
        yield from _nested_errors(condition.value, last_call)
        yield from _condition_errors(condition, function, keys)
    yield from _reduction_errors(query, function, keys)


def _slice_errors(take: Take) -> Iterator[str]:
    if take.count is not None and take.count < 1:
        yield f"[{take.start}:{take.start + take.count}] selects no row"


def _keys_used(query: Query) -> list[str]:
    """The keys of conditions and sorts; after a sort, also the key that is read."""
    assert not isinstance(query.source, Calculation)
    names = [condition.key for condition in query.source.where]
    if isinstance(query.source, Sort):
        names.append(query.source.key)
        if query.key is not None:
            names.append(query.key)
    return names


def _argument_errors(call: FunctionCall, last_call: Query | None) -> Iterator[str]:
    """Names may be missing, required times and numbers may not."""
    parameters = functions().parameters_of(call.function)
    for parameter, argument in zip_longest(parameters, call.arguments):
        yield from _nested_errors(argument, last_call)
        if argument is not None:
            yield from _type_errors(parameter, call.function, argument)
        elif not parameter.optional and parameter.type is not Type.TEXT:
            yield f"the {parameter.name} of {call.function} is missing"


def _nested_errors(value: object, last_call: Query | None) -> Iterator[str]:
    """The errors of a query or `*` as an argument or a condition's value."""
    if isinstance(value, Query):
        yield from _query_errors(value, last_call)
    elif isinstance(value, Star) and last_call is None:
        yield "* needs a statement before it"


def _condition_errors(condition: Condition, function: str, keys: KeyIndex) -> Iterator[str]:
    key = keys.key(condition.key)
    if key is None:
        return
    if condition.op in _ORDER_OPERATORS and key.type not in _COMPARED:
        yield f'"{condition.op}" cannot compare the {key.name} of {function}, which has no order'
    elif condition.op is Op.CONTAINS and key.type not in _TEXTS:
        yield f'"contains" needs a text, but the {key.name} of {function} is a {key.type}'
    elif condition.value is None and condition.op not in (Op.EQ, Op.NE):
        yield f'"{condition.op}" needs a value to compare the {key.name} of {function} with'
    elif condition.op is Op.CONTAINS and not str(condition.value).strip():
        yield f'"contains" needs a text that the {key.name} of {function} may have'
    else:
        yield from _type_errors(key, function, condition.value, key.codes)


def _calculation_errors(calculation: Calculation, last_call: Query | None) -> Iterator[str]:
    """Calculations need numbers of the KG; `minus` also takes two dates."""
    operands = (calculation.left, calculation.right)
    if not any(isinstance(operand, (Query, Star)) for operand in operands):
        yield f"{calculation.op} needs a value of the knowledge graph"
    types = set()
    allowed = _CALCULATED[calculation.op]
    needed = "numbers or dates" if Type.DATE in allowed else "numbers"
    for operand in operands:
        yield from _nested_errors(operand, last_call)
        kind = _operand_type(operand)
        if isinstance(operand, Query) and _gives_rows(operand):
            yield f"{calculation.op} needs {needed}, not whole rows"
        elif kind is not None and kind not in allowed:
            yield f"{calculation.op} needs {needed}, not {_operand_in_words(operand)}"
        elif isinstance(operand, str) and _time_error(operand):
            yield _time_error(operand)
        types.add(kind)
    if Type.DATE in allowed and types == {Type.NUMBER, Type.DATE}:
        yield f"{calculation.op} needs two numbers or two dates, not one of each"


def _gives_rows(query: Query) -> bool:
    """Whether a call has neither a key nor an aggregation, and no single key."""
    if not isinstance(query.source, FunctionCall) or query.key or query.reduce:
        return False
    keys = functions().keys_of(query.source.function)
    return keys.any_key or len(keys.names) > 1


def _calculates_with_star(query: Query) -> bool:
    """Whether `*` is a side of a calculation, or of one in it."""
    if not isinstance(query.source, Calculation):
        return False
    operands = (query.source.left, query.source.right)
    return any(
        isinstance(operand, Star) or (isinstance(operand, Query) and _calculates_with_star(operand))
        for operand in operands
    )


def _operand_type(operand: str | int | float | Star | Query) -> Type | None:
    """The type of one side of a calculation, as far as known before it is fetched."""
    if isinstance(operand, str):
        return Type.DATE
    if isinstance(operand, (int, float)):
        return Type.YEAR if is_year(operand) else Type.NUMBER
    if isinstance(operand, Star) or isinstance(operand.source, Sort):
        return None
    if isinstance(operand.source, Calculation):
        sides = (operand.source.left, operand.source.right)
        is_duration = Type.DATE in map(_operand_type, sides)
        return Type.SPAN if is_duration else Type.NUMBER
    if operand.reduce in _NUMERIC_REDUCTIONS:
        return Type.NUMBER
    keys = functions().keys_of(operand.source.function)
    key = keys.key(operand.key or "")
    if key is None or keys.any_key:
        return None
    return key.type


def is_year(number: int | float) -> bool:
    """Whether a number of a program may be a year."""
    return isinstance(number, int) and number in _YEARS


def _operand_in_words(operand: str | int | float | Star | Query) -> str:
    match operand:
        case Query(source=FunctionCall(function=function), key=str(key)):
            return f"the {key} of {function}"
        case Query():
            return "the time between two dates"
        case _:
            return f'"{operand}"'


def _reduction_errors(query: Query, function: str, keys: KeyIndex) -> Iterator[str]:
    """Sums and means need numbers; minimum and maximum need an ordered type."""
    if query.distinct and query.key is None:
        yield f"DISTINCT needs a key of {function}"
        return
    if query.reduce is None or query.reduce is Reduce.LEN:
        return
    if query.key is None:
        has_several_keys = len(functions().keys_of(function).names) > 1
        if has_several_keys and isinstance(query.source, FunctionCall):
            yield f"{query.reduce} needs a key of {function} to reduce"
        return
    key = keys.key(query.key)
    reducible = _SUMMED if query.reduce in (Reduce.SUM, Reduce.AVG) else IN_ORDER
    if key and query.reduce is not Reduce.MODE and key.type not in reducible:
        yield f"{query.reduce} needs numbers, but the {key.name} of {function} has none"
    elif query.distinct and query.reduce in _OF_ALL_VALUES:
        yield f"{query.reduce} needs all values, but DISTINCT drops equal ones"


def _type_errors(
    target: Key | Parameter, function: str, value: object, codes: str = ""
) -> Iterator[str]:
    """Why `value` cannot be compared with a key, or passed as a parameter."""
    if fits(target.type, value, codes):
        return
    subject = f"the {target.name} of {function}"
    if target.type is Type.DATE:
        yield f"{subject}: {_time_error(str(value))}"
    elif target.type is Type.FLAG:
        yield f'{subject} is true or false, not "{value}"'
    else:
        yield f'{subject} must be a number, is "{value}"'


def fits(kind: Type, value: object, codes: str = "") -> bool:
    """Whether `value`, a literal of a program, can be of type `kind`; true for non-literals."""
    if not isinstance(value, (str, int, float)):
        return True
    text = str(value)
    match kind:
        case Type.DATE:
            return not _time_error(text)
        case Type.NUMBER:
            return as_number(value) is not None
        case Type.YEAR:
            return as_number(value) is not None or not _time_error(text)
        case Type.FLAG:
            return text.lower() in _FLAGS or is_code(codes, text)
        case _:
            return True


def _time_error(text: str) -> str:
    """Why a text is not a time; empty if it is one."""
    try:
        resolve(text, _SOME_TIME)
    except PeriodError as error:
        return str(error)
    return ""
