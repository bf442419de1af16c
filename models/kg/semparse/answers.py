"""How what a candidate's statements give becomes a short answer. Each composer is data.

A composer gives None where the outcomes settle nothing.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from models.kg.codes import in_words, is_named
from models.kg.execute import Outcome
from models.kg.operators import as_number, compare
from models.records import INVALID
from utils.text import find_run, words

SAME = "same"
_YEARS = re.compile(r"\b(?:1\d|20)\d\d\b")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CENTS_BELOW = 10_000  # dollars


class Composer(Protocol):
    def __call__(self, outcomes: Sequence[Outcome]) -> str | None: ...


def show(value: Any, kind: str) -> str:
    """A value as an answer says it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    number = as_number(value)
    if kind == "money" and number is not None:
        whole = number.is_integer() and abs(number) >= _CENTS_BELOW
        return f"${number:,.0f}" if whole else f"${number:,.2f}"
    if kind == "year":
        return str(value)[:4]
    if kind in ("language", "country"):
        return in_words(kind, value)
    if kind == "result":
        return in_words(kind, value).removeprefix("a ")
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(round(value, 4))
    return str(value)


def distinct(values: Sequence[Any]) -> list[Any]:
    """Each value once, as its words tell them apart."""
    seen: dict[str, Any] = {}
    for value in values:
        seen.setdefault(" ".join(words(str(value))) or str(value), value)
    return list(seen.values())


def values_of(outcomes: Sequence[Outcome]) -> list[Any]:
    return [value for o in outcomes for value in o.values if not isinstance(value, dict)]


@dataclass(frozen=True, slots=True)
class Values:
    """All values, each once: of the last statement, or of `all_of` them; `most` of them at most.
    `last`: the key whose last member is meant; `rows`: a sum of no rows at all is none."""

    kind: str
    most: int | None = None
    all_of: bool = False
    last: str = ""
    rows: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if self.rows and not outcomes[-1].rows:
            return None
        if self.last:
            return self._end(outcomes[-1])
        values = distinct(values_of(outcomes if self.all_of else outcomes[-1:]))
        return ", ".join(show(value, self.kind) for value in values[: self.most]) or None

    def _end(self, outcome: Outcome) -> str | None:
        """The last member of a list, such as the end of a span; None where it is not known."""
        found = outcome.taken[-1].get(self.last) if outcome.taken else None
        value = found[-1] if isinstance(found, list) and found else found
        return show(value, self.kind) if value not in (None, "") else None


@dataclass(frozen=True, slots=True)
class Count:
    """How many there are. `rows`: equal values count as often as they stand there; `text`: a text
    says how many, or lists them."""

    rows: bool = False
    text: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = values_of(outcomes)
        if not values and not any(o.complete for o in outcomes):
            return None
        if self.text and values:
            number = re.match(r"\d+\b(?![-–,.\d])", str(values[0]))
            if number is None and len(values) > 1:
                return str(len(distinct(values)))
            members = [m for m in re.split(r",|;|\band\b|\n", str(values[0])) if m.strip()]
            return number[0] if number else str(len(members))
        return str(len(values if self.rows else distinct(values)))


@dataclass(frozen=True, slots=True)
class Common:
    """What the values of all statements share, or how many; `polar`: whether there is any."""

    kind: str
    count: bool = False
    polar: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if not all(o.entities for o in outcomes):
            return None
        each = [{tuple(words(str(v))) for v in o.values} for o in outcomes]
        shared = [v for v in outcomes[0].values if all(tuple(words(str(v))) in s for s in each)]
        if self.polar:
            return "yes" if shared else "no"
        if self.count:
            return str(len(distinct(shared)))
        return ", ".join(show(value, self.kind) for value in distinct(shared)) or None


class Measure(StrEnum):
    """What a thing weighs in a comparison: its value, how many values it has, or their sum."""

    VALUE = "value"
    COUNT = "count"
    SUM = "sum"


def worth(outcome: Outcome, measure: Measure, absent: float | None) -> Any:
    """What a statement's result weighs; `absent`: without any value, of a thing that is known."""
    values = values_of([outcome])
    if not values:
        return absent if outcome.entities or outcome.complete else None
    if measure is Measure.COUNT:
        return len(distinct(values))
    if measure is Measure.SUM:
        return math.fsum(n for v in values if (n := as_number(v)) is not None)
    return values[0]


def _sides(worths: Sequence[Any]) -> list[Any]:
    """Worths as what can be compared: numbers, whole days, years, or the first number in a text."""
    numbers = [as_number(each) for each in worths]
    if None not in numbers:
        return list(numbers)
    texts = [str(each) for each in worths]
    if all(_DAY.match(text) for text in texts):
        return texts
    years = [_YEARS.findall(text) for text in texts]
    if all(years):
        return [int(found[0]) for found in years]
    found = [re.findall(r"[-−]?\d[\d,]*(?:\.\d+)?", text) for text in texts]
    if all(found):
        return [float(each[0].replace(",", "").replace("−", "-")) for each in found]
    return texts


@dataclass(frozen=True, slots=True)
class Most:
    """Which of two has more, or less. `polar`: whether it is the first one."""

    names: tuple[str, ...]
    least: bool = False
    measure: Measure = Measure.VALUE
    absent: float | None = None
    polar: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        worths = [worth(o, self.measure, self.absent) for o in outcomes]
        if None in worths:
            return None
        sign = compare(*_sides(worths))
        if sign is None:
            return None
        first = (sign < 0) if self.least else (sign > 0)
        if self.polar:
            return "yes" if first else "no"
        return SAME if sign == 0 else self.names[0 if first else 1]


@dataclass(frozen=True, slots=True)
class Equal:
    """Whether two things have the same value."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        each = [{tuple(words(str(v))) for v in o.values} for o in outcomes]
        return ("yes" if each[0] & each[1] else "no") if all(each) else None


def _years_between(first: str, last: str) -> str:
    """Full years from one day to another, both as "2024-03-01"."""
    return str(int(last[:4]) - int(first[:4]) - (last[5:10] < first[5:10]))


@dataclass(frozen=True, slots=True)
class Difference:
    """How far two values are apart: numbers, calendar years of dates, or full years ("age")."""

    kind: str
    measure: Measure = Measure.VALUE
    absent: float | None = None
    last: bool = False  # of several values, such as a start and an end, the last one

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        worths = [worth(o, self.measure, self.absent) for o in outcomes]
        if self.last:
            worths = [values[-1] if (values := values_of([o])) else None for o in outcomes]
        if None in worths:
            return None
        texts = sorted(map(str, worths))
        if self.kind == "age" and all(_DAY.match(text) for text in texts):
            return _years_between(*texts)
        if self.kind in ("date", "year", "age"):
            years = [_YEARS.findall(text) for text in texts]
            return str(abs(int(years[0][0]) - int(years[1][0]))) if all(years) else None
        left, right = _sides(worths)
        if isinstance(left, str) or isinstance(right, str):
            return None
        return show(round(abs(left - right), 4), self.kind)


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of the figures of all statements."""

    kind: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        numbers = [as_number(o.values[0]) if o.values else None for o in outcomes]
        known = [number for number in numbers if number is not None]
        return show(math.fsum(known), self.kind) if len(known) == len(outcomes) else None


@dataclass(frozen=True, slots=True)
class Itself:
    """A false premise: a team that plays against itself."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        return INVALID


@dataclass(frozen=True, slots=True)
class Is:
    """Whether one of the values is `wanted`, by any of its names (`codes`)."""

    wanted: str
    codes: str = ""
    negated: bool = False
    sure: bool = True  # that what is wanted is a value of this kind: else it is no ground for "no"

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = values_of(outcomes)
        if not values:
            return None
        same = any(is_named(self.codes, value, self.wanted) for value in values)
        if not same and not self.sure:
            return None
        return "yes" if same != self.negated else "no"


@dataclass(frozen=True, slots=True)
class Has:
    """Whether a word that the question asks with stands in a value; `stem`s are compared."""

    word: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = [w for v in values_of(outcomes) for w in words(str(v))]
        return ("yes" if any(w.startswith(self.word) for w in values) else "no") if values else None


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether there are any values of a thing that the KG knows."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if not any(o.entities or o.complete for o in outcomes):
            return None
        return "yes" if values_of(outcomes) else "no"


@dataclass(frozen=True, slots=True)
class Than:
    """Whether a value is below (`sign` -1), at (0) or above (1) a bound."""

    bound: str
    sign: int

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = values_of(outcomes)
        if not values:
            return None
        value = str(values[0])
        sign = compare(value[: len(self.bound)] if _DAY.match(value) else value, self.bound)
        return None if sign is None else "yes" if sign == self.sign else "no"


@dataclass(frozen=True, slots=True)
class Age:
    """Full years from a date of birth to a day ("2024-03-01")."""

    at: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = values_of(outcomes)
        if len(values) != 1 or not _DAY.match(str(values[0])):
            return None
        return _years_between(str(values[0]), self.at)


@dataclass(frozen=True, slots=True)
class Added:
    """The sum of the numbers that one value names: "75 (+2 below ground)"."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = values_of(outcomes)
        numbers = re.findall(r"\d[\d,]*", str(values[0])) if len(values) == 1 else []
        return str(sum(int(n.replace(",", "")) for n in numbers)) if numbers else None


@dataclass(frozen=True, slots=True)
class Clash:
    """A false premise: the question names something that the complete rows do not have."""

    name: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = [row for o in outcomes for row in o.rows]
        if not rows or not all(o.complete and o.values for o in outcomes):
            return None
        named = words(self.name)
        texts = [words(str(value)) for row in rows for value in row.values()]
        return None if any(find_run(named, text) >= 0 for text in texts) else INVALID


@dataclass(frozen=True, slots=True)
class Invalid:
    """A false premise: nothing is there, and the KG would know of it."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        return INVALID if all(o.complete and not o.values for o in outcomes) else None


def compose(composer: Composer, outcomes: Sequence[Outcome]) -> str | None:
    """The answer; None where a statement failed or came too late."""
    return None if any(o.errors for o in outcomes) else composer(outcomes)
