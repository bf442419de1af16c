"""The plan of a program: steps that fetch, filter, sort and reduce rows, in dependency order.

A statement becomes one or more steps: a nested query is a step of its own, and if the entities that
values name (`get_person(…)["music"]`) are sorted or filtered by their own keys (`sort(None,
-release_date)`), an intermediate step fetches these entities.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.kg.execution.fetch.infobox import label_of, unit_of
from models.kg.language.ast import (
    Calculation,
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
from models.kg.schema.functions import Function, Key, Type
from models.kg.schema.operations import Arithmetic, Op, Reduce
from models.records import Domain
from utils.errors import CragError

_ALL_ROWS = Take(None)
# The one row of a calculation has its result.
_RESULT = Key("value", Type.NUMBER, label="result")
_CALCULATION = Function("calculation", Domain.OPEN, (), keys=(_RESULT,))


@dataclass(frozen=True, slots=True)
class PlannedValues:
    """The values of an earlier step."""

    step: int


Argument = Scalar | NameList | PlannedValues


@dataclass(frozen=True, slots=True)
class FetchSource:
    """KG rows; of several `functions`, from the first one that has a value of the step's key, else
    from the first one that has any rows."""

    functions: tuple[Function, ...]
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class ReuseSource:
    """The rows kept by an earlier step."""

    step: int


@dataclass(frozen=True, slots=True)
class CalculationSource:
    """The result of a calculation with two values; a text is a time."""

    op: Arithmetic
    left: str | int | float | PlannedValues
    right: str | int | float | PlannedValues


@dataclass(frozen=True, slots=True)
class Filter:
    """Keeps the rows whose `key` stands in the relation `op` to `value`."""

    op: Op
    key: Key
    value: Scalar | Column | PlannedValues


@dataclass(frozen=True, slots=True)
class PlanStep:
    """Rows from `source`, filtered, sorted and sliced; `key` is read from them and aggregated.

    Attributes:
        naming_step: the step that named this one's entities; the result refers to its entities.
        wanted: the keys that this step and later ones use; None: all of them.
    """

    source: FetchSource | ReuseSource | CalculationSource
    function: Function
    where: tuple[Filter, ...] = ()
    sort: Key | None = None
    descending: bool = False
    key: Key | None = None
    take: Take = Take()
    reduce: Reduce | None = None
    naming_step: int | None = None
    wanted: frozenset[str] | None = None
    distinct: bool = False

    @property
    def uses(self) -> frozenset[int]:
        """The steps that must be done before."""
        values: list[object] = [condition.value for condition in self.where]
        if isinstance(self.source, FetchSource):
            values += self.source.arguments
        elif isinstance(self.source, CalculationSource):
            values += (self.source.left, self.source.right)
        else:
            values.append(self.source)
        return frozenset(
            value.step for value in values if isinstance(value, (PlannedValues, ReuseSource))
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a program, and where the result of each statement is.

    Attributes:
        steps: in dependency order.
        ends: for each statement, the step that gives its result; None for the statement `None`,
            and for one that is not run.
        errors: for each statement, its schema violations; such a statement has no steps.
    """

    program: Program
    steps: tuple[PlanStep, ...]
    ends: tuple[int | None, ...]
    errors: tuple[tuple[CragError, ...], ...]


def make_plan(program: Program, errors: Sequence[tuple[CragError, ...]]) -> Plan:
    """The steps of a program; statements with errors found by `check` have none."""
    planner = _Planner()
    ends: list[int | None] = []
    for statement, statement_errors in zip(program.statements, errors, strict=True):
        if isinstance(statement, Query) and not statement_errors:
            ends.append(planner.add_statement(statement))
        else:
            ends.append(None)
    steps = _with_wanted_keys(planner.steps, ends)
    return Plan(program, tuple(steps), tuple(ends), tuple(errors))


class _Planner:
    """Builds the steps. Assumes a checked program."""

    def __init__(self) -> None:
        self.steps: list[PlanStep] = []
        self._table = functions()
        self._previous: int | None = None  # the step that ends the previous statement

    def add_statement(self, query: Query) -> int:
        """Add the steps of a statement; the index of the last one."""
        end = self._add_query(query)
        self._previous = end
        return end

    def _add_query(self, query: Query) -> int:
        if isinstance(query.source, Sort):
            return self._add_sort(query, query.source)
        if isinstance(query.source, Calculation):
            return self._add_calculation(query.source)
        return self._add_call(query, query.source)

    def _add(self, step: PlanStep) -> int:
        self.steps.append(step)
        return len(self.steps) - 1

    def _add_call(self, query: Query, call: FunctionCall) -> int:
        arguments = tuple(map(self._argument, call.arguments))
        used_keys = [condition.key for condition in call.where]
        if query.key:
            used_keys.append(query.key)
        rows = self._table.rows_with(call.function, used_keys)
        row = rows[0]
        row_conditions, joined_conditions = _split(call.where, row)
        key = _key_of(row, query.key) if query.key else _single_key(row)
        step = PlanStep(
            FetchSource(rows, arguments), row, where=self._filters(row_conditions, row), key=key
        )
        if not joined_conditions:
            return self._add(_reduced(step, query))
        naming_step = self._add(replace(step, take=_ALL_ROWS))
        return self._add_joined(naming_step, joined_conditions, query, sort=None)

    def _add_calculation(self, calculation: Calculation) -> int:
        left = self._operand(calculation.left)
        right = self._operand(calculation.right)
        source = CalculationSource(calculation.op, left, right)
        return self._add(PlanStep(source, _CALCULATION, key=_RESULT))

    def _operand(
        self, value: str | int | float | Star | Query
    ) -> str | int | float | PlannedValues:
        if isinstance(value, (Query, Star)):
            return self._planned_values(value)
        return value

    def _add_sort(self, query: Query, sort: Sort) -> int:
        assert self._previous is not None
        previous = self.steps[self._previous]
        row = previous.function
        key_name = query.key
        if previous.naming_step is not None:
            entity_key = self.steps[previous.naming_step].key
            if entity_key and key_name == entity_key.name:
                key_name = row.keys[0].name  # the rows are already those of the named entities
        used_keys = [sort.key, *(condition.key for condition in sort.where)]
        if key_name:
            used_keys.append(key_name)
        same_rows = replace(
            previous, source=ReuseSource(self._previous), where=(), naming_step=None
        )
        if not row.any_key and not all(_listed_key(row, name) for name in used_keys):
            every_row = replace(same_rows, sort=None, take=_ALL_ROWS, reduce=None, distinct=False)
            naming_step = self._add(replace(every_row, naming_step=previous.naming_step))
            return self._add_joined(naming_step, sort.where, replace(query, key=key_name), sort)
        step = replace(
            same_rows,
            where=self._filters(sort.where, row),
            sort=_key_of(row, sort.key),
            descending=sort.descending,
            key=_key_of(row, key_name) if key_name else previous.key,
        )
        return self._add(_reduced(step, query))

    def _add_joined(
        self, naming_step: int, where: Sequence[Condition], query: Query, sort: Sort | None
    ) -> int:
        """Add a step over the rows of the entities that the step `naming_step` names."""
        entity_key = self.steps[naming_step].key
        assert entity_key is not None
        row = self._table.row_for(entity_key.entity)
        assert row is not None
        key = replace(row.keys[0], label=entity_key.spoken)
        if sort is not None and query.key is not None and query.key != key.name:
            key = _listed_key(row, query.key) or key
        step = PlanStep(
            FetchSource((row,), (PlannedValues(naming_step),)),
            row,
            where=self._filters(where, row),
            sort=_key_of(row, sort.key) if sort else None,
            descending=sort.descending if sort else False,
            key=key,
            naming_step=naming_step,
        )
        return self._add(_reduced(step, query))

    def _filters(self, where: Sequence[Condition], row: Function) -> tuple[Filter, ...]:
        filters = []
        for condition in where:
            key = _key_of(row, condition.key)
            filters.append(Filter(condition.op, key, self._condition_value(condition.value)))
        return tuple(filters)

    def _argument(self, value: Scalar | Star | NameList | Query) -> Argument:
        if isinstance(value, (Query, Star)):
            return self._planned_values(value)
        return value

    def _condition_value(
        self, value: Scalar | Star | Column | Query
    ) -> Scalar | Column | PlannedValues:
        if isinstance(value, (Query, Star)):
            return self._planned_values(value)
        return value

    def _planned_values(self, value: Query | Star) -> PlannedValues:
        """The values of the step that a nested query or `*` stands for."""
        if isinstance(value, Query):
            return PlannedValues(self._add_query(value))
        assert self._previous is not None
        return PlannedValues(self._previous)


def _split(where: Sequence[Condition], row: Function) -> tuple[list[Condition], list[Condition]]:
    """The conditions on keys of the rows themselves, and those on keys of the entities that the
    query's key names."""
    row_conditions = []
    joined_conditions = []
    for condition in where:
        if row.any_key or _listed_key(row, condition.key):
            row_conditions.append(condition)
        else:
            joined_conditions.append(condition)
    return row_conditions, joined_conditions


def _reduced(step: PlanStep, query: Query) -> PlanStep:
    """The step with the rows that a query takes, and what it makes of their values."""
    return replace(step, take=query.take, reduce=query.reduce, distinct=query.distinct)


def _listed_key(row: Function, name: str) -> Key | None:
    """The key of that name in the schema."""
    return next((key for key in row.keys if key.name == name), None)


def _key_of(row: Function, name: str) -> Key:
    """The key of that name; any key if the rows have unlisted keys."""
    return _listed_key(row, name) or Key(name, unit=unit_of(name), label=label_of(name))


def _single_key(row: Function) -> Key | None:
    """The key of a call without one, if its rows have a single key."""
    return row.keys[0] if len(row.keys) == 1 and not row.any_key else None


def _with_wanted_keys(steps: Sequence[PlanStep], ends: Sequence[int | None]) -> list[PlanStep]:
    """The steps, each with the keys that it and the steps over its rows use.

    A statement that returns whole rows uses all keys, unless it only serves the next one.
    """
    used_steps: set[int] = set()
    for step in steps:
        used_steps |= step.uses
    wanted: list[frozenset[str] | None] = []
    for index, step in enumerate(steps):
        if step.key is None and index in ends and index not in used_steps:
            wanted.append(None)
        else:
            wanted.append(_keys_used_by(step, steps))
    for index in reversed(range(len(steps))):
        source = steps[index].source
        if isinstance(source, ReuseSource):
            wanted[source.step] = _union(wanted[source.step], wanted[index])
    return [replace(step, wanted=keys) for step, keys in zip(steps, wanted, strict=True)]


def _keys_used_by(step: PlanStep, steps: Sequence[PlanStep]) -> frozenset[str]:
    """The keys that a step filters and sorts by, and reads."""
    keys = set()
    for condition in step.where:
        keys.add(condition.key.name)
        if isinstance(condition.value, Column):
            keys.add(condition.value.key)
    if step.sort:
        keys.add(step.sort.name)
    if step.key:
        keys.add(step.key.name)
    if step.naming_step is not None:
        entity_key = steps[step.naming_step].key
        if entity_key and entity_key.inverse:
            keys.add(entity_key.inverse)
    return frozenset(keys)


def _union(keys: frozenset[str] | None, others: frozenset[str] | None) -> frozenset[str] | None:
    """All keys of both, where None stands for all keys."""
    if keys is None or others is None:
        return None
    return keys | others
