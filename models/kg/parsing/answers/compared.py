"""Composers that compare two things: which has more, and by how much they differ."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from models.english.leading_quantities import comparable_numbers, leading_quantity
from models.english.quantities import as_number
from models.kg.execution.outcome import Outcome
from models.kg.execution.row_operations import compare
from models.kg.lexicon.types import ValueType
from models.kg.parsing.answers.ages import ISO_DAY, years_between
from models.kg.parsing.answers.composer import distinct, values_of
from models.kg.parsing.answers.honours import times_won
from models.kg.wording.value_text import answer_text
from models.records import INVALID

SAME = "same"
_YEARS = re.compile(r"\b(?:1\d|20)\d\d\b")
# A date in ISO format: a day, or a month.
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?(?!\d)")


class Measure(StrEnum):
    """The quantity compared: a thing's value, the last one, the number of its values, their sum."""

    VALUE = "value"
    LAST = "last"
    COUNT = "count"
    SUM = "sum"


class Greater(StrEnum):
    """Which of two numbers must be the greater one, as the question supposes."""

    FIRST = "first"
    SECOND = "second"
    EITHER = "either"


def _quantity(outcome: Outcome, measure: Measure, absent: float | None) -> Any:
    """The quantity of a statement's result; `absent` for a known thing without values."""
    values = values_of([outcome])
    if not values:
        return absent if outcome.entities or outcome.complete else None
    match measure:
        case Measure.COUNT:
            return len(distinct(values))
        case Measure.SUM:
            numbers = [as_number(value) for value in values]
            return math.fsum(number for number in numbers if number is not None)
        case Measure.LAST:
            return values[-1]
    return values[0]


def _comparable(left: Any, right: Any) -> tuple[Any, Any] | None:
    """Two quantities in comparable form: numbers, dates of equal precision, years, or the numbers
    of the quantities that two texts begin with, in one unit. None if they cannot be compared."""
    number = as_number(left)
    other_number = as_number(right)
    if number is not None and other_number is not None:
        return number, other_number
    date = _DATE.match(str(left))
    other_date = _DATE.match(str(right))
    if date and other_date:
        return _in_common_precision(date[0], other_date[0])
    quantity = leading_quantity(str(left))
    other_quantity = leading_quantity(str(right))
    if quantity is not None and other_quantity is not None:
        return comparable_numbers(quantity, other_quantity)
    years = _YEARS.search(str(left))
    other_years = _YEARS.search(str(right))
    if not years or not other_years:
        return None
    if years[0] == other_years[0] and (date or other_date):
        return None  # a year, and a day of it
    return int(years[0]), int(other_years[0])


def _in_common_precision(date: str, other: str) -> tuple[str, str] | None:
    """Two dates, the longer one cut; None if it is unknown which is later: 2001 and 2001-05-04."""
    length = min(len(date), len(other))
    if len(date) != len(other) and date[:length] == other[:length]:
        return None
    return date[:length], other[:length]


def _are_all_absent(outcomes: Sequence[Outcome]) -> bool:
    """Whether no statement has a value: two absent values are not the same."""
    return not any(values_of([outcome]) for outcome in outcomes)


@dataclass(frozen=True, slots=True)
class Most:
    """Which of two has more, or less; of type `POLAR`, whether it is the first one.

    Attributes:
        title: of lists of honours, the title whose number is compared, by the stems of its words.
    """

    names: tuple[str, ...]
    least: bool = False
    measure: Measure = Measure.VALUE
    absent: float | None = None
    title: tuple[str, ...] = ()
    type: ValueType = ValueType.WHICH

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if _are_all_absent(outcomes):
            return None
        left, right = map(self._quantity, outcomes)
        comparable = _comparable(left, right) if None not in (left, right) else None
        sign = compare(*comparable) if comparable else None
        if sign is None:
            return None
        is_first = sign < 0 if self.least else sign > 0
        if self.type is ValueType.POLAR:
            return "yes" if is_first else "no"
        if sign == 0:
            return SAME
        return self.names[0] if is_first else self.names[1]

    def _quantity(self, outcome: Outcome) -> Any:
        if self.title:
            return times_won(values_of([outcome]), self.title)
        return _quantity(outcome, self.measure, self.absent)


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two values: numbers, calendar years of dates, or full years.

    Attributes:
        kind: the type of the values.
        last: of several values, such as a start and an end, the last one is used.
        full_years: of dates, such as an age; if only their years are known, calendar years.
        percent: from the first to the second.
        greater: which number must be greater; otherwise the premise is false.
    """

    kind: ValueType
    measure: Measure = Measure.VALUE
    absent: float | None = None
    last: bool = False
    full_years: bool = False
    percent: bool = False
    greater: Greater | None = None

    @property
    def type(self) -> ValueType:
        if self.measure is Measure.COUNT or self.kind.is_time:
            return ValueType.NUMBER
        return self.kind

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        quantities = [self._quantity(outcome) for outcome in outcomes]
        if None in quantities or _are_all_absent(outcomes):
            return None
        if self.kind.is_time:
            return self._years(sorted(map(str, quantities)))
        comparable = _comparable(*quantities)
        if comparable is None or isinstance(comparable[0], str):
            return None
        left, right = comparable
        if self.percent:
            return f"{(right - left) / left:.2%}" if left else None
        if self._contradicts(left, right):
            return INVALID
        return answer_text(round(abs(left - right), 4), self.kind)

    def _quantity(self, outcome: Outcome) -> Any:
        if not self.last:
            return _quantity(outcome, self.measure, self.absent)
        values = values_of([outcome])
        return values[-1] if values else None

    def _years(self, texts: list[str]) -> str | None:
        if self.full_years and all(ISO_DAY.match(text) for text in texts):
            return years_between(*texts)
        years = [_YEARS.findall(text) for text in texts]
        if not all(years):
            return None
        return str(abs(int(years[0][0]) - int(years[1][0])))

    def _contradicts(self, left: float, right: float) -> bool:
        """Whether the other number is greater than the question supposes, or none is."""
        match self.greater:
            case Greater.FIRST:
                return left <= right
            case Greater.SECOND:
                return left >= right
            case Greater.EITHER:
                return left == right
        return False
