"""Run a program: the calls of all its statements side by side, each call once, by the deadline.

Each statement is a generator that yields the calls it needs next. In each round the executor
gathers what all of them need, makes the calls that it has not made yet in parallel, and hands the
results out. A statement that needs the one before it (`*`, `sort`) begins when that one is done.
"""

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from models.kg.fetch import finance, movie, music, sports
from models.kg.fetch import open as open_domain
from models.kg.fetch.protocol import Arguments, Fetched, Row, Source
from models.kg.language.ast import (
    Call as CallNode,
)
from models.kg.language.ast import (
    Condition,
    Names,
    Nothing,
    Op,
    Program,
    Query,
    Sort,
    Star,
    Statement,
)
from models.kg.language.functions import functions
from models.kg.language.schema import check
from models.kg.operators import REDUCTIONS, holds, sort_rows, take
from models.kg.periods import PeriodError
from models.records import Domain
from utils.crag_api import Call
from utils.deadline import Deadline
from utils.errors import ApiError, ApiGarbage, CragError

SOURCES: dict[Domain, dict[str, Source]] = {
    Domain.MOVIE: movie.SOURCES,
    Domain.MUSIC: music.SOURCES,
    Domain.FINANCE: finance.SOURCES,
    Domain.SPORTS: sports.SOURCES,
    Domain.OPEN: open_domain.SOURCES,
}


def source_of(function: str, key: str | None) -> Source:
    """Where a function gets its rows from; the key tells the domain where there are two."""
    return SOURCES[functions().row_of(function, key).domain][function]


class Client(Protocol):
    """What of `utils.crag_api.CragClient` is used here."""

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one statement gave.

    Attributes:
        rows: the rows it kept, all of them, for the statement after it.
        values: what its key, or its reduction, reads of those it takes; unknown ones left out.
        entities: the things it was about, by the KG's own names.
        complete: the KG holds all there is of this kind.
        errors: what failed or came too late on the way: the outcome may then lack something.
    """

    statement: Statement
    rows: tuple[Row, ...] = ()
    values: tuple[Any, ...] = ()
    entities: tuple[str, ...] = ()
    complete: bool = False
    errors: tuple[CragError, ...] = ()


_Work = Generator[Sequence[Call], list[Any], Outcome]
_Value = Generator[Sequence[Call], list[Any], Any]


def execute(
    program: Program, client: Client, now: datetime | None, deadline: Deadline
) -> tuple[Outcome, ...]:
    """One outcome a statement, in order. What failed or came too late stands in its `errors`, and
    so does what the schema rules out, for which nothing is fetched."""
    return _Execution(client, now, deadline).run(program)


class _Task:
    """One statement at work: what it needs next, and what failed so far."""

    def __init__(self, statement: Statement, work: _Work) -> None:
        self.needs: Sequence[Call] = ()
        self.outcome: Outcome | None = None
        self._statement = statement
        self._work = work
        self._errors: list[CragError] = []
        self._step(None)

    def hand(self, results: Sequence[Any]) -> None:
        """Go on with what the calls gave; one that failed gave nothing, and is noted."""
        self._errors += [result for result in results if isinstance(result, ApiError)]
        self._step([None if isinstance(result, ApiError) else result for result in results])

    def _step(self, results: list[Any] | None) -> None:
        try:
            self.needs = next(self._work) if results is None else self._work.send(results)
        except StopIteration as stop:
            self.outcome = replace(stop.value, errors=tuple(self._errors))
        except PeriodError as error:
            self._fail(error)
        except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
            # records come from outside: one of the wrong shape is the API's failure
            self._fail(ApiGarbage(f"a record has an unexpected form: {error!r}"))

    def _fail(self, error: CragError) -> None:
        self.outcome = Outcome(self._statement, errors=(*self._errors, error))


class _Execution:
    def __init__(self, client: Client, now: datetime | None, deadline: Deadline) -> None:
        self._client = client
        self._now = now
        self._deadline = deadline
        self._made: dict[str, Any] = {}

    def run(self, program: Program) -> tuple[Outcome, ...]:
        statements = program.statements
        done: list[Outcome | None] = [None] * len(statements)
        tasks: dict[int, _Task] = {}
        waiting = []
        for index, wrong in enumerate(check(program)):
            if wrong:
                done[index] = Outcome(statements[index], errors=wrong)
            else:
                waiting.append(index)
        while waiting or tasks:
            for index in list(waiting):
                before = done[index - 1] if index else None
                if index and before is None and needs_before(statements[index]):
                    continue
                waiting.remove(index)
                tasks[index] = _Task(statements[index], self._statement(statements[index], before))
            self._make([call for task in tasks.values() for call in task.needs])
            for index, task in list(tasks.items()):
                if task.outcome is None:
                    task.hand([self._made[_key(call)] for call in task.needs])
                if task.outcome is not None:
                    done[index] = task.outcome
                    del tasks[index]
        return tuple(outcome for outcome in done if outcome is not None)

    def _make(self, calls: Sequence[Call]) -> None:
        fresh = {_key(call): call for call in calls if _key(call) not in self._made}
        if fresh:
            results = self._client.call_many(list(fresh.values()), deadline=self._deadline)
            self._made.update(zip(fresh, results, strict=True))

    def _statement(self, statement: Statement, before: Outcome | None) -> _Work:
        if isinstance(statement, Nothing):
            return Outcome(statement)
        return (yield from self._query(statement, before))

    def _query(self, query: Query, before: Outcome | None) -> _Work:
        source = query.source
        if isinstance(source, Sort):
            found = Fetched(before.rows, before.entities, before.complete) if before else Fetched()
        else:
            found = yield from self._fetch(source, query.key, before)
        rows = list(found.rows)
        for condition in source.where:
            asked = yield from self._worth(condition.value, before)
            rows = [row for row in rows if holds(row, condition, asked)]
        if isinstance(source, Sort):
            rows = sort_rows(rows, source.key, descending=source.descending)
        if query.reduce is None:
            # the first so many rows, and of what they hold the first so many
            taken = [value for row in take(rows, query.take) for value in _read(row, query.key)]
            values = take(taken, query.take)
        else:
            whole = [value for row in rows for value in _read(row, query.key)]
            reduced = REDUCTIONS[query.reduce].run(whole)
            values = [] if reduced is None or not (whole or found.complete) else [reduced]
        return Outcome(query, tuple(rows), tuple(values), found.entities, found.complete)

    def _fetch(
        self, node: CallNode, key: str | None, before: Outcome | None
    ) -> Generator[Sequence[Call], list[Any], Fetched]:
        values = []
        for argument in node.arguments:
            value = yield from self._worth(argument, before)
            values.append(tuple(value) if isinstance(value, list) else value)
        if node.function == "get_movie_person_oscar":
            values = _with_year(values, node.where)
        source = source_of(node.function, key)
        return (yield from source.fetch(Arguments(tuple(values), self._now)))

    def _worth(self, argument: Any, before: Outcome | None) -> _Value:
        """An argument's value: names as a tuple; of `*` and of a call, all that they gave."""
        if isinstance(argument, Names):
            return argument.items
        if isinstance(argument, Query):
            outcome = yield from self._query(argument, before)
            return _one_or_all(outcome.values)
        if isinstance(argument, Star):
            return _one_or_all(before.values if before else ())
        return argument


def needs_before(statement: Statement) -> bool:
    """Whether a statement uses the result of the one before it."""
    if isinstance(statement, Nothing):
        return False
    source = statement.source
    if isinstance(source, Sort):
        return True
    parts = [*source.arguments, *(condition.value for condition in source.where)]
    return any(
        isinstance(part, Star) or (isinstance(part, Query) and needs_before(part)) for part in parts
    )


def _with_year(values: list[Any], where: Sequence[Condition]) -> list[Any]:
    """The arguments with the year of an `eq(year, …)` as the third, which tells what to fetch."""
    years = [c.value for c in where if c.key == "year" and c.op is Op.EQ]
    if years and not isinstance(years[0], (Star, Query)):
        values = [*values, *[None] * (3 - len(values))]
        values[2] = values[2] if values[2] is not None else years[0]
    return values


def _one_or_all(values: Sequence[Any]) -> Any:
    return values[0] if len(values) == 1 else tuple(str(value) for value in values) or None


def _read(row: Row, key: str | None) -> list[Any]:
    """The values of a key: a list's members, a single value, or none; without a key the row."""
    if key is None:
        return [row]
    value = row.get(key)
    if isinstance(value, list):
        return [member for member in value if member not in (None, "")]
    return [] if value in (None, "") else [value]


def _key(call: Call) -> str:
    return json.dumps([call.endpoint, dict(call.params)], sort_keys=True)
