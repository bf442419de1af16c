"""Calculations with two values of the KG: differences, ratios, and the time between dates.

One row per operator: its implementation and its English wording.
"""

import operator
import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any, NamedTuple

from dateutil.relativedelta import relativedelta

from models.english.dates import dates
from models.english.leading_quantities import (
    LeadingQuantity,
    comparable_numbers,
    leading_quantity,
)
from models.english.periods import PeriodError, resolve
from models.english.quantities import as_number
from models.kg.execution.decimals import exact_difference
from models.kg.schema.operations import Arithmetic

# A day, a month, or a year that nothing follows but a remark or the end of a span.
_ISO_DATE = re.compile(r"\d{4}-\d\d(?!\d)(?:-\d\d(?!\d))?|[12]\d{3}(?=\s*(?:$|[(\[–—-]))")
_UNITS = ("year", "month", "day")  # of a date, as far as it is known


class Calculation(NamedTuple):
    """A calculation with two numbers, and the word between them.

    Attributes:
        keeps_unit: the result of two numbers of dollars is dollars.
    """

    run: Callable[[float, float], float]
    english: str
    keeps_unit: bool = True


CALCULATIONS: dict[Arithmetic, Calculation] = {
    Arithmetic.MINUS: Calculation(exact_difference, "minus"),
    Arithmetic.RATIO: Calculation(operator.truediv, "divided by", keeps_unit=False),
}


def calculated(op: Arithmetic, left: Any, right: Any) -> int | float | None:
    """The result for two numbers, or two quantities that texts begin with, in the unit of the first
    one; None if a value is none, if they measure different things, or for a division by zero.

    >>> calculated(Arithmetic.MINUS, "$1,200", 200)
    1000
    >>> calculated(Arithmetic.MINUS, "3 km (2001)", "1200 m")
    1.8
    """
    numbers = _numbers(left, right)
    if numbers is None:
        return None
    try:
        result = CALCULATIONS[op].run(*numbers)
    except ZeroDivisionError:
        return None
    return int(result) if result.is_integer() else result


def _numbers(left: Any, right: Any) -> tuple[float, float] | None:
    """Two values as numbers of the same unit."""
    number = as_number(left)
    other_number = as_number(right)
    if number is not None and other_number is not None:
        return number, other_number
    quantity = _quantity(left)
    other_quantity = _quantity(right)
    if quantity is None or other_quantity is None:
        return None
    return comparable_numbers(quantity, other_quantity)


def _quantity(value: Any) -> LeadingQuantity | None:
    number = as_number(value)
    if number is not None:
        return LeadingQuantity(number, "", is_alone=True)
    return leading_quantity(value) if isinstance(value, str) else None


def time_between(one: Any, other: Any) -> str | None:
    """The time between two dates, in either order, by their common precision; None if a value is no
    date. It is "about" if one date is known less precisely.

    >>> time_between("1999-03-31", "2003-05-15")
    '4 years, 1 month and 15 days'
    >>> time_between(2003, "1999-03-31")
    'about 4 years'
    """
    texts = [iso_date(one), iso_date(other)]
    if "" in texts:
        return None
    length = min(map(len, texts))
    try:
        begin, end = sorted(_first_day(text[:length]) for text in texts)
    except ValueError:  # the KG has impossible dates, too
        return None
    delta = relativedelta(end, begin)
    counts = (delta.years, delta.months, delta.days)
    known_units = _UNITS[: _count_of_parts(length)]
    parts = []
    for count, unit in zip(counts, known_units, strict=False):
        if count:
            parts.append(f"{count} {unit}" if count == 1 else f"{count} {unit}s")
    if not parts:
        parts = [f"0 {known_units[-1]}s"]
    duration = parts[-1]
    if len(parts) > 1:
        duration = f"{', '.join(parts[:-1])} and {duration}"
    return duration if len(texts[0]) == len(texts[1]) else f"about {duration}"


def _count_of_parts(length: int) -> int:
    """How many of year, month and day an ISO date of that length has."""
    return {4: 1, 7: 2}.get(length, 3)


def iso_date(value: Any) -> str:
    """The first date in a value, as far as known: "1999-03-31", "1999"; empty without any, and for
    a text that begins with a quantity.

    >>> iso_date("March 31, 1999 (aged 4)")
    '1999-03-31'
    """
    text = str(value).strip()
    match = _ISO_DATE.match(text)
    if match:
        return match[0]
    if leading_quantity(text) is not None:
        return ""
    for written_date in dates(text.lower()):
        if written_date.year is None or written_date.year < 1000:
            continue
        numbers = [written_date.year, written_date.month, written_date.day]
        known = numbers[: numbers.index(None)] if None in numbers else numbers
        return "-".join(f"{number:02}" for number in known)
    return ""


def date_of_phrase(phrase: str, now: datetime | None) -> str:
    """The day, month or year that a time phrase means, as an ISO date.

    Raises:
        PeriodError: it means more than that, or depends on `now`, which is unknown.
    """
    period = resolve(phrase, now)
    if period.first == period.last:
        return period.first.isoformat()
    for length in (7, 4):
        text = period.first.isoformat()[:length]
        whole = resolve(text, now)
        if period.edge is None and (whole.first, whole.last) == (period.first, period.last):
            return text
    raise PeriodError(f'"{phrase}" is no single day, month or year')


def _first_day(text: str) -> date:
    """The first day of a year or month, or the day.

    Raises:
        ValueError: there is no such day.
    """
    numbers = [int(number) for number in text.split("-")]
    return date(*numbers, *([1] * (3 - len(numbers))))
