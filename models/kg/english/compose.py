"""How results become a short answer. Each composer is data: it can be printed, and compared.

All of them are None where a statement failed or came too late, or where what they need is missing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from models.kg.execute import Outcome
from models.kg.operators import as_number, compare
from models.records import INVALID
from utils.text import words


def plain(value: Any, template: str = "{}") -> str:
    """A value as an answer says it: whole numbers without a point, into `template`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return template.format(value)


def _distinct(values: Sequence[Any]) -> list[Any]:
    seen: dict[str, Any] = {}
    for value in values:
        seen.setdefault(" ".join(words(str(value))) or str(value), value)
    return list(seen.values())


@dataclass(frozen=True, slots=True)
class Value:
    """The one value of the last statement: several that differ settle nothing.

    `template` is a format for it, such as "${:,.2f}"; `first`: take the first of several instead.
    """

    template: str = "{}"
    first: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = _distinct(outcomes[-1].values)
        if not values or (len(values) > 1 and not self.first):
            return None
        value = values[0]
        if self.template != "{}" and not isinstance(value, (int, float)):
            number = as_number(value)
            return str(value) if number is None else self.template.format(number)
        return plain(value, self.template)


@dataclass(frozen=True, slots=True)
class Listed:
    """All values of the last statement, each once; `most` of them at most; `empty` if none is
    there and the KG would know."""

    most: int | None = None
    empty: str | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = _distinct(outcomes[-1].values)[: self.most]
        if not values:
            return self.empty if outcomes[-1].complete else None
        return ", ".join(plain(value) for value in values)


@dataclass(frozen=True, slots=True)
class Is:
    """Yes or no: whether the last statement's one value is `wanted`, as names are compared."""

    wanted: str
    yes: str = "yes"
    no: str = "no"

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = _distinct(outcomes[-1].values)
        if len(values) != 1:
            return None
        return self.yes if words(str(values[0])) == words(self.wanted) else self.no


@dataclass(frozen=True, slots=True)
class Most:
    """Which of several has the most, or the least: `names[i]` is what statement i is about.

    Numbers compare as numbers, dates and names as texts. `tie`: what to say where the first two are
    equal. `absent`: the worth of a statement without a value; None: then nothing is settled.
    """

    names: tuple[str, ...]
    least: bool = False
    tie: str | None = None
    absent: float | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        worth = [outcome.values[0] if outcome.values else self.absent for outcome in outcomes]
        if len(worth) != len(self.names) or any(value is None for value in worth):
            return None
        ranked = list(zip(worth, self.names, strict=True))
        best = ranked[0]
        for candidate in ranked[1:]:
            sign = compare(candidate[0], best[0])
            if sign is None:
                return None
            if sign and (sign < 0) == self.least:
                best = candidate
        equal = [name for value, name in ranked if compare(value, best[0]) == 0]
        return best[1] if len(equal) == 1 else self.tie


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of the numbers of two statements, the first less the second."""

    template: str = "{}"
    absolute: bool = True

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        numbers = [as_number(o.values[0]) if o.values else None for o in outcomes[-2:]]
        if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
            return None
        result = numbers[0] - numbers[1]
        return plain(abs(result) if self.absolute else result, self.template)


@dataclass(frozen=True, slots=True)
class Invalid:
    """ "invalid question", where the KG is complete and shows nothing; else what `known` says."""

    known: Callable[[Sequence[Outcome]], str | None]

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        last = outcomes[-1]
        if not last.values and last.complete:
            return INVALID
        return self.known(outcomes)
