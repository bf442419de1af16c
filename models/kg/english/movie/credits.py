"""How the films of a person become a short answer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from models.kg.english.compose import plain
from models.kg.english.movie.compose import Row, distinct, in_english
from models.kg.execute import Outcome
from models.kg.operators import as_number
from utils.text import words

_SHORT = 40  # minutes; what is shorter is a short film, and no one's "first film"
_FEW, _SEVERAL = 2, 3  # films of a list that may be known as a whole
_MOST_COUNTED = 5  # films of a person; of those who made more the KG may lack one
_SELF = frozenset(("self", "himself", "herself", "themselves", "themself", "archive", "footage"))


@dataclass(frozen=True, slots=True)
class Filmography:
    """Something about the films in the rows of all statements, each film once.

    Attributes:
        how: "list", "count", "any" (yes, or not known), "settled" (yes or no: whether the last
            statement has some of the films that the first one has), or "sum" or "average" of `key`.
        genre: only those of a genre.
        until: only those that had come out by this day.
        sort: the key by which they are put in order, the greatest first if `descending`.
        place, most: the one at a place, from 1; the first so many.
        lead, role: only those in which the person has the first role, or plays this one.
        features: neither short films, nor those in which the person is no one but oneself.
        single: one film is asked for: of several the whole-length one, or that of the first role.
        template: how a value is said.
        alone: a film that is the only one known may be the one at a place.
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
    features: bool = False
    single: bool = False
    template: str = "{}"
    alone: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = self._in_order(self._rows(outcomes))
        if not rows:
            return None
        if self.how == "settled":
            return plain(bool(self._rows(outcomes[-1:])))
        if self.how == "any":
            return "yes"
        if self.how == "count":
            return str(len(rows)) if len(rows) <= _MOST_COUNTED else None
        if self.single:
            rows = _one_of(rows)
        values = [row.get(self.key) for row in rows]
        if self.how in ("sum", "average"):
            numbers = [n for n in map(as_number, values) if n]
            if len(numbers) < len(values):
                return None
            return plain(round(sum(numbers) / (len(numbers) if self.how == "average" else 1), 2))
        if self.template != "{}":
            return plain(values[0], self.template) if len(values) == 1 and values[0] else None
        listed = [
            each for value in values for each in (value if isinstance(value, list) else [value])
        ]
        return in_english(distinct(listed))

    def _rows(self, outcomes: Sequence[Outcome]) -> list[Row]:
        """The films that are meant, in no order."""
        every = [row for outcome in outcomes for row in outcome.rows]
        if self.lead:
            every = [row for row in every if row.get("order") == 0]
        if self.role is not None:
            role = set(words(self.role))
            every = [row for row in every if role <= set(words(str(row.get("character") or "")))]
        if self.features:
            every = [row for row in every if not _plays_self(row)] or every
        rows = list({row.get("movie_id"): row for row in reversed(every)}.values())[::-1]
        if self.genre:
            if not all(row.get("genres") for row in rows):
                return []
            rows = [row for row in rows if self.genre in row["genres"]]
        if self.features:
            rows = [row for row in rows if not _is_short(row)] or rows
        if self.until:
            rows = [row for row in rows if str(row.get("release_date") or "9") <= self.until]
        return rows

    def _in_order(self, rows: list[Row]) -> list[Row]:
        """The films that are asked for, in their order; none where it cannot be told.

        The KG writes 0 for what nobody reported, of films that made little if anything: those come
        last. A film without the key at all may have been anything.
        """
        name = self.sort
        if name is None:
            return rows[: self.most]
        if len(rows) < (_FEW if name == "release_date" else _SEVERAL) and not self.alone:
            return []  # who has a latest, or a best, has several: the KG does not know them
        known = [row for row in rows if row.get(name) not in (None, "", 0)]
        if name != "release_date" and any(row.get(name) in (None, "") for row in rows):
            return []
        if not self.descending and name != "release_date" and len(known) < len(rows):
            return []
        known.sort(key=lambda row: row[name], reverse=self.descending)
        if self.place is not None:
            return known[self.place - 1 : self.place]
        wanted = self.most or len(rows)
        if wanted <= len(known):
            return known[:wanted]
        rest = [row for row in rows if row.get(name) == 0]
        return known + rest if len(rest) + len(known) <= wanted else []


def _is_short(row: Row) -> bool:
    return 0 < (as_number(row.get("length")) or 0) < _SHORT


def _plays_self(row: Row) -> bool:
    return bool(_SELF & set(words(str(row.get("character") or ""))))


def _one_of(rows: list[Row]) -> list[Row]:
    """The one of several films that a question for one means; all where that is not clear."""
    narrower: Iterable[list[Row]] = (
        [row for row in rows if not _is_short(row)],
        [row for row in rows if not _is_short(row) and not _plays_self(row)],
        [row for row in rows if row.get("order") == 0],
    )
    return next((kept for kept in narrower if len(kept) == 1), rows)
