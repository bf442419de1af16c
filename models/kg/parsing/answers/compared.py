"""Composers that compare two things: which has more, and by how much they differ."""

import math
import re
from calendar import month_name
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from string import ascii_uppercase
from typing import Any

from models.kg.english.quantities import as_number
from models.kg.execution.execute import StatementResult
from models.kg.execution.row_operations import compare
from models.kg.lexicon.types import ValueType
from models.kg.parsing.answers.ages import ISO_DAY, years_between
from models.kg.parsing.answers.composer import distinct, values_of
from models.kg.parsing.answers.honours import times_won
from models.kg.wording.values import answer_text
from models.records import INVALID

SAME = "same"
_YEARS = re.compile(r"\b(?:1\d|20)\d\d\b")
_SCALED = r"(?!\d)(?: (?:thousand|million|billion|trillion))?"
# A number before its unit or year: "120,000 (2010 census)", "US$5 million"; not a day of a month.
_CURRENCY = r"(?:[A-Z]{1,3}(?=[$€£]))?[-−$€£]*"
_MONTHS = "|".join(month_name[1:])
_LEADING = re.compile(rf"{_CURRENCY}\d[\d,.]*(?<!\.){_SCALED}(?! (?:{_MONTHS}))")


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


def _quantity(outcome: StatementResult, measure: Measure, absent: float | None) -> Any:
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


def _comparable(quantities: Sequence[Any]) -> list[Any]:
    """Quantities in comparable form: numbers, whole days, years, or the first number in a text."""
    numbers = [as_number(each) for each in quantities]
    if None not in numbers:
        return list(numbers)
    texts = [str(each) for each in quantities]
    if all(ISO_DAY.match(text) for text in texts):
        return list(texts)
    leading = [_leading_number(text) for text in texts]
    if None not in leading:
        return list(leading)
    years = [_YEARS.findall(text) for text in texts]
    if all(years):
        return [int(of_text[0]) for of_text in years]
    return list(texts)


def _leading_number(text: str) -> float | None:
    match = _LEADING.match(text)
    return as_number(match[0].lstrip(ascii_uppercase).replace("−", "-")) if match else None


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

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        quantities = [self._quantity(outcome) for outcome in outcomes]
        if None in quantities:
            return None
        sign = compare(*_comparable(quantities))
        if sign is None:
            return None
        is_first = sign < 0 if self.least else sign > 0
        if self.type is ValueType.POLAR:
            return "yes" if is_first else "no"
        if sign == 0:
            return SAME
        return self.names[0] if is_first else self.names[1]

    def _quantity(self, outcome: StatementResult) -> Any:
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

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        quantities = [self._quantity(outcome) for outcome in outcomes]
        if None in quantities:
            return None
        if self.kind.is_time:
            return self._years(sorted(map(str, quantities)))
        left, right = _comparable(quantities)
        if isinstance(left, str) or isinstance(right, str):
            return None
        if self.percent:
            return f"{(right - left) / left:.2%}" if left else None
        if self._contradicts(left, right):
            return INVALID
        return answer_text(round(abs(left - right), 4), self.kind)

    def _quantity(self, outcome: StatementResult) -> Any:
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
