"""The contract of the baseline's decision trees, and their execution in parallel.

A tree is a generator, like the functions in `models/kg/fetch`: it yields the calls that it needs
next and receives their results, None for a failed call.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from models.kg.days import Period
from models.kg.execute import Client, carry_out
from models.kg.fetch.protocol import Asking, noting_errors, side_by_side
from models.kg.periods import PeriodError, resolve
from models.records import Domain
from utils.deadline import Deadline
from utils.errors import CragError

SHOWN = 12  # members of a list


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


Growing = Asking[list[Fact]]
Tree = Callable[[Lookup], Growing]


def grow(trees: Sequence[Growing], client: Client, deadline: Deadline) -> list[Grown]:
    """The result of each of `trees`; their calls are made together, each once."""
    return carry_out(side_by_side(list(map(_grown, trees))), client, deadline)


def _grown(tree: Growing) -> Asking[Grown]:
    facts, errors = yield from noting_errors(tree)
    return Grown(tuple(facts or ()), tuple(errors))


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
