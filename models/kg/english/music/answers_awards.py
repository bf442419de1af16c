"""How the Grammys' results become a short answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from models.kg.english.reading import Compose
from models.kg.execute import Outcome
from models.kg.operators import as_number
from models.records import INVALID
from utils.text import words

_FIRST_KNOWN = 1958  # born earlier, an artist may have been new when the KG's rows have gaps


@dataclass(frozen=True, slots=True)
class Always:
    """What needs no look-up: that a ceremony lies in the future."""

    said: str = INVALID

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        return self.said


@dataclass(frozen=True, slots=True)
class AllOf:
    """The values of all statements, in their order; every statement must have one."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if not all(outcome.values for outcome in outcomes):
            return None
        values = [str(value) for outcome in outcomes for value in outcome.values]
        return ", ".join(dict.fromkeys(values))


@dataclass(frozen=True, slots=True)
class Known:
    """What `then` says, where the awards have anything by the name."""

    then: Compose

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        dates = outcomes[-2:-1] if len(outcomes) > 2 else outcomes[-1:]
        return self.then(outcomes) if any(outcome.values for outcome in dates) else None


@dataclass(frozen=True, slots=True)
class AllKnown:
    """What `then` says of pairs of a count and the years, where the awards know every artist."""

    then: Compose

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        return self.then(outcomes) if all(each.values for each in outcomes[1::2]) else None


@dataclass(frozen=True, slots=True)
class Among:
    """Whether an artist is among the first statement's. The KG has all since the artist can have
    been new, unless the second says that they were born too early."""

    name: str
    yes: str = "yes"
    no: str = "no"

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if _is_among(self.name, outcomes[0].values):
            return self.yes
        if not outcomes[0].values or not outcomes[0].complete or _early(outcomes[1:2]):
            return None
        return self.no


@dataclass(frozen=True, slots=True)
class YearAmong:
    """The KG's year in which an artist was the best new one: "invalid question" if none."""

    name: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        awarded, born, years = outcomes[0], outcomes[1:2], outcomes[2]
        if not _is_among(self.name, awarded.values):
            return INVALID if awarded.complete and not _early(born) else None
        for row in years.rows:
            if _is_among(self.name, row.get("best_new_artist") or ()):
                return str(row["year"])
        return None


def _is_among(name: str, values: Sequence[Any]) -> bool:
    return any(words(str(value)) == words(name) for value in values)


def _early(born: Sequence[Outcome]) -> bool:
    return any(int(str(value)[:4]) < _FIRST_KNOWN for o in born for value in o.values)


def _within(total: Outcome, dates: Outcome, low: int | None, high: int | None) -> int | None:
    """How many Grammys were won from `low` to `high`. The KG has no numbers by year, so that all
    the years must lie within, or none."""
    years = [int(year) for year in dates.values]
    inside = [y for y in years if (low is None or y >= low) and (high is None or y <= high)]
    if not total.values or (inside and len(inside) != len(years)):
        return None
    return int(total.values[0]) if inside else 0


@dataclass(frozen=True, slots=True)
class Count:
    """How many Grammys an artist won from `low` to `high`.

    The statements: how many in all, the years, the artist's lifespan. What was won after `known`
    is not there.
    """

    low: int | None
    high: int | None
    known: int

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        total, dates, ended = outcomes
        count = _within(total, dates, self.low, self.high)
        return str(count) if count is not None and self._settled(ended) else None

    def _settled(self, ended: Outcome) -> bool:
        """Whether nothing asked for can have happened since the KG's last year."""
        if self.high is not None:
            return self.high <= self.known
        spans = [row.get("lifespan") for row in ended.rows]
        ends = [
            str(span[1]) for span in spans if isinstance(span, list) and len(span) > 1 and span[1]
        ]
        return bool(ends) and all(int(end[:4]) < self.known for end in ends)


@dataclass(frozen=True, slots=True)
class AnyWithin:
    """Yes or no: whether an artist won a Grammy from `low` to `high`."""

    low: int | None
    high: int | None
    known: int = 2019

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        years = [int(year) for year in outcomes[-1].values]
        if any(
            (self.low is None or y >= self.low) and (self.high is None or y <= self.high)
            for y in years
        ):
            return "yes"
        return "no" if self.high is None or self.high <= self.known else None


@dataclass(frozen=True, slots=True)
class Years:
    """The years, in order."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        years = sorted({int(year) for year in outcomes[-1].values})
        return ", ".join(str(year) for year in years) or None


def _each(outcomes: Sequence[Outcome], low: int | None, high: int | None) -> list[int] | None:
    """The numbers of several artists, of whom each has two statements: how many, and when."""
    pairs = zip(outcomes[::2], outcomes[1::2], strict=True)
    counts = [_within(total, dates, low, high) for total, dates in pairs]
    known = [count for count in counts if count is not None]
    return known if len(known) == len(counts) else None


@dataclass(frozen=True, slots=True)
class MoreThan:
    """Yes or no: whether the first artist won more Grammys than the second, or fewer."""

    low: int | None
    high: int | None
    fewer: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        counts = _each(outcomes[:4], self.low, self.high)
        if counts is None:
            return None
        first, second = counts
        return "yes" if (first < second if self.fewer else first > second) else "no"


@dataclass(frozen=True, slots=True)
class MostOf:
    """Which of `names` won the most Grammys, or the fewest."""

    names: tuple[str, ...]
    low: int | None
    high: int | None
    fewest: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        counts = _each(outcomes, self.low, self.high)
        if counts is None:
            return None
        best = min(counts) if self.fewest else max(counts)
        return self.names[counts.index(best)] if counts.count(best) == 1 else None


@dataclass(frozen=True, slots=True)
class SongCount:
    """How many Grammys a song won from `low` to `high`, or `yes` for any.

    The KG has only how many in all, up to `known`. None at all is no answer unless a time is named
    that the KG has in full: a song may be spelled otherwise, or be no song.
    """

    low: int | None
    high: int | None
    known: int
    yes: str | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        count = as_number(outcomes[-1].values[0]) if outcomes[-1].values else None
        bounded = self.high is not None and self.high <= self.known
        if count is None or (not count and not bounded):
            return None
        whole = self.low is None and (self.high is None or self.high >= self.known)
        if count and not whole:
            return None
        if self.yes is not None:
            return self.yes if count else "no"
        return str(int(count))


@dataclass(frozen=True, slots=True)
class Awarded:
    """The one of several artists who won a Grammy in `year`: the last statement has their years."""

    year: int

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        names = {
            str(row["name"])
            for row in outcomes[-1].rows
            if self.year in {int(year) for year in row.get("award_date") or ()}
        }
        return names.pop() if len(names) == 1 else None


@dataclass(frozen=True, slots=True)
class InAll:
    """How many Grammys several artists won together."""

    low: int | None
    high: int | None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        counts = _each(outcomes, self.low, self.high)
        return None if counts is None else str(sum(counts))


@dataclass(frozen=True, slots=True)
class Apart:
    """How many more Grammys one of two artists won than the other."""

    low: int | None
    high: int | None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        counts = _each(outcomes, self.low, self.high)
        return None if counts is None else str(abs(counts[0] - counts[1]))
