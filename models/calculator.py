"""A calculator for expressions written by a model (electricsheep §4.3): `simpleeval`, with limits.

    (102.5 - 98) / 98 * 100                        round(mean([12, 15, 19]), 1)
    "first" if 3.2 > 2.9 else "second"             date("2024-03-10") - date("2024-02-01")

The text is parsed, never compiled. Its length and nesting are limited before parsing, and every
intermediate value has an upper bound, so that no expression takes long or much memory.
"""

import ast
import math
import re
import statistics
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any

import simpleeval

from utils.errors import CragError

Value = int | float | bool | str | date | tuple["Value", ...]

MAX_CHARS = 1000
MAX_DEPTH = 20
MAX_DIGITS = 50  # of an integer; market values in any currency have 17
MAX_TEXT = 200
_NODES = (
    *(ast.Expr, ast.Constant, ast.Name, ast.Subscript, ast.Call, ast.keyword),
    *(ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp),
)
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_THOUSANDS = re.compile(r"(?<![\w.])\d{1,3},\d{3}(?!\d)")


class CalculationError(CragError):
    """An expression that is rejected or has no value."""


def evaluate(expression: str) -> Value:
    """The value of `expression`, as in Python; a list is returned as a tuple.

    Raises:
        CalculationError: it is not an expression, contains a forbidden construct, is too large, or
            has no finite value.
    """
    tree = _parse(expression)
    try:
        return _bounded(_Calculator().eval(expression.strip()[:100], tree))
    except (
        *(simpleeval.InvalidExpression, ArithmeticError, ValueError, TypeError, LookupError),
        *(AttributeError, RecursionError),
    ) as error:
        raise CalculationError(f"no value: {error!s:.300}") from error


def _parse(expression: str) -> ast.AST:
    text = expression.strip()
    if not text:
        raise CalculationError("the expression is empty")
    if len(text) > MAX_CHARS:
        raise CalculationError(f"{len(text)} characters; at most {MAX_CHARS} are read")
    if "\\" in text:
        raise CalculationError("a backslash is not allowed")
    bare = _QUOTED.sub("''", text)
    if found := _THOUSANDS.search(bare):
        # Python reads 1,234 as two numbers; which one was meant is unknown
        raise CalculationError(f"{found[0]!r} may be one number or two: write 1234, or 1, 234")
    depth = 0
    for char in bare:
        depth += (char in "([{") - (char in ")]}")
        if depth > MAX_DEPTH:
            raise CalculationError(f"nested more than {MAX_DEPTH} deep")
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CalculationError(f"not an expression: {error}") from error


def _bounded(value: Any) -> Value:
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
    if not isinstance(value, int | float):
        raise CalculationError(f"a number is needed, not {type(value).__name__}")
    return value


def _several(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments, or the single list given instead of them; neither may be empty."""
    found = values[0] if len(values) == 1 and isinstance(values[0], tuple) else values
    if not found:
        raise CalculationError("a function of no values")
    return found


def _power(base: Any, exponent: Any) -> Any:
    """`base ** exponent`; rejected before it is computed if the result would be huge."""
    base, exponent = _number(base), _number(exponent)
    whole = isinstance(base, int) and isinstance(exponent, int) and exponent > 0
    if whole and abs(base) > 1 and exponent * math.log10(abs(base)) > MAX_DIGITS + 1:
        raise CalculationError(f"a power of more than {MAX_DIGITS} digits")
    return base**exponent


def _shifted(operator: type[ast.operator], day: date, other: Any) -> Any:
    """A date plus or minus days, or the days between two dates."""
    if operator is ast.Sub and isinstance(other, date):
        return (day - other).days
    days = timedelta(days=_number(other))
    if operator not in (ast.Add, ast.Sub):
        raise CalculationError("to a date, days can be added, and no more")
    return day + days if operator is ast.Add else day - days


def _round(value: Any, ndigits: Any = None) -> Any:
    if ndigits is not None and not (isinstance(ndigits, int) and abs(ndigits) <= MAX_DIGITS):
        raise CalculationError(f"round takes at most {MAX_DIGITS} places")
    return round(_number(value), ndigits)


def _date(*parts: Any) -> date:
    if len(parts) == 1 and isinstance(parts[0], str):
        return date.fromisoformat(parts[0])
    return parts[0] if len(parts) == 1 and isinstance(parts[0], date) else date(*parts)


def _years_between(first: Any, second: Any) -> int:
    """Complete years, as ages are counted."""
    early, late = sorted((_date(first), _date(second)))
    return late.year - early.year - ((late.month, late.day) < (early.month, early.day))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": abs,
    "round": _round,
    "int": int,
    "float": float,
    "floor": math.floor,
    "ceil": math.ceil,
    "sqrt": math.sqrt,
    "pow": _power,
    "min": lambda *values: min(_several(values)),
    "max": lambda *values: max(_several(values)),
    "sorted": lambda values, reverse=False: sorted(values, reverse=bool(reverse)),
    "len": len,
    "sum": lambda *values: sum(_several(values)),
    "mean": lambda *values: statistics.fmean(_several(values)),
    "median": lambda *values: statistics.median(_several(values)),
    "date": _date,
    "days_between": lambda first, second: abs((_date(second) - _date(first)).days),
    "years_between": _years_between,
}
_OPERATORS = (
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.USub, ast.UAdd, ast.Not),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn),
)


class _Calculator(simpleeval.SimpleEval):  # type: ignore[misc]
    """`simpleeval` with fewer node types, and a limit on every value."""

    def __init__(self) -> None:
        operators: dict[type[ast.AST], Any] = {ast.Pow: _power}
        operators |= {kind: simpleeval.DEFAULT_OPERATORS[kind] for kind in _OPERATORS}
        super().__init__(operators, dict(FUNCTIONS), {"true": True, "false": False})
        known = self.nodes
        self.nodes: dict[type[ast.AST], Any] = {kind: known[kind] for kind in _NODES}
        self.nodes |= {ast.List: self._list, ast.Tuple: self._list}

    def _eval_binop(self, node: ast.BinOp) -> Any:
        left, right, kind = self._eval(node.left), self._eval(node.right), type(node.op)
        if isinstance(left, date):
            return _shifted(kind, left, right)
        return self.operators[kind](_number(left), _number(right))

    def _eval(self, node: ast.AST) -> Any:
        if isinstance(node, ast.keyword):
            return super()._eval(node)
        if isinstance(node, ast.Name) and node.id in FUNCTIONS:
            raise CalculationError(f"{node.id!r} is a function: give it arguments")
        return _bounded(super()._eval(node))

    def _list(self, node: ast.List | ast.Tuple) -> tuple[Any, ...]:
        return tuple(map(self._eval, node.elts))
