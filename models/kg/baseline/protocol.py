"""The contract of the baseline's decision trees, and their execution in parallel.

A tree is a generator, like the functions in `models/kg/fetch`: it yields the calls that it needs
next and receives their results, None for a failed call.
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
    """One fact of the KG, as a triplet."""

    subject: str
    relation: str
    value: str

    @property
    def text(self) -> str:
        """The triplet as one line."""
        return " ".join(f"{self.subject} | {self.relation} | {self.value}".split())


@dataclass(frozen=True, slots=True)
class Lookup:
    """One thing to look up, and for which facts.

    Attributes:
        domain, kind: select a tree, and one of its branches; `KINDS` in `kg_text/baseline.py` lists
            them.
        name: as spelled in the question; empty if the branch needs none.
        wanted: the requested facts; none: the most frequently requested ones.
        time: a date (YYYY-MM-DD, YYYY-MM or YYYY) or a time phrase; empty: none.
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
        """The days of `time`; None if it is empty or not understood."""
        try:
            return resolve(self.time, self.now) if self.time else None
        except PeriodError:
            return None

    @property
    def year(self) -> str | None:
        """The year of `time`, if it is one."""
        period = self.period
        if period is None or period.first.year != period.last.year:
            return None
        return str(period.first.year)


@dataclass(frozen=True, slots=True)
class Grown:
    """A tree's result: facts, the most requested first, and failures."""

    facts: tuple[Fact, ...] = ()
    errors: tuple[CragError, ...] = ()


Growing = Generator[Sequence[Call], list[Any], list[Fact]]
Tree = Callable[[Lookup], Growing]


def grow(trees: Sequence[Growing], client: Client, deadline: Deadline) -> list[Grown]:
    """The result of each of `trees`; their calls are made together, each once."""
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
    """A running tree: the calls it needs next, and its failures so far."""

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
            # a record of an unexpected shape is the API's failure
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
    """The day at the beginning of a record's text."""
    try:
        return date.fromisoformat(str(stamp)[:10])
    except ValueError:
        return None


def listed(values: Sequence[Any]) -> str:
    """Members of a list, and the number of the others."""
    names = [str(value) for value in values if value not in (None, "")]
    more = len(names) - SHOWN
    return "; ".join(names[:SHOWN]) + (f"; and {more} more ({len(names)} in all)" * (more > 0))


def facts_of(subject: str, row: Sequence[tuple[str, Any]]) -> Iterator[Fact]:
    """One fact per known value."""
    for relation, value in row:
        if value is None or value == "" or value == []:
            continue
        yield Fact(subject, relation, listed(value) if isinstance(value, list) else str(value))
