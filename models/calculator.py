"""A calculator for expressions written by a model (electricsheep §4.3): `simpleeval`, with limits.

    (102.5 - 98) / 98 * 100                        round(mean([12, 15, 19]), 1)
    3 × 4 ÷ 2^2 =                                   25% of 80
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

CalculatorValue = int | float | bool | str | date | tuple["CalculatorValue", ...]

MAX_CHARS = 1000
MAX_DEPTH = 20
MAX_DIGITS = 50  # of an integer; market values in any currency have 17
MAX_TEXT = 200  # characters of a text value
_NODES: tuple[type[ast.AST], ...] = (
    ast.Expr,
    ast.Constant,
    ast.Name,
    ast.Subscript,
    ast.Call,
    ast.keyword,
    ast.UnaryOp,
    ast.BinOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
)
# What simpleeval and Python's own functions raise for an expression that has no value.
_NO_VALUE = (
    simpleeval.InvalidExpression,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
_SHOWN = 100  # characters of an expression that may be in simpleeval's own messages
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
# Signs of arithmetic as people and models write them, as Python's.
_SIGNS = str.maketrans(
    {
        "\u00d7": "*",
        "\u00b7": "*",
        "\u22c5": "*",
        "\u2715": "*",
        "\u2217": "*",
        "\u2219": "*",
        "\u00f7": "/",
        "\u2215": "/",
        "\u2044": "/",
        "\u2212": "-",
        "\u2010": "-",
        "\u2011": "-",
        "\u2012": "-",
        "\u2013": "-",
        "\u2014": "-",
        "^": "**",
        "\u00b2": "**2",
        "\u00b3": "**3",
    }
)
# An x between numbers, but not that of "0x10", a number in base 16.
_TIMES = re.compile(r"(?<=[\d)%])(?:\s+|(?<!\b0))[xX]\s*(?=[\d(.+-]|[A-Za-z]+\()")
# Hundredths; "7 % -3" is the rest of a division.
_PERCENT = re.compile(
    r"(?P<number>\d+(?:\.\d*)?|\.\d+|\))"
    r"(?:%(?:\s*of\b|(?!\s*[\w(.]))|\s+%(?:\s*of\b|(?=\s*(?:$|[)*/,]))))"
)
_HALVES = {"\u00bd": "0.5", "\u00bc": "0.25", "\u00be": "0.75"}
_HALF = re.compile(r"(?<![\w.])[\u00bd\u00bc\u00be]")
_EQUALS_AT_END = re.compile(r"\s*=+\s*\??\s*$")
_EQUALS_AT_BEGINNING = re.compile(r"^\s*=\s*(?!=)")
_THOUSANDS = re.compile(r"(?<![\w.])\d{1,3},\d{3}(?!\d)")


class CalculationError(CragError):
    """An expression that is rejected or has no value."""


def evaluate(expression: str) -> CalculatorValue:
    """The value of `expression`, as in Python; a list is returned as a tuple.

    `× ÷ − ^ ² ½` are read as people write them, a number before `%` as hundredths unless another
    number follows, and a sign of equality at the beginning or the end is ignored.

    Raises:
        CalculationError: `expression` is not an expression, contains a forbidden construct, is too
            large, or has no finite value.
    """
    tree = _syntax_tree(expression)
    try:
        return _bounded(_Calculator().eval(expression.strip()[:_SHOWN], tree))
    except _NO_VALUE as error:
        raise CalculationError(f"no value: {error!s:.300}") from error


def _syntax_tree(expression: str) -> ast.AST:
    """The syntax tree of an expression whose length and nesting are within the limits."""
    text = expression.strip()
    if not text:
        raise CalculationError("the expression is empty")
    if len(text) > MAX_CHARS:
        raise CalculationError(f"{len(text)} characters; at most {MAX_CHARS} are allowed")
    if "\\" in text:
        raise CalculationError("a backslash is not allowed")
    without_texts = _QUOTED.sub("''", text)
    ambiguous = _THOUSANDS.search(without_texts)
    if ambiguous:
        # Python reads 1,234 as two numbers; the model may have meant one.
        raise CalculationError(f"{ambiguous[0]!r} may be one number or two: write 1234, or 1, 234")
    _check_depth(without_texts)
    try:
        return ast.parse(_in_python(text), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CalculationError(f"not an expression: {error}") from error


def _in_python(text: str) -> str:
    """`text` with Python's signs of arithmetic; what is in quotation marks stays as it is."""
    text = _EQUALS_AT_BEGINNING.sub("", _EQUALS_AT_END.sub("", text))
    parts = []
    end = 0
    for quoted in _QUOTED.finditer(text):
        parts += [_signs_in_python(text[end : quoted.start()]), quoted[0]]
        end = quoted.end()
    return "".join([*parts, _signs_in_python(text[end:])])


def _signs_in_python(text: str) -> str:
    text = _HALF.sub(lambda half: _HALVES[half[0]], text.translate(_SIGNS))
    return _PERCENT.sub(_hundredths, _TIMES.sub(" * ", text))


def _hundredths(percent: re.Match[str]) -> str:
    """A share in percent as a number, "25% of" as a factor."""
    factor = " * " if percent[0].endswith("of") else ""
    if percent["number"] == ")":
        return f") / 100{factor}"
    return f"({percent['number']} / 100){factor}"


def _check_depth(text: str) -> None:
    depth = 0
    for char in text:
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        if depth > MAX_DEPTH:
            raise CalculationError(f"nested more than {MAX_DEPTH} deep")


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


def _checked_number(value: Any) -> int | float:
    """`value`, if it is a number."""
    if not isinstance(value, int | float):
        raise CalculationError(f"a number is needed, not {type(value).__name__}")
    return value


def _flat_arguments(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments, or the members of a list that is the only argument."""
    only_a_list = len(arguments) == 1 and isinstance(arguments[0], tuple)
    values: tuple[Any, ...] = arguments[0] if only_a_list else arguments
    if not values:
        raise CalculationError("a function of no values")
    return values


def _power(base: Any, exponent: Any) -> Any:
    """`base ** exponent`; rejected before it is computed if the result would be huge."""
    base = _checked_number(base)
    exponent = _checked_number(exponent)
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and exponent > 0 and abs(base) > 1:
        digits = exponent * math.log10(abs(base))
        if digits > MAX_DIGITS + 1:
            raise CalculationError(f"a power of more than {MAX_DIGITS} digits")
    return base**exponent


def _date_arithmetic(operator: type[ast.operator], day: date, other: Any) -> Any:
    """A date plus or minus days, or the days between two dates."""
    if operator is ast.Sub and isinstance(other, date):
        return (day - other).days
    days = timedelta(days=_checked_number(other))
    if operator is ast.Add:
        return day + days
    if operator is ast.Sub:
        return day - days
    raise CalculationError("only days can be added to or subtracted from a date")


def _round(value: Any, ndigits: Any = None) -> Any:
    if ndigits is not None and not (isinstance(ndigits, int) and abs(ndigits) <= MAX_DIGITS):
        raise CalculationError(f"round takes at most {MAX_DIGITS} places")
    return round(_checked_number(value), ndigits)


def _date(*arguments: Any) -> date:
    """The date of an ISO text, of a date, or of a year, a month and a day."""
    if len(arguments) == 1 and isinstance(arguments[0], str):
        return date.fromisoformat(arguments[0])
    if len(arguments) == 1 and isinstance(arguments[0], date):
        return arguments[0]
    return date(*arguments)


def _days_between(first: Any, second: Any) -> int:
    return abs((_date(second) - _date(first)).days)


def _years_between(first: Any, second: Any) -> int:
    """Complete years, as ages are counted."""
    early, late = sorted((_date(first), _date(second)))
    years = late.year - early.year
    if (late.month, late.day) < (early.month, early.day):
        years -= 1  # the last year is not complete
    return years


def _minimum(*arguments: Any) -> Any:
    return min(_flat_arguments(arguments))


def _maximum(*arguments: Any) -> Any:
    return max(_flat_arguments(arguments))


def _sum(*arguments: Any) -> Any:
    return sum(_flat_arguments(arguments))


def _mean(*arguments: Any) -> float:
    return statistics.fmean(_flat_arguments(arguments))


def _median(*arguments: Any) -> Any:
    return statistics.median(_flat_arguments(arguments))


def _sorted(values: Any, reverse: Any = False) -> list[Any]:
    return sorted(values, reverse=bool(reverse))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": abs,
    "round": _round,
    "int": int,
    "float": float,
    "floor": math.floor,
    "ceil": math.ceil,
    "sqrt": math.sqrt,
    "pow": _power,
    "min": _minimum,
    "max": _maximum,
    "sorted": _sorted,
    "len": len,
    "sum": _sum,
    "mean": _mean,
    "median": _median,
    "date": _date,
    "days_between": _days_between,
    "years_between": _years_between,
}
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_UNARY = (ast.USub, ast.UAdd, ast.Not)
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)


class _Calculator(simpleeval.SimpleEval):  # type: ignore[misc]
    """`simpleeval` with fewer node types, and a limit on every value."""

    def __init__(self) -> None:
        operators: dict[type[ast.AST], Any] = {ast.Pow: _power}
        for operator in (*_ARITHMETIC, *_UNARY, *_COMPARISONS):
            operators[operator] = simpleeval.DEFAULT_OPERATORS[operator]
        super().__init__(operators, dict(FUNCTIONS), {"true": True, "false": False})
        all_nodes = self.nodes
        self.nodes: dict[type[ast.AST], Any] = {node: all_nodes[node] for node in _NODES}
        self.nodes[ast.List] = self._members
        self.nodes[ast.Tuple] = self._members

    def _eval_binop(self, node: ast.BinOp) -> Any:
        first = self._eval(node.left)
        second = self._eval(node.right)
        operator = type(node.op)
        if isinstance(first, date):
            return _date_arithmetic(operator, first, second)
        return self.operators[operator](_checked_number(first), _checked_number(second))

    def _eval(self, node: ast.AST) -> Any:
        if isinstance(node, ast.keyword):
            return super()._eval(node)
        if isinstance(node, ast.Name) and node.id in FUNCTIONS:
            raise CalculationError(f"{node.id!r} is a function: give it arguments")
        return _bounded(super()._eval(node))

    def _members(self, node: ast.List | ast.Tuple) -> tuple[Any, ...]:
        return tuple(map(self._eval, node.elts))
