"""Composers that compare two things: which has more, and by how much they differ."""

import math
import re
from calendar import month_name
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from models.kg.english.quantities import as_number
from models.kg.execution.execute import StatementResult
from models.kg.execution.operators import compare
from models.kg.parsing.answers.values import DAY, distinct, values_of, years_between
from models.kg.wording.values import answer_text as show
from models.records import INVALID

SAME = "same"
_YEARS = re.compile(r"\b(?:1\d|20)\d\d\b")
_SCALED = r"(?!\d)(?: (?:thousand|million|billion|trillion))?"
# A number before its unit or year: "120,000 (2010 census)", "5 million"; not a day of a month.
_LEADING = re.compile(rf"[-−$€£]*\d[\d,.]*(?<!\.){_SCALED}(?! (?:{'|'.join(month_name[1:])}))")


class Measure(StrEnum):
    """The quantity compared: a thing's value, the last one, the number of its values, their sum."""

    VALUE = "value"
    LAST = "last"
    COUNT = "count"
    SUM = "sum"


def worth(outcome: StatementResult, measure: Measure, absent: float | None) -> Any:
    """The quantity of a statement's result; `absent`: for a known thing without values."""
    values = values_of([outcome])
    if not values:
        return absent if outcome.entities or outcome.complete else None
    if measure is Measure.COUNT:
        return len(distinct(values))
    if measure is Measure.SUM:
        return math.fsum(n for v in values if (n := as_number(v)) is not None)
    return values[-1 if measure is Measure.LAST else 0]


def _sides(worths: Sequence[Any]) -> list[Any]:
    """Quantities in comparable form: numbers, whole days, years, or the first number in a text."""
    numbers = [as_number(each) for each in worths]
    if None not in numbers:
        return list(numbers)
    texts = [str(each) for each in worths]
    if all(DAY.match(text) for text in texts):
        return texts
    leading = [_LEADING.match(text) for text in texts]
    figures = [as_number(m[0].replace("−", "-")) if m else None for m in leading]
    if None not in figures:
        return list(figures)
    years = [_YEARS.findall(text) for text in texts]
    return [int(found[0]) for found in years] if all(years) else texts


@dataclass(frozen=True, slots=True)
class Most:
    """Which of two has more, or less. `type` "polar": whether it is the first one."""

    names: tuple[str, ...]
    least: bool = False
    measure: Measure = Measure.VALUE
    absent: float | None = None
    type: str = "which"

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        worths = [worth(o, self.measure, self.absent) for o in outcomes]
        if None in worths:
            return None
        sign = compare(*_sides(worths))
        if sign is None:
            return None
        first = (sign < 0) if self.least else (sign > 0)
        if self.type == "polar":
            return "yes" if first else "no"
        return SAME if sign == 0 else self.names[0 if first else 1]


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two values: numbers, calendar years of dates, or full years ("age")."""

    kind: str
    measure: Measure = Measure.VALUE
    absent: float | None = None
    last: bool = False  # of several values, such as a start and an end, use the last one
    percent: bool = False  # from the first to the second
    more: str = ""  # which number must be greater: "max" the first, "min" the second, "either"

    @property
    def type(self) -> str:
        years = self.measure is Measure.COUNT or self.kind in ("age", "date", "year")
        return "number" if years else self.kind

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        worths = [worth(o, self.measure, self.absent) for o in outcomes]
        if self.last:
            worths = [values[-1] if (values := values_of([o])) else None for o in outcomes]
        if None in worths:
            return None
        texts = sorted(map(str, worths))
        if self.kind == "age" and all(DAY.match(text) for text in texts):
            return years_between(*texts)
        if self.kind in ("date", "year", "age"):
            years = [_YEARS.findall(text) for text in texts]
            return str(abs(int(years[0][0]) - int(years[1][0]))) if all(years) else None
        left, right = _sides(worths)
        if isinstance(left, str) or isinstance(right, str):
            return None
        if self.percent:
            return f"{(right - left) / left:.2%}" if left else None
        clash = {"max": left <= right, "min": left >= right, "either": left == right}
        if clash.get(self.more):
            return INVALID
        return show(round(abs(left - right), 4), self.kind)
