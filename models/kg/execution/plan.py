"""The plan of a program: steps that fetch, filter, sort and reduce rows, in dependency order.

A statement becomes one or more steps: a nested query is a step of its own, and if the entities that
values name (`get_person(…)["music"]`) are sorted or filtered by their own keys (`sort(None,
-release_date)`), an intermediate step fetches these entities.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from models.kg.execution.fetch.infobox import label_of, unit_of
from models.kg.language.ast import (
    Column,
    Condition,
    FunctionCall,
    NameList,
    Program,
    Query,
    Scalar,
    Sort,
    Star,
    Take,
)
from models.kg.lexicon.named_functions import functions
from models.kg.schema.functions import Function, Key
from models.kg.schema.operations import Op, Reduce
from utils.errors import CragError


@dataclass(frozen=True, slots=True)
class PlannedValues:
    """The values of an earlier step."""

    step: int


Argument = Scalar | NameList | PlannedValues


@dataclass(frozen=True, slots=True)
class FetchSource:
    """KG rows; of several `functions`, from the first one that has any."""

    functions: tuple[Function, ...]
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class ReuseSource:
    """The rows kept by an earlier step."""

    step: int


@dataclass(frozen=True, slots=True)
class Filter:
    """Keeps the rows whose `key` compares in this way with `value`."""

    op: Op
    key: Key
    value: Scalar | Column | PlannedValues


@dataclass(frozen=True, slots=True)
class PlanStep:
    """Rows from `source`, filtered, sorted and sliced; `key` is read from them and aggregated.

    Attributes:
        of: the step that named this one's entities; the result refers to that step's entities.
        wanted: the keys that this step and later ones use; None: all of them.
    """

    source: FetchSource | ReuseSource
    function: Function
    where: tuple[Filter, ...] = ()
    sort: Key | None = None
    descending: bool = False
    key: Key | None = None
    take: Take = Take()
    reduce: Reduce | None = None
    of: int | None = None
    wanted: frozenset[str] | None = None

    @property
    def uses(self) -> frozenset[int]:
        """The steps that must be done before."""
        arguments = (
            self.source.arguments if isinstance(self.source, FetchSource) else (self.source,)
        )
        parts = (*arguments, *(f.value for f in self.where))
        return frozenset(
            part.step for part in parts if isinstance(part, (PlannedValues, ReuseSource))
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """Attributes:
    steps: in dependency order.
    ends: for each statement, the step that gives its result; None for `None`.
    errors: for each statement, its schema violations; such a statement has no steps.
    """

    program: Program
    steps: tuple[PlanStep, ...]
    ends: tuple[int | None, ...]
    errors: tuple[tuple[CragError, ...], ...]


def make_plan(program: Program, errors: Sequence[tuple[CragError, ...]]) -> Plan:
    """The steps of a program; statements with errors found by `check` have none."""
    planner = _Planner()
    ends = [
        planner.statement(each) if isinstance(each, Query) and not wrong else None
        for each, wrong in zip(program.statements, errors, strict=True)
    ]
    return Plan(program, tuple(_with_wanted(planner.steps, ends)), tuple(ends), tuple(errors))


class _Planner:
    """Asserts what `check` has made sure of."""

    def __init__(self) -> None:
        self.steps: list[PlanStep] = []
        self._table = functions()
        self._before: int | None = None  # the step that ends the previous statement

    def statement(self, query: Query) -> int:
        self._before = self._query(query)
        return self._before

    def _query(self, query: Query) -> int:
        if isinstance(query.source, Sort):
            return self._sort(query, query.source)
        return self._call(query, query.source)

    def _add(self, step: PlanStep) -> int:
        self.steps.append(step)
        return len(self.steps) - 1

    def _call(self, query: Query, call: FunctionCall) -> int:
        arguments = tuple(map(self._planned, call.arguments))
        used = [c.key for c in call.where] + ([query.key] if query.key else [])
        rows = self._table.rows_with(call.function, used)
        row = rows[0]
        own = [c for c in call.where if row.any_key or _find(row, c.key)]
        joined = [c for c in call.where if c not in own]
        key = _key(row, query.key) if query.key else _only_key(row)
        step = PlanStep(FetchSource(rows, arguments), row, self._filters(own, row), key=key)
        if joined:
            assert key is not None
            return self._joined(self._add(replace(step, take=Take(None))), joined, query, None)
        return self._add(replace(step, take=query.take, reduce=query.reduce))

    def _sort(self, query: Query, sort: Sort) -> int:
        assert self._before is not None
        step = self.steps[self._before]
        row = step.function
        named = self.steps[step.of].key if step.of is not None else None
        if named and query.key == named.name:  # the rows are already those of the named entities
            query = replace(query, key=row.keys[0].name)
        used = [sort.key, *(c.key for c in sort.where), *([query.key] if query.key else [])]
        again = replace(step, source=ReuseSource(self._before), where=(), of=None)
        if not row.any_key and not all(_find(row, name) for name in used):
            every = self._add(replace(again, sort=None, take=Take(None), reduce=None, of=step.of))
            return self._joined(every, sort.where, query, sort)
        return self._add(
            replace(
                again,
                where=self._filters(sort.where, row),
                sort=_key(row, sort.key),
                descending=sort.descending,
                key=_key(row, query.key) if query.key else step.key,
                take=query.take,
                reduce=query.reduce,
            )
        )

    def _joined(
        self, named: int, where: Sequence[Condition], query: Query, sort: Sort | None
    ) -> int:
        """A step over the rows of the entities named by the step `named`."""
        key = self.steps[named].key
        row = self._table.row_for(key.entity if key else None)
        assert key is not None and row is not None
        name = replace(row.keys[0], label=key.spoken)
        read = query.key if sort is not None and query.key not in (None, name.name) else None
        return self._add(
            PlanStep(
                FetchSource((row,), (PlannedValues(named),)),
                row,
                self._filters(where, row),
                _key(row, sort.key) if sort else None,
                bool(sort and sort.descending),
                _key(row, read) if read and _find(row, read) else name,
                query.take,
                query.reduce,
                named,
            )
        )

    def _filters(self, where: Sequence[Condition], row: Function) -> tuple[Filter, ...]:
        return tuple(Filter(c.op, _key(row, c.key), self._planned(c.value)) for c in where)

    def _planned(self, part: Any) -> Any:
        """An argument or value, with a step's values in place of a query and of `*`."""
        if isinstance(part, Query):
            return PlannedValues(self._query(part))
        if isinstance(part, Star):
            assert self._before is not None
            return PlannedValues(self._before)
        return part


def _find(row: Function, name: str) -> Key | None:
    return next((key for key in row.keys if key.name == name), None)


def _key(row: Function, name: str) -> Key:
    """The key of that name; any key if the rows have unlisted keys."""
    return _find(row, name) or Key(name, unit=unit_of(name), label=label_of(name))


def _only_key(row: Function) -> Key | None:
    """The key of a call without one, if its rows have a single key."""
    return row.keys[0] if len(row.keys) == 1 and not row.any_key else None


def _with_wanted(steps: list[PlanStep], ends: list[int | None]) -> Iterator[PlanStep]:
    """The steps, each with the keys that it and the steps over its rows use.

    A statement that returns whole rows uses all keys, unless it only serves the next one.
    """
    wanted: list[frozenset[str] | None] = []
    shown = set(ends) - {used for step in steps for used in step.uses}
    for index, step in enumerate(steps):
        keys = {f.key.name for f in step.where}
        keys |= {f.value.key for f in step.where if isinstance(f.value, Column)}
        keys |= {key.name for key in (step.sort, step.key) if key}
        if step.of is not None and (named := steps[step.of].key):
            keys |= {named.inverse} - {""}
        wanted.append(None if step.key is None and index in shown else frozenset(keys))
    for index in range(len(steps) - 1, -1, -1):
        source = steps[index].source
        if isinstance(source, ReuseSource):
            own, others = wanted[source.step], wanted[index]
            wanted[source.step] = None if own is None or others is None else own | others
    return (replace(step, wanted=keys) for step, keys in zip(steps, wanted, strict=True))
