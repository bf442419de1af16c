"""How dates become a short answer: years, ages, what came before what."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from models.kg.english.compose import plain
from models.kg.english.movie.compose import distinct, films_in, same
from models.kg.execute import Outcome
from models.records import INVALID

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Involved:
    """Whether a person worked on a film before (`sign` -1) or after another one came out.

    The statements: the film's crew, when it came out, when the other one did. Where its crew shows
    others at that work, and not the person, the question's premise is false.
    """

    person: str
    sign: int

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        crew, first, second = outcomes
        if not crew.values or films_in(crew.rows) != 1:
            return None
        if not any(same(name, self.person) for name in crew.values):
            return INVALID
        dates = [distinct(first.values), distinct(second.values)]
        if any(len(each) != 1 for each in dates):
            return None
        own, other = str(dates[0][0]), str(dates[1][0])
        return plain((own < other) if self.sign < 0 else (own > other))


@dataclass(frozen=True, slots=True)
class OtherYear:
    """ "invalid question" where the one film of the title came out in quite another year."""

    year: int

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        years = {str(value) for value in outcomes[-1].values}
        if len(years) != 1 or len(outcomes[-1].rows) != 1:
            return None
        return INVALID if abs(int(years.pop()) - self.year) > 1 else None


@dataclass(frozen=True, slots=True)
class Years:
    """The years between the dates of two statements, as whole years."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        dates = [distinct(outcome.values) for outcome in outcomes]
        if any(len(each) != 1 for each in dates):
            return None
        years = [int(str(each[0])[:4]) for each in dates]
        return f"{abs(years[0] - years[-1])} years"


@dataclass(frozen=True, slots=True)
class Year:
    """The year of the last statement's one date."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        years = {str(value)[:4] for value in outcomes[-1].values}
        return years.pop() if len(years) == 1 else None


@dataclass(frozen=True, slots=True)
class Age:
    """How old a person is on a day, in whole years, by the last statement's one date."""

    on: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        born = {str(value) for value in outcomes[-1].values}
        if len(born) != 1 or not _DAY.fullmatch(min(born)):
            return None
        day = born.pop()
        return str(int(self.on[:4]) - int(day[:4]) - (self.on[5:] < day[5:]))


@dataclass(frozen=True, slots=True)
class AgeThen:
    """How old a person was in a year: the first statement's date, and the last one's first value.

    `exact`: the last one's value is a day, and the age is that of this day.
    """

    exact: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        born, then = (distinct(outcome.values) for outcome in (outcomes[0], outcomes[-1]))
        if len(born) != 1 or not then or (self.exact and len(then) != 1):
            return None
        if self.exact:
            return Age(str(then[0]))(outcomes[:1]) if _DAY.fullmatch(str(then[0])) else None
        return str(int(str(then[0])[:4]) - int(str(born[0])[:4]))


@dataclass(frozen=True, slots=True)
class InTime:
    """Yes or no: whether the last statement's one date is in a year, or before or after it.

    `sign`: 0 for in it, -1 for before, 1 for after. `day`: the whole date instead of a year.
    """

    year: int
    sign: int = 0
    day: str | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        dates = {str(value) for value in outcomes[-1].values}
        if len(dates) != 1:
            return None
        date = dates.pop()
        if self.day is not None:
            return plain(date == self.day)
        own = int(date[:4])
        return plain((own > self.year) - (own < self.year) == self.sign)
