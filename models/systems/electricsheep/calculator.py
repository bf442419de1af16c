"""The value of an expression that a model writes (§4.3): `simpleeval`, with a limit on every value.

    (102.5 - 98) / 98 * 100                        round(mean([12, 15, 19]), 1)
    "first" if 3.2 > 2.9 else "second"             date("2024-03-10") - date("2024-02-01")

The text is parsed, never compiled. Its length has a limit, and so has each value on the way, so
that no expression takes long or much memory.
"""

import ast
import math
import operator
import re
import statistics
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any

import simpleeval

from utils.errors import CragError

CalculatorValue = int | float | bool | str | date | tuple["CalculatorValue", ...]

MAX_CHARS = 1000
MAX_DIGITS = 50  # of an integer; market values in any currency have 17
MAX_TEXT = 200  # characters of a text value
# What simpleeval and Python's own functions raise for an expression that has no value.
_NO_VALUE = (
    simpleeval.InvalidExpression,
    ArithmeticError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
_THOUSANDS = re.compile(r"(?<![\w.])\d{1,3},\d{3}(?!\d)")


class CalculationError(CragError):
    """An expression that is rejected or has no value."""


def evaluate(expression: str) -> CalculatorValue:
    """The value of `expression`, as in Python; a list is returned as a tuple.

    Raises:
        CalculationError: `expression` is not an expression, contains a forbidden construct, is too
            large, or has no finite value.
    """
    text = expression.strip()
    if len(text) > MAX_CHARS:
        raise CalculationError(f"{len(text)} characters; at most {MAX_CHARS} are allowed")
    if "\\" in text:
        raise CalculationError("a backslash is not allowed")
    ambiguous = _THOUSANDS.search(text)
    if ambiguous:
        # Python reads 1,234 as two numbers; the model may have meant one.
        raise CalculationError(f"{ambiguous[0]!r} may be one number or two: write 1234, or 1, 234")
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CalculationError(f"not an expression: {error!s:.300}") from error
    try:
        return _bounded(_calculator().eval(text, tree))
    except _NO_VALUE as error:
        raise CalculationError(f"no value: {error!s:.300}") from error


def _bounded(value: Any) -> CalculatorValue:
    """`value`, if its type and size are allowed."""
    if isinstance(value, list | tuple):
        return tuple(map(_bounded, value))
    if not isinstance(value, int | float | str | date):
        raise CalculationError(f"{type(value).__name__} is not allowed")
    if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
        raise CalculationError(f"an integer of more than {MAX_DIGITS} digits")
    if isinstance(value, float) and not math.isfinite(value):
        raise CalculationError("a number that is not finite")
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise CalculationError(f"a text of more than {MAX_TEXT} characters")
    return value


def _number(value: Any) -> int | float:
    """`value`, if it is a number."""
    if not isinstance(value, int | float):
        raise CalculationError(f"a number is needed, not {type(value).__name__}")
    return value


def _of_numbers(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`function` of two numbers: Python's `*` and `%` also take texts and lists."""
    return lambda first, second: function(_number(first), _number(second))


def _plus(first: Any, second: Any) -> Any:
    if isinstance(first, date):
        return first + timedelta(days=_number(second))
    return _number(first) + _number(second)


def _minus(first: Any, second: Any) -> Any:
    """A difference; of two dates, in days."""
    if isinstance(first, date) and isinstance(second, date):
        return (first - second).days
    if isinstance(first, date):
        return first - timedelta(days=_number(second))
    return _number(first) - _number(second)


def _power(base: int | float, exponent: int | float) -> Any:
    """`base ** exponent`; rejected before it is computed if the result would be huge."""
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and exponent > 0 and abs(base) > 1:
        digits = exponent * math.log10(abs(base))
        if digits > MAX_DIGITS + 1:
            raise CalculationError(f"a power of more than {MAX_DIGITS} digits")
    return base**exponent


def _round(value: Any, ndigits: Any = None) -> Any:
    if ndigits is not None and abs(_number(ndigits)) > MAX_DIGITS:
        raise CalculationError(f"round takes at most {MAX_DIGITS} places")
    return round(_number(value), ndigits)


def _of_values(function: Callable[[Any], Any]) -> Callable[..., Any]:
    """`function` of a list, which may be given as its members."""
    return lambda *values: function(values[0] if len(values) == 1 else values)


def _date(*arguments: Any) -> date:
    """The date of an ISO text, of a date, or of a year, a month and a day."""
    if len(arguments) > 1:
        return date(*arguments)
    (day,) = arguments
    return day if isinstance(day, date) else date.fromisoformat(day)


def _days_between(first: Any, second: Any) -> int:
    return abs((_date(second) - _date(first)).days)


def _years_between(first: Any, second: Any) -> int:
    """Complete years, as ages are counted."""
    early, late = sorted((_date(first), _date(second)))
    years = late.year - early.year
    if (late.month, late.day) < (early.month, early.day):
        years -= 1  # the last year is not complete
    return years


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": abs,
    "round": _round,
    "int": int,
    "float": float,
    "floor": math.floor,
    "ceil": math.ceil,
    "sqrt": math.sqrt,
    "pow": _of_numbers(_power),
    "min": min,
    "max": max,
    "sorted": sorted,
    "len": len,
    "sum": _of_values(sum),
    "mean": _of_values(statistics.fmean),
    "median": _of_values(statistics.median),
    "date": _date,
    "days_between": _days_between,
    "years_between": _years_between,
}
_OPERATORS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: _plus,
    ast.Sub: _minus,
    ast.Mult: _of_numbers(operator.mul),
    ast.Div: _of_numbers(operator.truediv),
    ast.FloorDiv: _of_numbers(operator.floordiv),
    ast.Mod: _of_numbers(operator.mod),
    ast.Pow: _of_numbers(_power),
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda member, values: member in values,
    ast.NotIn: lambda member, values: member not in values,
}
_NODES: tuple[type[ast.AST], ...] = (
    ast.Constant,
    ast.Name,
    ast.List,
    ast.Tuple,
    ast.Subscript,
    ast.Call,
    ast.keyword,
    ast.UnaryOp,
    ast.BinOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
)


def _calculator() -> Any:
    """`simpleeval` with these operators, functions and nodes, and a check of every node's value."""
    calculator = simpleeval.EvalWithCompoundTypes(dict(_OPERATORS), {}, {})
    calculator.functions = dict(FUNCTIONS)
    calculator.nodes = {node: _checked(calculator.nodes[node]) for node in _NODES}
    return calculator


def _checked(evaluate_node: Callable[[Any], Any]) -> Callable[[Any], CalculatorValue]:
    """`evaluate_node`, whose value is within the limits."""
    return lambda node: _bounded(evaluate_node(node))
