"""What the calculator works with: values within bounds, and the functions over them."""

import math
import statistics
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from utils.errors import CragError

Value = int | float | bool | str | date | tuple["Value", ...]

MAX_DIGITS = 50  # of an integer; market values in any currency have 17
MAX_TEXT = 200


class CalculationError(CragError):
    """An expression is not one that may be worked out, or has no value."""


def bounded(value: Any) -> Value:
    """`value`, if it is of a kind and size that may be worked with."""
    if isinstance(value, list | tuple):
        return tuple(map(bounded, value))
    if isinstance(value, bool | date):
        return value
    if isinstance(value, int):
        if abs(value) >= 10**MAX_DIGITS:
            raise CalculationError(f"an integer of more than {MAX_DIGITS} digits")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise CalculationError("a number that is not finite")
        return value
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            raise CalculationError(f"a text of more than {MAX_TEXT} characters")
        return value
    raise CalculationError(f"{type(value).__name__} is not allowed")


def number(value: Any) -> int | float:
    if not isinstance(value, int | float):
        raise CalculationError(f"a number is needed, not {type(value).__name__}")
    return value


def power(base: Any, exponent: Any) -> Any:
    """`base ** exponent`, refused before it is computed where it would be huge."""
    whole = isinstance(base, int) and isinstance(exponent, int) and exponent > 0
    if whole and abs(base) > 1 and exponent * math.log10(abs(base)) > MAX_DIGITS + 1:
        raise CalculationError(f"a power of more than {MAX_DIGITS} digits")
    return base**exponent


def _numbers(values: tuple[Any, ...]) -> list[int | float]:
    """The arguments, or the one list that is given instead of them."""
    if len(values) == 1 and isinstance(values[0], tuple):
        values = values[0]
    if not values:
        raise CalculationError("of no numbers")
    return [number(value) for value in values]


def _chosen(choose: Callable[[Any], Any]) -> Callable[..., Any]:
    def of(*values: Any) -> Any:
        return choose(values[0] if len(values) == 1 and isinstance(values[0], tuple) else values)

    return of


def _round(value: Any, ndigits: Any = None) -> Any:
    if ndigits is not None and not (isinstance(ndigits, int) and abs(ndigits) <= MAX_DIGITS):
        raise CalculationError(f"round takes at most {MAX_DIGITS} places")
    return round(number(value), ndigits)


def _date(*parts: Any) -> date:
    if len(parts) == 1 and isinstance(parts[0], str):
        return date.fromisoformat(parts[0])
    return parts[0] if len(parts) == 1 and isinstance(parts[0], date) else date(*parts)


def _days_between(first: Any, second: Any) -> int:
    return abs((_date(second) - _date(first)).days)


def _years_between(first: Any, second: Any) -> int:
    """Whole years, as an age is counted."""
    early, late = sorted((_date(first), _date(second)))
    return late.year - early.year - ((late.month, late.day) < (early.month, early.day))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": lambda value: abs(number(value)),
    "round": _round,
    "int": int,
    "float": float,
    "floor": lambda value: math.floor(number(value)),
    "ceil": lambda value: math.ceil(number(value)),
    "sqrt": lambda value: math.sqrt(number(value)),
    "pow": lambda base, exponent: power(number(base), number(exponent)),
    "min": _chosen(min),
    "max": _chosen(max),
    "sorted": lambda values, reverse=False: sorted(values, reverse=bool(reverse)),
    "len": len,
    "sum": lambda *values: sum(_numbers(values)),
    "mean": lambda *values: statistics.fmean(_numbers(values)),
    "median": lambda *values: statistics.median(_numbers(values)),
    "date": _date,
    "days_between": _days_between,
    "years_between": _years_between,
}
KEYWORDS = {("round", "ndigits"), ("sorted", "reverse")}
