"""The plan of a program: steps that fetch, filter, sort and reduce rows, in dependency order.

A statement becomes one or more steps: a nested query is a step of its own, and if the entities that
values name (`get_person(…)["music"]`) are sorted or filtered by their own keys (`sort(None,
-release_date)`), an intermediate step fetches these entities.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from models.kg.fetch.infobox import label_of, unit_of
from models.kg.language.ast import (
    Call,
    Column,
    Condition,
    NameList,
    Op,
    Program,
    Query,
    Reduce,
    Scalar,
    Sort,
    Star,
    Take,
)
from models.kg.language.functions import Function, Key, functions
from utils.errors import CragError


@dataclass(frozen=True, slots=True)
class PlannedValues:
    """The values of an earlier step."""

    step: int


Argument = Scalar | NameList | PlannedValues


@dataclass(frozen=True, slots=True)
class Fetch:
    """KG rows; of several `functions`, from the first one that has any."""

    functions: tuple[Function, ...]
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Reuse:
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

    source: Fetch | Reuse
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
        source = self.source
        if isinstance(source, Reuse):
            before: tuple[object, ...] = (PlannedValues(source.step),)
        else:
            before = source.arguments
        parts = (*before, *(f.value for f in self.where))
        return frozenset(part.step for part in parts if isinstance(part, PlannedValues))


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
    return _Planner().plan(program, tuple(errors))


class _Planner:
    def __init__(self) -> None:
        self._steps: list[PlanStep] = []
        self._table = functions()

    def plan(self, program: Program, errors: tuple[tuple[CragError, ...], ...]) -> Plan:
        ends: list[int | None] = []
        before: int | None = None
        for statement, wrong in zip(program.statements, errors, strict=True):
            end = None
            if isinstance(statement, Query) and not wrong:
                end = before = self._query(statement, before)
            ends.append(end)
        return Plan(program, tuple(_with_wanted(self._steps, ends)), tuple(ends), errors)

    def _query(self, query: Query, before: int | None) -> int:
        source = query.source
        if isinstance(source, Sort):
            assert before is not None  # otherwise `check` reports an error
            return self._sort(query, source, before)
        return self._call(query, source, before)

    def _add(self, step: PlanStep) -> int:
        self._steps.append(step)
        return len(self._steps) - 1

    def _call(self, query: Query, call: Call, before: int | None) -> int:
        arguments = tuple(self._argument(argument, before) for argument in call.arguments)
        used = [c.key for c in call.where] + ([query.key] if query.key else [])
        rows = self._table.rows_with(call.function, used)
        row = rows[0]
        source = Fetch(rows, arguments)
        own = [c for c in call.where if row.any_key or _find(row, c.key)]
        joined = [c for c in call.where if c not in own]
        where = self._filters(own, row, before)
        key = _key(row, query.key) if query.key else _only_key(row)
        if not joined:
            return self._add(
                PlanStep(source, row, where, None, False, key, query.take, query.reduce)
            )
        assert key is not None  # otherwise `check` reports an error
        named = self._add(PlanStep(source, row, where, key=key, take=Take(None)))
        return self._joined(named, joined, query, None, before)

    def _sort(self, query: Query, sort: Sort, before: int) -> int:
        step = self._steps[before]
        row = step.function
        named = self._steps[step.of].key if step.of is not None else None
        if named and query.key == named.name:  # the rows are already those of the named entities
            query = replace(query, key=row.keys[0].name)
        used = [sort.key, *(c.key for c in sort.where), *([query.key] if query.key else [])]
        if not row.any_key and not all(_find(row, name) for name in used):
            every = self._add(replace(step, source=Reuse(before), where=(), sort=None,
                                      take=Take(None), reduce=None))  # fmt: skip
            return self._joined(every, sort.where, query, sort, before)
        key = _key(row, query.key) if query.key else step.key
        return self._add(
            PlanStep(
                Reuse(before), row, self._filters(sort.where, row, before), _key(row, sort.key),
                sort.descending, key, query.take, query.reduce,
            )
        )  # fmt: skip

    def _joined(
        self,
        named: int,
        where: "tuple[Condition, ...] | list[Condition]",
        query: Query,
        sort: Sort | None,
        before: int | None,
    ) -> int:
        """A step over the rows of the entities named by the step `named`."""
        key = self._steps[named].key
        row = self._table.row_for(key.entity if key else None)
        assert row is not None  # otherwise `check` reports an error
        assert key is not None  # the entities have rows
        name = replace(row.keys[0], label=key.spoken)
        read = query.key if sort is not None and query.key not in (None, name.name) else None
        return self._add(
            PlanStep(
                Fetch((row,), (PlannedValues(named),)), row, self._filters(where, row, before),
                _key(row, sort.key) if sort else None, bool(sort and sort.descending),
                _key(row, read) if read and _find(row, read) else name, query.take, query.reduce,
                named,
            )
        )  # fmt: skip

    def _filters(
        self, where: "tuple[Condition, ...] | list[Condition]", row: Function, before: int | None
    ) -> tuple[Filter, ...]:
        return tuple(Filter(c.op, _key(row, c.key), self._value(c.value, before)) for c in where)

    def _argument(self, part: Scalar | NameList | Star | Query, before: int | None) -> Argument:
        return part if isinstance(part, NameList) else self._reference(part, before)

    def _value(
        self, part: Scalar | Star | Column | Query, before: int | None
    ) -> Scalar | Column | PlannedValues:
        return part if isinstance(part, Column) else self._reference(part, before)

    def _reference(self, part: Scalar | Star | Query, before: int | None) -> Scalar | PlannedValues:
        if isinstance(part, Query):
            return PlannedValues(self._query(part, before))
        if isinstance(part, Star):
            assert before is not None  # otherwise `check` reports an error
            return PlannedValues(before)
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
        if isinstance(source, Reuse):
            own, others = wanted[source.step], wanted[index]
            wanted[source.step] = None if own is None or others is None else own | others
    return (replace(step, wanted=keys) for step, keys in zip(steps, wanted, strict=True))
