"""How results about films become a short answer, where it takes more than their values."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from models.kg.english.compose import plain
from models.kg.english.reading import Compose
from models.kg.execute import Outcome
from models.kg.match import best
from models.kg.operators import as_number
from models.records import INVALID
from utils.text import stem, words

Row = dict[str, Any]
_PAIR = 2


def same(left: Any, right: Any) -> bool:
    return words(str(left)) == words(str(right)) and bool(words(str(left)))


def distinct(values: Iterable[Any]) -> list[Any]:
    kept: dict[str, Any] = {}
    for value in values:
        if value not in (None, ""):
            kept.setdefault(" ".join(words(str(value))) or str(value), value)
    return list(kept.values())


def in_english(values: Sequence[Any]) -> str | None:
    """A list as English writes it: with "and" before the last of three or more, since a title may
    hold a comma."""
    said = [plain(value) for value in values]
    if len(said) > _PAIR:
        said[-1] = f"and {said[-1]}"
    return ", ".join(said) or None


def films_in(rows: Iterable[Row]) -> int:
    return len({row.get("movie_id") for row in rows})


@dataclass(frozen=True, slots=True)
class Credited:
    """The people of one film in the rows of all statements, each once; `most` at most.

    None where the rows are of several films of one title.
    """

    most: int | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = [row for outcome in outcomes for row in outcome.rows]
        if films_in(rows) != 1:
            return None
        return ", ".join(map(str, distinct(row.get("name") for row in rows)[: self.most])) or None


@dataclass(frozen=True, slots=True)
class Leads:
    """The first so many of a film's cast, in its order.

    None where the order has gaps before them: the cast is then not known as a whole.

    Attributes:
        gender: count only those of one gender, as the KG writes it.
        roles: say the characters instead of who plays them.
    """

    most: int
    gender: int | None = None
    roles: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = [row for row in outcomes[-1].rows if isinstance(row.get("order"), int)]
        if films_in(outcomes[-1].rows) != 1:
            return None
        by_order = {row["order"]: row for row in reversed(rows)}
        found: list[str] = []
        for place in range(len(by_order)):
            row = by_order.get(place)
            if row is None or (self.gender and row.get("gender") not in (1, 2)):
                return None
            if self.gender in (None, row.get("gender")):
                found.append(str(row.get("character" if self.roles else "name") or ""))
            if len(found) == self.most:
                break
        return in_english(found) if all(found) else None


@dataclass(frozen=True, slots=True)
class Player:
    """Who played a role: the one whose character's name has all words of `role`.

    `several`: the role is a plural: all whose character's name has its words, by their stems.
    """

    role: str
    several: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = outcomes[-1].rows
        if films_in(rows) != 1:
            return None
        found = distinct(row.get("name") for row in self._rows(rows))
        if not self.several:
            return str(found[0]) if len(found) == 1 else None
        return ", ".join(map(str, found)) or None

    def _rows(self, rows: Sequence[Row]) -> list[Row]:
        wanted = words(self.role)
        if not wanted:
            return []
        fits = [row for row in rows if set(wanted) <= set(_character(row))]
        first = [row for row in fits if _character(row)[: len(wanted)] == wanted]
        if first or fits:
            return first or fits
        stemmed = set(map(stem, wanted))
        if self.several:
            return [row for row in rows if stemmed <= set(map(stem, _character(row)))]
        parts = [(part, row) for row in rows for part in str(row.get("character") or "").split("/")]
        return best(self.role, parts)[0]


def _character(row: Row) -> list[str]:
    return words(str(row.get("character") or ""))


@dataclass(frozen=True, slots=True)
class AllKnown:
    """What `then` says of the first `count` statements, which leave out films without `key`.

    None where as many statements behind them show that one was left out of several films of one
    title: that one may be meant.
    """

    key: str
    count: int
    then: Compose

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        for outcome in outcomes[self.count :]:
            lacking = [row for row in outcome.rows if not row.get(self.key)]
            if lacking and films_in(outcome.rows) > 1:
                return None
        return self.then(outcomes[: self.count])


@dataclass(frozen=True, slots=True)
class OnlyNo:
    """The "no" of `then`; its "yes" proves nothing."""

    then: Compose

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        said = self.then(outcomes)
        return said if said == "no" else None


@dataclass(frozen=True, slots=True)
class Players:
    """Who played each of several roles, in their order; None where one of them is not found."""

    roles: tuple[str, ...]

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        found = [Player(role)(outcomes) for role in self.roles]
        return None if None in found else ", ".join(map(str, found))


@dataclass(frozen=True, slots=True)
class Titled:
    """Yes or no: whether a film's title, the first statement's, is its original one, the last's.

    `other`: whether it is another one. `called`: compare the original one with this instead.
    """

    other: bool = False
    called: str | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        titles, originals = (distinct(outcome.values) for outcome in (outcomes[0], outcomes[-1]))
        if len(originals) != 1 or len(titles) != 1:
            return None
        title = self.called if self.called is not None else titles[0]
        alike = same(title, originals[0]) or str(title) == str(originals[0])
        return plain(alike != self.other)


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
class Union:
    """The values of all statements, each once, or how many these are; None where one has none."""

    count: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if any(not outcome.values for outcome in outcomes):
            return None
        values = distinct(value for outcome in outcomes for value in outcome.values)
        return str(len(values)) if self.count else in_english(values)


@dataclass(frozen=True, slots=True)
class Exceeds:
    """Yes or no: whether the last statement's one number is more than `limit`, or less."""

    limit: float
    less: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        numbers = {as_number(value) for value in outcomes[-1].values}
        if len(numbers) != 1:
            return None
        number = numbers.pop()
        if number is None:
            return None
        return plain(number < self.limit if self.less else number > self.limit)


@dataclass(frozen=True, slots=True)
class OtherGenre:
    """ "invalid question" where the one film of the title is known to be of other genres."""

    genre: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = outcomes[-1].values
        if not values or len(outcomes[-1].rows) != 1 or any(same(v, self.genre) for v in values):
            return None
        return INVALID


@dataclass(frozen=True, slots=True)
class Shared:
    """Yes or no: whether all statements have a value in common."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        every = [{" ".join(words(str(v))) for v in outcome.values} for outcome in outcomes]
        if not all(every):
            return None
        return plain(bool(set.intersection(*every)))


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of the one number of each statement, or their average."""

    template: str = "{}"
    average: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        numbers = [as_number(o.values[0]) if len(o.values) == 1 else None for o in outcomes]
        known = [number for number in numbers if number is not None]
        if len(known) < len(numbers) or not known:
            return None
        total = sum(known) / (len(known) if self.average else 1)
        return plain(round(total, 2), self.template)


@dataclass(frozen=True, slots=True)
class Nth:
    """The value at a place of the last statement's, from 1; -1 for the last."""

    place: int

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = outcomes[-1].values
        index = self.place - 1 if self.place > 0 else self.place
        return plain(values[index]) if -len(values) <= index < len(values) else None
