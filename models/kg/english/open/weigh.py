"""How facts of several entities become a short answer: which has more, and by how much."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.kg.english.compose import plain
from models.kg.english.open.values import count, day, figure, floors, years_between
from models.kg.execute import Outcome
from models.kg.operators import compare


@dataclass(frozen=True, slots=True)
class Compared:
    """Which of several has the most, or the least: `names[i]` is what statement i is about.

    `dated`: their dates are compared. `first`: whether that is the first one, yes or no.
    """

    names: tuple[str, ...]
    keys: tuple[str, ...]
    least: bool = False
    dated: bool = False
    first: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        worth = [self._worth(o, k) for o, k in zip(outcomes, self.keys, strict=False)]
        known = [value for value in worth if value is not None]
        if len(known) < len(self.names) or not known:
            return None
        best = known[0]
        for value in known[1:]:
            sign = self._sign(value, best)
            best = value if (sign < 0) == self.least and sign else best
        winners = [index for index, value in enumerate(known) if self._sign(value, best) == 0]
        if self.first:
            return "yes" if winners == [0] else "no"
        return self.names[winners[0]] if len(winners) == 1 else None

    def _worth(self, outcome: Outcome, key: str) -> float | str | None:
        if not outcome.values:
            return None
        if self.dated:
            return day(outcome.values[0])
        if "floor" in key:
            above = floors(outcome.values, total=False, below=False)
            return None if above is None else float(above)
        if len(outcome.values) > 1:
            several = count(outcome.values)
            return None if several is None else float(several)
        read = figure(outcome.values[0], key)
        return read.comparable if read else None

    def _sign(self, left: float | str, right: float | str) -> int:
        """Dates compare as far as both are exact."""
        if isinstance(left, str) and isinstance(right, str):
            shared = min(len(left), len(right))
            return (left[:shared] > right[:shared]) - (left[:shared] < right[:shared])
        return compare(left, right) or 0


@dataclass(frozen=True, slots=True)
class Lived:
    """Which of several lived longest, or least: each has a statement of birth and one of death."""

    names: tuple[str, ...]
    least: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        days = [day(outcome.values[0]) if outcome.values else None for outcome in outcomes]
        pairs = list(zip(days[::2], days[1::2], strict=True))
        spans = [_months(first, last) for first, last in pairs if first and last]
        if len(spans) != len(self.names):
            return None
        best = min(spans) if self.least else max(spans)
        return self.names[spans.index(best)] if spans.count(best) == 1 else None


def _months(first: str, last: str) -> float:
    """About how many months lie between two ISO dates."""
    return sum(
        weight * (int(last[at : at + width] or 0) - int(first[at : at + width] or 0))
        for at, width, weight in ((0, 4, 12.0), (5, 2, 1.0), (8, 2, 1 / 31))
    )


@dataclass(frozen=True, slots=True)
class Apart:
    """The difference of two, or their sum: in years for dates, in the first one's unit else."""

    keys: tuple[str, ...]
    dated: bool = False
    total: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if len(outcomes) != len(self.keys) or not all(len(o.values) == 1 for o in outcomes):
            return None
        if self.dated:
            days = [day(outcome.values[0]) for outcome in outcomes]
            known = sorted(found for found in days if found)
            if len(known) != 2:
                return None
            exact = years_between(known[0], known[1])
            years = int(known[1][:4]) - int(known[0][:4]) if exact is None else exact
            return f"{years} years"
        read = [figure(o.values[0], key) for o, key in zip(outcomes, self.keys, strict=True)]
        figures = [found for found in read if found]
        if len(figures) != len(outcomes) or len({found.unit for found in figures}) != 1:
            return None
        numbers = [found.number for found in figures]
        result = sum(numbers) if self.total else abs(numbers[0] - numbers[1])
        return f"{plain(round(result, 4))} {figures[0].unit}".strip()
