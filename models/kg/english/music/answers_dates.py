"""How the dates of artists and songs become a short answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from models.kg.execute import Outcome

_SURE_SHARE = 0.75  # of members whose birth must be known to say who is the oldest
FULL_DATE = 10  # characters of YYYY-MM-DD


def first_text(outcome: Outcome) -> str | None:
    """The first value of a statement as text, None without one."""
    return str(outcome.values[0]) if outcome.values else None


def order(one: str, other: str) -> int:
    """-1, 0 or 1 as a date is before another, as far as both are known."""
    shared = min(len(one), len(other))
    left, right = one[:shared], other[:shared]
    return (left > right) - (left < right)


def years_between(first: str, second: str) -> int:
    """Whole years from one date to a later one; of bare years their difference."""
    years = int(second[:4]) - int(first[:4])
    shared = min(len(first), len(second))
    return years - (shared > len("YYYY") and second[4:shared] < first[4:shared])


def lifespan(outcome: Outcome) -> tuple[str | None, str | None]:
    """Begin and end of the first artist of whom either is known."""
    for row in outcome.rows:
        span = row.get("lifespan")
        if isinstance(span, list) and len(span) == 2 and any(span):
            return (str(span[0]) if span[0] else None, str(span[1]) if span[1] else None)
    return None, None


@dataclass(frozen=True, slots=True)
class Year:
    """The year of the one date."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        value = first_text(outcomes[-1])
        return value[:4] if value else None


@dataclass(frozen=True, slots=True)
class Began:
    """When an artist began. A day that is known is a person's birth unless `band`: no answer."""

    band: bool
    year: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        value = first_text(outcomes[-1])
        if value is None or (len(value) == FULL_DATE and not self.band):
            return None
        return value[:4] if self.year else value


@dataclass(frozen=True, slots=True)
class Edge:
    """Which of `names` has the earliest date, or the latest: one each statement."""

    names: tuple[str, ...]
    latest: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        dates = [first_text(outcome) for outcome in outcomes]
        if None in dates or len(dates) != len(self.names):
            return None
        found = edge([(d, n) for d, n in zip(dates, self.names, strict=True) if d], self.latest)
        return found[0] if len(found) == 1 else None


def edge(dated: Sequence[tuple[str, str]], latest: bool) -> list[str]:
    """The names with the earliest or latest date, several where they are equal."""
    sign = -1 if latest else 1
    return [
        name for date, name in dated if all(sign * order(date, other) <= 0 for other, _ in dated)
    ]


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """The name of the row with the earliest date of `key`, or the latest; most must be known."""

    key: str
    latest: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = outcomes[-1].rows
        dated = [(str(row[self.key]), str(row["name"])) for row in rows if row.get(self.key)]
        if not rows or len(dated) < _SURE_SHARE * len(rows):
            return None
        found = edge(dated, self.latest)
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Sooner:
    """Yes or no: whether the first date is before the second; after it, if `later`."""

    later: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        first, second = (first_text(outcome) for outcome in outcomes[:2])
        if first is None or second is None or order(first, second) == 0:
            return None
        return "yes" if (order(first, second) > 0) == self.later else "no"


@dataclass(frozen=True, slots=True)
class Same:
    """Yes or no: whether all statements have one value, as far as `letters` go."""

    letters: int | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = [first_text(outcome) for outcome in outcomes]
        if None in values:
            return None
        return "yes" if len({str(value)[: self.letters] for value in values}) == 1 else "no"


@dataclass(frozen=True, slots=True)
class Apart:
    """How many years lie between the dates of two statements."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        dates = sorted(value for o in outcomes[:2] if (value := first_text(o)))
        return str(years_between(*dates)) if len(dates) == 2 else None


@dataclass(frozen=True, slots=True)
class Since:
    """How many whole years lie between the date and the time of the question."""

    at: datetime | None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        value = first_text(outcomes[-1])
        if value is None or self.at is None:
            return None
        years = years_between(value, self.at.date().isoformat())
        return f"{years} years" if years > 0 else None


@dataclass(frozen=True, slots=True)
class Within:
    """Yes or no: whether a date lies from `low` to `high`, dates cut to what was said.

    Of a song the KG may have the date of a later edition, never an earlier one: unless `exact`,
    that it came out before a time is certain, and that it did not is not.
    """

    low: str | None
    high: str | None
    exact: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        value = first_text(outcomes[-1])
        if value is None or any(len(value) < len(end) for end in (self.low, self.high) if end):
            return None
        if self.low is not None and value[: len(self.low)] < self.low:
            return "no"
        if self.high is None or value[: len(self.high)] <= self.high:
            return "yes"
        return "no" if self.exact else None
