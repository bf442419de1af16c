"""How results about films become a short answer, where it takes more than their values."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from models.kg.english.compose import plain
from models.kg.execute import Outcome
from models.kg.operators import as_number
from models.records import INVALID
from utils.text import words

Row = dict[str, Any]
Composer = Callable[[Sequence[Outcome]], str | None]


def _same(left: Any, right: Any) -> bool:
    return words(str(left)) == words(str(right)) and bool(words(str(left)))


def _distinct(values: Iterable[Any]) -> list[Any]:
    kept: dict[str, Any] = {}
    for value in values:
        if value not in (None, ""):
            kept.setdefault(" ".join(words(str(value))) or str(value), value)
    return list(kept.values())


def _films(rows: Iterable[Row]) -> int:
    return len({row.get("movie_id") for row in rows})


@dataclass(frozen=True, slots=True)
class Credited:
    """The people of one film in the rows of all statements, each once; `most` at most.

    None where the rows are of several films of one title.
    """

    most: int | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = [row for outcome in outcomes for row in outcome.rows]
        if _films(rows) != 1:
            return None
        return ", ".join(map(str, _distinct(row.get("name") for row in rows)[: self.most])) or None


@dataclass(frozen=True, slots=True)
class Leads:
    """The first so many of a film's cast, in its order; `gender`: of those of one gender.

    None where the order has gaps before them: the cast is then not known as a whole.
    """

    most: int
    gender: int | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = [row for row in outcomes[-1].rows if isinstance(row.get("order"), int)]
        if _films(outcomes[-1].rows) != 1:
            return None
        by_order = {row["order"]: row for row in reversed(rows)}
        found: list[str] = []
        for place in range(len(by_order)):
            row = by_order.get(place)
            if row is None or (self.gender and row.get("gender") not in (1, 2)):
                return None
            if self.gender in (None, row.get("gender")):
                found.append(str(row.get("name")))
            if len(found) == self.most:
                break
        return ", ".join(found) if len(found) >= min(self.most, 1) and found else None


@dataclass(frozen=True, slots=True)
class Player:
    """Who played a role: the one whose character's name has all words of `role`."""

    role: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        wanted = set(words(self.role))
        rows = outcomes[-1].rows
        if _films(rows) != 1:
            return None
        fits = [row for row in rows if wanted and wanted <= set(words(str(row.get("character"))))]
        first = [
            row for row in fits if words(str(row["character"]))[: len(wanted)] == words(self.role)
        ] or fits
        found = _distinct(row.get("name") for row in first)
        return str(found[0]) if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Titled:
    """Yes or no: whether a film's title, the first statement's, is its original one, the last's.

    `other`: whether it is another one. `called`: compare the original one with this instead.
    """

    other: bool = False
    called: str | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        titles, originals = (_distinct(outcome.values) for outcome in (outcomes[0], outcomes[-1]))
        if len(originals) != 1 or len(titles) != 1:
            return None
        title = self.called if self.called is not None else titles[0]
        same = _same(title, originals[0]) or str(title) == str(originals[0])
        return plain(same != self.other)


@dataclass(frozen=True, slots=True)
class Filmography:
    """Something about the films in the rows of all statements, each film once.

    Attributes:
        genre: only those of a genre.
        until: only those that had come out by this day.
        sort: the key by which they are put in order, the greatest first if `descending`.
        lead, role: only those in which the person has the first role, or plays this one.
        place, most: the one at a place, from 1; the first so many.
        how: "list", "count", "any" (yes or no), or "sum", "average" or "value" of `key`.
    """

    how: str = "list"
    key: str = "movie_name"
    genre: str | None = None
    until: str | None = None
    sort: str | None = None
    descending: bool = False
    place: int | None = None
    most: int | None = None
    lead: bool = False
    role: str | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = self._rows(outcomes)
        if not rows:
            return None
        if self.how == "any":
            return "yes"
        if self.how == "count":
            return str(len(rows))
        values = [row.get(self.key) for row in rows]
        if self.how in ("sum", "average"):
            numbers = [n for n in map(as_number, values) if n]
            if len(numbers) < len(values):
                return None
            return plain(round(sum(numbers) / (len(numbers) if self.how == "average" else 1), 2))
        return ", ".join(plain(value) for value in _distinct(values)) or None

    def _rows(self, outcomes: Sequence[Outcome]) -> list[Row]:
        every = [row for outcome in outcomes for row in outcome.rows]
        if self.lead:
            every = [row for row in every if row.get("order") == 0]
        if self.role is not None:
            role = set(words(self.role))
            every = [row for row in every if role <= set(words(str(row.get("character") or "")))]
        rows = list({row.get("movie_id"): row for row in reversed(every)}.values())[::-1]
        if self.genre:
            if not all(row.get("genres") for row in rows):
                return []
            rows = [row for row in rows if self.genre in row["genres"]]
        if self.until:
            rows = [row for row in rows if str(row.get("release_date") or "9") <= self.until]
        if self.sort:
            name = self.sort
            known = [row for row in rows if row.get(name) not in (None, "", 0)]
            if name != "release_date" and len(known) < len(rows):
                return []
            known.sort(key=lambda row: row[name], reverse=self.descending)
            rows = known
        if self.place is not None:
            rows = rows[self.place - 1 : self.place]
        return rows[: self.most]


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
        if not crew.values or _films(crew.rows) != 1:
            return None
        if not any(_same(name, self.person) for name in crew.values):
            return INVALID
        dates = [_distinct(first.values), _distinct(second.values)]
        if any(len(each) != 1 for each in dates):
            return None
        own, other = str(dates[0][0]), str(dates[1][0])
        return plain((own < other) if self.sign < 0 else (own > other))


@dataclass(frozen=True, slots=True)
class Presumed:
    """What `known` says, unless the first statement's values, of which there are some, lack the
    name that the question takes for one of them: then its premise is false."""

    name: str
    known: Composer

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        first = outcomes[0]
        if first.values and not any(_same(value, self.name) for value in first.values):
            return INVALID
        return self.known(outcomes)


@dataclass(frozen=True, slots=True)
class OtherYear:
    """ "invalid question" where the one film of the title came out in quite another year."""

    year: int

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        years = {str(value) for value in outcomes[-1].values}
        if len(years) != 1 or len(outcomes[-1].rows) != 1:
            return None
        return INVALID if abs(int(years.pop()) - self.year) > 1 else None


def one_ceremony(rows: Sequence[Row]) -> list[Row]:
    """The rows of a film's title that are of one film: of the ceremony that named it most often."""
    years = Counter(row.get("year") for row in rows)
    best = max(years.values(), default=0)
    return [row for row in rows if years[row.get("year")] == best]


@dataclass(frozen=True, slots=True)
class Awards:
    """How many rows the last statement kept; none counts where the first, the same without its
    conditions, has some, or the KG holds all there are, or `none`, what to take then, is set.

    `film`: they are a film's; of films of one title that was honoured most often which is meant.
    """

    none: int | None = None
    film: bool = False

    def count(self, outcomes: Sequence[Outcome]) -> int | None:
        every, kept = list(outcomes[0].rows), list(outcomes[-1].rows)
        if self.film:
            years = {row.get("year") for row in one_ceremony(every)}
            kept = [row for row in kept if row.get("year") in years]
        if kept or every or outcomes[0].complete:
            return len(kept)
        return self.none

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        count = self.count(outcomes)
        return None if count is None else str(count)


@dataclass(frozen=True, slots=True)
class AnyAward:
    """Yes or no: whether there are such awards."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        count = Awards().count(outcomes)
        return None if count is None else plain(count > 0)


@dataclass(frozen=True, slots=True)
class MoreAwards:
    """Which of several has the more awards, or the fewer: each has two statements, see `Awards`."""

    names: tuple[str, ...]
    least: bool = False
    film: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        pairs = [outcomes[i : i + 2] for i in range(0, len(outcomes), 2)]
        if any(not pair[0].entities for pair in pairs):
            return None
        counts = [Awards(none=0, film=self.film).count(pair) or 0 for pair in pairs]
        if not any(counts):
            return None
        best = min(counts) if self.least else max(counts)
        found = [name for name, count in zip(self.names, counts, strict=True) if count == best]
        return found[0] if len(found) == 1 else "they have the same number"


@dataclass(frozen=True, slots=True)
class Tally:
    """The film or person that the rows name most often, and none other as often."""

    key: str
    count: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        counts = Counter(row.get(self.key) for row in outcomes[-1].rows if row.get(self.key))
        top = counts.most_common(2)
        if not outcomes[-1].complete or not top or (len(top) == 2 and top[0][1] == top[1][1]):
            return None
        return str(top[0][1]) if self.count else str(top[0][0])


@dataclass(frozen=True, slots=True)
class Named:
    """Yes or no: whether one of the last statement's values is, or names, `name`."""

    name: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if not outcomes[-1].values:
            return None
        wanted = " ".join(words(self.name))
        every = [" ".join(words(str(value))) for value in outcomes[-1].values]
        return plain(any(f" {wanted} " in f" {value} " for value in every))


@dataclass(frozen=True, slots=True)
class Years:
    """The years between the dates of two statements, as whole years."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        dates = [_distinct(outcome.values) for outcome in outcomes]
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
class Union:
    """The values of all statements, each once; None where one of them has none."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if any(not outcome.values for outcome in outcomes):
            return None
        values = _distinct(value for outcome in outcomes for value in outcome.values)
        return ", ".join(plain(value) for value in values) or None


# What stands before and after a name in the rows of the Oscars.
_CREDIT = re.compile(
    r"^(?:(?:written|screenplay|story|music|lyrics?|adaptation|and)(?: (?:written|and lyrics?))? by|"
    r"(?:production design|art direction):)\s+|,? producers?$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Honoured:
    """The names in the rows of a ceremony, less what says for what they are named.

    Where there is none, and the KG holds all there are, the question's premise is false.
    """

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = [value for outcome in outcomes for value in outcome.values]
        if any(not outcome.values for outcome in outcomes):
            return INVALID if all(outcome.complete for outcome in outcomes) else None
        return ", ".join(_distinct(_CREDIT.sub("", str(value)) for value in values)) or None


@dataclass(frozen=True, slots=True)
class Age:
    """How old a person is on a day, in whole years, by the last statement's one date."""

    on: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        born = {str(value) for value in outcomes[-1].values}
        if len(born) != 1 or not re.fullmatch(r"\d{4}-\d\d-\d\d", min(born)):
            return None
        day = born.pop()
        return str(int(self.on[:4]) - int(day[:4]) - (self.on[5:] < day[5:]))
