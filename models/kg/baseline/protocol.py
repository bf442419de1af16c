"""What a decision tree is given and gives, and how trees are grown side by side.

A tree is a generator, like the functions in `models/kg/fetch`: it yields the calls that it needs
next and is sent what they gave, None for one that failed.
"""

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from models.kg.days import Period
from models.kg.execute import Client
from models.kg.periods import PeriodError, resolve
from models.records import Domain
from utils.crag_api import Call
from utils.deadline import Deadline
from utils.errors import ApiError, ApiGarbage, ApiUnavailable, CragError, DeadlineExceeded

SHOWN = 12  # members of a list
_YEAR_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that the KG says, as a triplet."""

    subject: str
    relation: str
    value: str

    @property
    def text(self) -> str:
        """The triplet as one line."""
        return " ".join(f"{self.subject} | {self.relation} | {self.value}".split())


@dataclass(frozen=True, slots=True)
class Lookup:
    """What one thing is to be looked up for.

    Attributes:
        domain, kind: which tree, and which of its branches; `KINDS` in `kg_baseline.py` has them.
        name: as the question spells it; empty where the branch needs none.
        wanted: which facts; none: those that are asked for most.
        time: a date (YYYY-MM-DD, YYYY-MM or YYYY) or a phrase of time; empty: none is named.
        now: when the question was asked.
    """

    domain: Domain
    kind: str
    name: str
    wanted: tuple[str, ...]
    time: str
    now: datetime | None

    @property
    def period(self) -> Period | None:
        """The days that `time` means; None where it names none, or none that is understood."""
        try:
            return resolve(self.time, self.now) if self.time else None
        except PeriodError:
            return None

    @property
    def year(self) -> str | None:
        """The year that `time` means, where it is one."""
        period = self.period
        if period is None or period.first.year != period.last.year:
            return None
        return str(period.first.year)


@dataclass(frozen=True, slots=True)
class Grown:
    """What a tree came to: facts, the most wanted first, and what failed on the way."""

    facts: tuple[Fact, ...] = ()
    errors: tuple[CragError, ...] = ()


Growing = Generator[Sequence[Call], list[Any], list[Fact]]
Tree = Callable[[Lookup], Growing]


def grow(trees: Sequence[Growing], client: Client, deadline: Deadline) -> list[Grown]:
    """What each of `trees` comes to: their calls are made together, each once."""
    made: dict[str, Any] = {}
    sprouts = [_Sprout(tree) for tree in trees]
    while any(sprout.grown is None for sprout in sprouts):
        needs = {_key(call): call for sprout in sprouts for call in sprout.needs}
        fresh = {key: call for key, call in needs.items() if key not in made}
        if fresh:
            made.update(zip(fresh, _made(list(fresh.values()), client, deadline), strict=True))
        for sprout in sprouts:
            if sprout.grown is None:
                sprout.hand([made[_key(call)] for call in sprout.needs])
    return [sprout.grown or Grown() for sprout in sprouts]


class _Sprout:
    """A tree at work: what it needs next, and what failed so far."""

    def __init__(self, tree: Growing) -> None:
        self.needs: Sequence[Call] = ()
        self.grown: Grown | None = None
        self._tree = tree
        self._errors: list[CragError] = []
        self._step(None)

    def hand(self, results: Sequence[Any]) -> None:
        self._errors += [result for result in results if isinstance(result, ApiError)]
        self._step([None if isinstance(result, ApiError) else result for result in results])

    def _step(self, results: list[Any] | None) -> None:
        try:
            self.needs = next(self._tree) if results is None else self._tree.send(results)
        except StopIteration as stop:
            self.grown = Grown(tuple(stop.value), tuple(self._errors))
        except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
            # records come from outside: one of the wrong shape is the API's failure
            garbage = ApiGarbage(f"a record has an unexpected form: {error!r}")
            self.grown = Grown(errors=(*self._errors, garbage))
        except CragError as error:
            self.grown = Grown(errors=(*self._errors, error))
        if self.grown is not None:
            self.needs = ()


def _made(calls: Sequence[Call], client: Client, deadline: Deadline) -> list[Any]:
    try:
        return list(client.call_many(calls, deadline=deadline))
    except (ApiError, DeadlineExceeded) as error:
        late = error if isinstance(error, ApiError) else ApiUnavailable(str(error))
        return [late] * len(calls)


def _key(call: Call) -> str:
    return json.dumps([call.endpoint, dict(call.params)], sort_keys=True)


def day_of(stamp: object) -> date | None:
    """The day that a record's text begins with."""
    try:
        return date.fromisoformat(str(stamp)[:10])
    except ValueError:
        return None


def listed(values: Sequence[Any]) -> str:
    """Members of a list, and how many more there are."""
    names = [str(value) for value in values if value not in (None, "")]
    more = len(names) - SHOWN
    return "; ".join(names[:SHOWN]) + (f"; and {more} more ({len(names)} in all)" * (more > 0))


def facts_of(subject: str, row: Sequence[tuple[str, Any]]) -> Iterator[Fact]:
    """A fact a known value."""
    for relation, value in row:
        if value is None or value == "" or value == []:
            continue
        yield Fact(subject, relation, listed(value) if isinstance(value, list) else str(value))
