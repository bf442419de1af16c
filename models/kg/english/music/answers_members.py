"""Who belongs to whom, as a short answer.

The KG has everyone who ever was in a band, and does not tell who still is. Of a musician its
members are the bands.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from models.kg.english.music.answers_dates import lifespan
from models.kg.execute import Outcome
from models.records import INVALID
from utils.text import words

_FEW = 4  # of so few members none has likely come or gone
_SOME = 6  # bands of one musician
_KNOWN = 3  # a list of so many is one that somebody cared to fill


@dataclass(frozen=True, slots=True)
class Members:
    """All members of a band, or their number.

    In a band of more than `most` too many have come and gone to answer, and one of less than
    `least` is not known in full.
    """

    count: bool = False
    least: int = 2
    most: int = 7

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = outcomes[0].values
        if not self.least <= len(values) <= self.most:
            return None
        return str(len(values)) if self.count else ", ".join(str(value) for value in values)


@dataclass(frozen=True, slots=True)
class HasMembers:
    """Yes or no: whether a band has from `low` to `high` members."""

    low: int
    high: int

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        count = Members(count=True)(outcomes)
        if count is None:
            return None
        return "yes" if self.low <= int(count) <= self.high else "no"


@dataclass(frozen=True, slots=True)
class FewMembers:
    """All members of a band so small that it hardly changed; `now`: and that still exists."""

    now: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if self.now and lifespan(outcomes[0])[1]:
            return None
        return Members(most=_FEW)(outcomes)


@dataclass(frozen=True, slots=True)
class Bands:
    """The bands of a musician. Of many, most are guest parts that nobody asks for."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        return Members(least=1, most=_SOME)(outcomes)


@dataclass(frozen=True, slots=True)
class Belongs:
    """Whether one of two artists has the other among its members: `yes`, else `no`.

    The first two statements are their members. Where neither has any that are known, nothing is
    settled.
    """

    names: tuple[str, str]
    yes: str | None = "yes"
    no: str | None = "no"

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        one, other = (folded(outcome.values) for outcome in outcomes[:2])
        if not one and not other:
            return None
        linked = tuple(words(self.names[1])) in one or tuple(words(self.names[0])) in other
        return self.yes if linked else self.no


@dataclass(frozen=True, slots=True)
class Stranger:
    """ "invalid question" where nothing that `said` names is among an artist's members, or bands,
    of which enough are known."""

    said: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        known = folded(outcomes[0].values)
        if len(known) < _KNOWN:
            return None
        said = set(words(self.said))
        return None if any(_last(name) in said for name in known) else INVALID


def _last(name: Sequence[str]) -> str:
    """The surname of a person, or the last word of a band's name that is its own."""
    own = [word for word in name if word not in ("band", "group", "jr", "sr")]
    return (own or [*name, ""])[-1]


def folded(values: Sequence[Any]) -> set[tuple[str, ...]]:
    """Names as they are compared."""
    return {tuple(words(str(value))) for value in values}
