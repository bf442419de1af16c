"""How long artists lived, or bands lasted, as a short answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from models.kg.english.music.answers_dates import FULL_DATE, edge, lifespan, years_between
from models.kg.execute import Outcome
from models.records import INVALID


@dataclass(frozen=True, slots=True)
class Age:
    """An artist's age at death, or, for one who lives, at the time of the question."""

    at: datetime | None
    death: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        born, ended = lifespan(outcomes[-1])
        if born is None or len(born) < FULL_DATE:
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
        born, ended = lifespan(outcomes[-1])
        if ended:
            return ended[:4] if self.year else ended
        return self.alive if born and len(born) == FULL_DATE else None


@dataclass(frozen=True, slots=True)
class Lives:
    """Whether an artist has no end: `yes`, else `no`."""

    yes: str = "yes"
    no: str = "no"

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        born, ended = lifespan(outcomes[-1])
        if ended:
            return self.no
        return self.yes if born else None


@dataclass(frozen=True, slots=True)
class Lasted:
    """How many years lie between an artist's begin and end; up to `at` if there is none."""

    at: datetime | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        born, ended = lifespan(outcomes[-1])
        if born and not ended and self.at is not None:
            ended = self.at.date().isoformat()
        return str(years_between(born, ended)) if born and ended else None


@dataclass(frozen=True, slots=True)
class Span:
    """When an artist began and ended."""

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        born, ended = lifespan(outcomes[-1])
        return f"{born} to {ended}" if born and ended else None


@dataclass(frozen=True, slots=True)
class EndEdge:
    """Which of `names` ended first, or last: one each statement, and all have ended."""

    names: tuple[str, ...]
    latest: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        ends = [lifespan(outcome)[1] for outcome in outcomes]
        dated = [(end, name) for end, name in zip(ends, self.names, strict=True) if end]
        found = edge(dated, self.latest) if len(dated) == len(self.names) else []
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class LastedMost:
    """Which of `names` has the longest life, or the shortest: all have ended."""

    names: tuple[str, ...]
    least: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        years = [Lasted()([outcome]) for outcome in outcomes]
        known = [int(value) for value in years if value is not None]
        if len(known) != len(self.names):
            return None
        best = min(known) if self.least else max(known)
        return self.names[known.index(best)] if known.count(best) == 1 else None
