"""How results about the Oscars become a short answer."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from models.kg.english.compose import plain
from models.kg.english.movie.compose import Row, distinct
from models.kg.execute import Outcome
from models.records import INVALID


def one_ceremony(rows: Sequence[Row]) -> list[Row]:
    """The rows of a film's title that are of one film: of the ceremony that named it most often."""
    years = Counter(row.get("year") for row in rows)
    best = max(years.values(), default=0)
    return [row for row in rows if years[row.get("year")] == best]


_RECENT = 2015  # a ceremony since then: the KG's last one is that of 2021


@dataclass(frozen=True, slots=True)
class Awards:
    """How many rows the last statement kept; none counts where the first, the same without its
    conditions, has some, or the KG holds all there are, or `none`, what to take then, is set.

    `so_far`: of someone who was in the running lately there may be more by now.
    `film`: they are a film's; of films of one title that was honoured most often which is meant.
    """

    none: int | None = None
    film: bool = False
    so_far: bool = False

    def count(self, outcomes: Sequence[Outcome]) -> int | None:
        every, kept = list(outcomes[0].rows), list(outcomes[-1].rows)
        if self.so_far and any(int(row.get("year") or 0) >= _RECENT for row in kept):
            return None
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
    """Which of several has the more awards, or the fewer: each has two statements, see `Awards`.

    `polar`: yes or no instead, whether it is the first of them.
    """

    names: tuple[str, ...]
    least: bool = False
    film: bool = False
    polar: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        pairs = [outcomes[i : i + 2] for i in range(0, len(outcomes), 2)]
        if any(not pair[0].entities for pair in pairs):
            return None
        counts = [Awards(none=0, film=self.film).count(pair) or 0 for pair in pairs]
        if not any(counts):
            return None
        best = min(counts) if self.least else max(counts)
        found = [name for name, count in zip(self.names, counts, strict=True) if count == best]
        if self.polar:
            return plain(found == [self.names[0]])
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


# What stands before and after a name in the rows of the Oscars.
_CREDIT = re.compile(
    r"^(?:(?:written|screenplay|story|music|lyrics?|adaptation|and)(?: (?:written"
    r"|and lyrics?))? by|"
    r"(?:production design|art direction):)\s+|,? producers?$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Honoured:
    """The names in the rows of a ceremony, less what says for what they are named.

    Where there is none, and the KG holds all there are, the question's premise is false.
    `count`: say how many these are.
    """

    count: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = [value for outcome in outcomes for value in outcome.values]
        if any(not outcome.values for outcome in outcomes):
            return INVALID if all(outcome.complete for outcome in outcomes) else None
        names = distinct(_CREDIT.sub("", str(value)) for value in values)
        return str(len(names)) if self.count else ", ".join(names) or None
