"""How facts of infoboxes become a short answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from models.kg.english.open.values import (
    bare,
    count,
    day,
    figure,
    floors,
    members,
    unit_of,
    years_between,
)
from models.kg.execute import Outcome
from utils.text import stem, words


def _values(outcomes: Sequence[Outcome]) -> list[str]:
    """The values of the last statement, without sections of a list that has any."""
    return [str(value) for value in outcomes[-1].values]


@dataclass(frozen=True, slots=True)
class Text:
    """All values; `most`: the first so many of a list, which must have them."""

    most: int | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = _values(outcomes)
        if self.most is not None:
            values = [bare(value) for value in members(values)]
            if len(values) < self.most:
                return None
        values = [_without_years(value) for value in values[: self.most]]
        return ", ".join(dict.fromkeys(value for value in values if value != "unnamed")) or None


def _without_years(value: str) -> str:
    """A value without the years, or the number, in brackets at its end."""
    return re.sub(
        r"\s*\((?:(?:since |before |until )?\d{4}(?:\s?[–-]\s?(?:\d{4}|present))?"
        r"|\d{1,3}(?: each)?)\)$",
        "",
        value,
    )


@dataclass(frozen=True, slots=True)
class By:
    """Whom a value names behind "by": "29 May 1953, by A. One"; all of it without a date."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        text = ", ".join(_values(outcomes))
        found = re.search(r"\bby (?P<who>[^;]+)", text)
        return found["who"].strip(" ,.") if found else None if day(text) else text or None


@dataclass(frozen=True, slots=True)
class WithRole:
    """The member of a list of people that has one of these roles in brackets, or before a colon."""

    roles: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = [value for each in _values(outcomes) for value in members([each])]
        fitting = [
            value
            for value in values
            if re.search(rf"\([^()]*\b(?:{self.roles})\b[^()]*\)", value, re.I)
        ]
        return bare(fitting[0]) if len(fitting) == 1 else None


@dataclass(frozen=True, slots=True)
class Day:
    """The first date; `year`: its year alone."""

    year: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = _values(outcomes)
        found = next((read for read in map(day, values) if read), None)
        if found is None:
            return None
        if self.year:
            return found[:4].lstrip("0")
        return found if len(found) > 4 or not values[0].strip()[:1].isdigit() else values[0]


@dataclass(frozen=True, slots=True)
class Age:
    """The whole years from the first statement's date to the second's, or to `now`.

    `exact`: nothing where the dates are not exact enough to tell; else the years' difference.
    """

    now: date | None
    exact: bool = True

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        days = [day(outcome.values[0]) if outcome.values else None for outcome in outcomes]
        last = days[1] if len(days) > 1 and days[1] else (self.now and self.now.isoformat())
        years = years_between(days[0], last) if days[0] and last else None
        if years is None and days[0] and last and not self.exact:
            years = int(last[:4]) - int(days[0][:4])
        return None if years is None else str(years)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit: the value as it stands, where it says more than the number.

    `unit`: what the question asks it in; another one is converted.
    """

    key: str
    unit: str = ""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = _values(outcomes)
        read = figure(values[0], self.key) if values else None
        if read is None:
            return None
        if self.unit and read.unit and self.unit != read.unit:
            per = figure(f"1 {self.unit}")
            size = per.comparable if per else 0
            return f"{read.comparable / size:,.0f} {self.unit}" if size else None
        unit = unit_of(self.key)
        if unit and re.fullmatch(r"[-−+]?[\d.,]+", values[0]):
            return f"{values[0]} {unit}"
        return ", ".join(values)


@dataclass(frozen=True, slots=True)
class Count:
    """How many; `total`, `below`: of floors, those below the ground too, or only those."""

    of_floors: bool = False
    total: bool = False
    below: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = _values(outcomes)
        if self.of_floors:
            found = floors(values, total=self.total, below=self.below)
        else:
            found = count(values)
        return None if found is None else str(found)


@dataclass(frozen=True, slots=True)
class OneOf:
    """The one of several words or phrases that the value holds."""

    choices: tuple[str, ...]

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        said = {stem(word) for word in words(" ".join(_values(outcomes)))}
        held = [choice for choice in self.choices if {stem(w) for w in words(choice)} <= said]
        return held[0] if len(held) == 1 else None


@dataclass(frozen=True, slots=True)
class Holds:
    """Yes where the value holds these words; no where it holds one of `instead`, or cannot."""

    wanted: tuple[str, ...]
    instead: tuple[str, ...] = ()

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        said = {stem(word) for word in words(" ".join(_values(outcomes)))}
        if {stem(word) for word in self.wanted} <= said:
            return "yes"
        return "no" if any(stem(word) in said for word in self.instead) else None


@dataclass(frozen=True, slots=True)
class Degree:
    """Where a degree was taken: the member of a list of schools that names it in brackets.

    A single school without any degree settles it too.
    """

    degree: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        schools = _values(outcomes)
        if len(schools) == 1 and "(" not in schools[0]:
            return schools[0]
        fitting = [school for school in schools if re.search(self.degree, school, re.I)]
        return bare(fitting[0]) if len(fitting) == 1 else None
