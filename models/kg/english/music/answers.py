"""How results about music become a short answer, where `compose.py` has nothing for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from models.kg.execute import Outcome
from models.records import INVALID
from utils.text import words

_SURE_SHARE = 0.75  # of members whose birth must be known to say who is the oldest
_FULL_DATE = 10  # characters of YYYY-MM-DD


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
        if value is None or (len(value) == _FULL_DATE and not self.band):
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
        found = _edge([(d, n) for d, n in zip(dates, self.names, strict=True) if d], self.latest)
        return found[0] if len(found) == 1 else None


def _edge(dated: Sequence[tuple[str, str]], latest: bool) -> list[str]:
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
        found = _edge(dated, self.latest)
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


@dataclass(frozen=True, slots=True)
class Age:
    """An artist's age at death, or, for one who lives, at the time of the question."""

    at: datetime | None
    death: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        born, ended = _lifespan(outcomes[-1])
        if born is None or len(born) < _FULL_DATE:
            return None
        if self.death:
            return str(years_between(born, ended)) if ended else INVALID
        if ended or self.at is None:
            return None
        return str(years_between(born, self.at.date().isoformat()))


@dataclass(frozen=True, slots=True)
class Ended:
    """When an artist ended. Of a person who is born on a known day and has no end, and so lives,
    `alive` is said."""

    alive: str | None = INVALID
    year: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        born, ended = _lifespan(outcomes[-1])
        if ended:
            return ended[:4] if self.year else ended
        return self.alive if born and len(born) == _FULL_DATE else None


@dataclass(frozen=True, slots=True)
class Lives:
    """Whether an artist has no end: `yes`, else `no`."""

    yes: str = "yes"
    no: str = "no"

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        born, ended = _lifespan(outcomes[-1])
        if ended:
            return self.no
        return self.yes if born else None


@dataclass(frozen=True, slots=True)
class Lasted:
    """How many years lie between an artist's begin and end; up to `at` if there is none."""

    at: datetime | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        born, ended = _lifespan(outcomes[-1])
        if born and not ended and self.at is not None:
            ended = self.at.date().isoformat()
        return str(years_between(born, ended)) if born and ended else None


@dataclass(frozen=True, slots=True)
class Span:
    """When an artist began and ended."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        born, ended = _lifespan(outcomes[-1])
        return f"{born} to {ended}" if born and ended else None


def _lifespan(outcome: Outcome) -> tuple[str | None, str | None]:
    """Begin and end of the first artist of whom either is known."""
    for row in outcome.rows:
        span = row.get("lifespan")
        if isinstance(span, list) and len(span) == 2 and any(span):
            return (str(span[0]) if span[0] else None, str(span[1]) if span[1] else None)
    return None, None


@dataclass(frozen=True, slots=True)
class Members:
    """All members of a band, or their number. The KG has everyone who ever was one and does not
    tell who still is: of a band of more than `most` too many have come and gone to answer, and one
    of less than `least` is not known in full."""

    count: bool = False
    least: int = 2
    most: int = 7

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = outcomes[-1].values
        if not self.least <= len(values) <= self.most:
            return None
        return str(len(values)) if self.count else ", ".join(str(value) for value in values)


@dataclass(frozen=True, slots=True)
class Belongs:
    """Whether one of two artists has the other among its members: `yes`, else `no`.

    The first two statements are their members; of a person these are the bands. Where neither has
    any that are known, nothing is settled.
    """

    names: tuple[str, str]
    yes: str | None = "yes"
    no: str | None = "no"

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        one, other = (_folded(outcome.values) for outcome in outcomes[:2])
        if not one and not other:
            return None
        linked = tuple(words(self.names[1])) in one or tuple(words(self.names[0])) in other
        return self.yes if linked else self.no


def _folded(values: Sequence[Any]) -> set[tuple[str, ...]]:
    return {tuple(words(str(value))) for value in values}


@dataclass(frozen=True, slots=True)
class Titles:
    """The names of the rows, in their order: `most` of them at most, the one if `single`."""

    most: int | None = None
    single: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = _with_dates(outcomes[-1])[: self.most]
        names = [str(row["name"]) for row in rows]
        if not names or (self.single and len({tuple(words(name)) for name in names}) > 1):
            return None
        return ", ".join(names)


@dataclass(frozen=True, slots=True)
class TheAlbum:
    """The one work of a time, said in a sentence: several settle nothing."""

    artist: str
    when: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        title = Titles(single=True)(outcomes[-1:])
        return f'{self.artist} released the album "{title}" in {self.when}' if title else None


@dataclass(frozen=True, slots=True)
class Dated:
    """The names of the rows with their dates, or the dates alone, in the rows' order."""

    most: int
    names: bool = True
    year: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = _with_dates(outcomes[-1])[: self.most]
        said = []
        for row in rows:
            date = str(row["release_date"])
            date = date[:4] if self.year else date
            said.append(f"{row['name']} ({date})" if self.names else date)
        return ", ".join(said) or None


def _with_dates(outcome: Outcome) -> list[dict[str, Any]]:
    return [row for row in outcome.rows if row.get("release_date")]


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
class Number:
    """How many rows there are; none is no answer, for the KG does not hold everything."""

    yes_no: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        count = len(outcomes[-1].rows)
        if not count:
            return None
        return "yes" if self.yes_no else str(count)


@dataclass(frozen=True, slots=True)
class Numbers:
    """How many rows there are in all statements; `apart`: how many more in one of two."""

    apart: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        counts = [len(outcome.rows) for outcome in outcomes]
        if not all(counts):
            return None
        return str(abs(counts[0] - counts[1]) if self.apart else sum(counts))


@dataclass(frozen=True, slots=True)
class MoreRows:
    """Which of `names` has the most rows, one each statement; all must have some."""

    names: tuple[str, ...]
    least: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        counts = [len(outcome.rows) for outcome in outcomes]
        wanted = min(counts) if self.least else max(counts)
        if not all(counts) or counts.count(wanted) != 1:
            return None
        return self.names[counts.index(wanted)]


@dataclass(frozen=True, slots=True)
class ByArtist:
    """A song's value of `key`, where it is the artist's: by its author, or by standing among the
    artist's works, which the first statement gives. Many songs share a name."""

    key: str
    artist: str
    year: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        works = _folded(outcomes[0].values)
        wanted = " ".join(words(self.artist))
        for row in outcomes[-1].rows:
            author = " ".join(words(str(row.get("author") or "")))
            theirs = f" {wanted} " in f" {author} " or tuple(words(row["name"])) in works
            if row.get(self.key) and theirs:
                return str(row[self.key])[:4] if self.year else str(row[self.key])
        return None


@dataclass(frozen=True, slots=True)
class Sings:
    """ "yes", where a song's author is `artist`, who may stand among several. Another author proves
    nothing, for songs are covered and share their names."""

    artist: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        author = first_text(outcomes[-1])
        if author is None:
            return None
        wanted = " ".join(words(self.artist))
        return "yes" if f" {wanted} " in f" {' '.join(words(author))} " else None
