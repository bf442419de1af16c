"""Executes a plan by a deadline: steps run in parallel where possible, each distinct call once.

Each step is a generator that yields the calls it needs next, none while the steps that it uses are
not done. In each round the new calls of all steps are made in parallel.
"""

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from models.kg.english.periods import PeriodError
from models.kg.execution.fetch.fetchers import fetcher_of
from models.kg.execution.fetch.infobox import held_by
from models.kg.execution.fetch.protocol import ApiSteps, Arguments, Fetched, Row, side_by_side
from models.kg.execution.garbage import as_garbage
from models.kg.execution.operators import REDUCTIONS, holds, keep, sort_rows, take
from models.kg.execution.plan import (
    Argument,
    FetchSource,
    Filter,
    Plan,
    PlannedValues,
    PlanStep,
    ReuseSource,
)
from models.kg.language.ast import NameList, Nothing, Statement, Take
from models.kg.schema.functions import Key, Parameter, Type
from models.kg.schema.operations import Op, Reduce
from utils.crag_api import ApiCall, KgClient
from utils.deadline import Deadline
from utils.errors import ApiError, ApiGarbage, CragError
from utils.text import find_run, words

OF = "of"  # the key that names a row's entity, where rows of several entities are joined
MOST_CALLS = 400  # of one function in one step; further calls are skipped, with a note


@dataclass(frozen=True, slots=True)
class StatementResult:
    """The result of one statement.

    Attributes:
        step: the step of the plan that produced it; None for `None`, and if nothing was fetched.
        rows: all rows that it kept, for the next statement.
        taken: the rows among them whose values were read.
        values: the values of its key, or of its reduction, on these; unknown ones are left out.
        entities: the things it is about, by the KG's own names.
        complete: the KG has all rows of this kind.
        lacking: of several entities, those without a value.
        notes: substitutions and omissions.
        errors: failed and late calls; with any, the outcome may be incomplete.
    """

    statement: Statement
    step: PlanStep | None = None
    rows: tuple[Row, ...] = ()
    taken: tuple[Row, ...] = ()
    values: tuple[Any, ...] = ()
    entities: tuple[str, ...] = ()
    complete: bool = False
    lacking: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    errors: tuple[CragError, ...] = ()

    @property
    def informs(self) -> bool:
        """Whether it has values, or an entity's summary instead."""
        return bool(self.values) or any(row.get("summary_text") for row in self.taken)


def execute(
    plan: Plan, client: KgClient, now: datetime | None, deadline: Deadline
) -> tuple[StatementResult, ...]:
    """One outcome per statement, in order. Failures are in its `errors`, as are schema violations,
    for which nothing is fetched."""
    execution = _Execution(now)
    steps = [execution.run(index, step) for index, step in enumerate(plan.steps)]
    _carry_out(side_by_side(steps), client, deadline)
    outcomes = []
    for statement, end, errors in zip(plan.program.statements, plan.ends, plan.errors, strict=True):
        found = StatementResult(statement) if end is None else execution.done[end]
        outcomes.append(replace(found, statement=statement, errors=(*errors, *found.errors)))
    return tuple(outcomes)


def _carry_out(work: ApiSteps[Any], client: KgClient, deadline: Deadline) -> None:
    """Run `work` to its end; each distinct call is made once."""
    made: dict[str, Any] = {}
    try:
        calls = next(work)
        while True:
            fresh = {_name(call): call for call in calls if _name(call) not in made}
            if fresh:
                results = client.call_many(list(fresh.values()), deadline=deadline)
                made.update(zip(fresh, results, strict=True))
            calls = work.send([made[_name(call)] for call in calls])
    except StopIteration:
        return


def _name(call: ApiCall) -> str:
    return json.dumps([call.endpoint, dict(call.params)], sort_keys=True)


class _Execution:
    """Runs the steps of a plan; `done` has the outcome of each."""

    def __init__(self, now: datetime | None) -> None:
        self.done: dict[int, StatementResult] = {}
        self._now = now

    def run(self, index: int, step: PlanStep) -> ApiSteps[None]:
        """Add the outcome of a step to `done`, with its failed calls, which gave it None."""
        while not step.uses <= self.done.keys():
            yield []
        errors = list(dict.fromkeys(e for used in step.uses for e in self.done[used].errors))
        work = self._outcome(step)
        outcome = StatementResult(Nothing())
        try:
            with as_garbage():
                calls = next(work)
                while True:
                    replies = yield calls
                    errors += [reply for reply in replies if isinstance(reply, ApiError)]
                    calls = work.send([None if isinstance(r, ApiError) else r for r in replies])
        except StopIteration as stop:
            outcome = stop.value
        except (PeriodError, ApiGarbage) as error:
            errors.append(error)
        self.done[index] = replace(outcome, errors=tuple(errors))

    def _outcome(self, step: PlanStep) -> ApiSteps[StatementResult]:
        if isinstance(step.source, ReuseSource):
            before = self.done[step.source.step]
            found = Fetched(before.rows, before.entities, before.complete)
        else:
            found = yield from self._fetched(step.source, step)
        rows, notes, entities = list(found.rows), list(found.notes), found.entities
        if step.of is not None:
            named = self.done[step.of]
            rows, entities = _of_the_same(rows, named), named.entities
        unknown = False
        for condition in step.where:
            asked = self._values(condition.value)
            unknown |= condition.value is not None and _note_unknown(rows, condition.key, notes)
            if condition.key.type is Type.LIST and condition.op not in (Op.EQ, Op.NE):
                rows = [self._with_members(row, condition, asked) for row in rows]
            rows = keep(rows, condition.op, condition.key, asked, self._now)
        step = replace(step, where=tuple(map(self._resolved, step.where)))
        if step.sort:
            _note_unknown(rows, step.sort, notes)
            rows = sort_rows(rows, step.sort.name, descending=step.descending)
        known = found.rows  # the rows that show which entities have a value
        if step.key and step.function.any_key:
            step, rows = _with_key(step, step.key, rows, notes)
            known = tuple(rows)
        taken = _taken(rows, step, found, notes)
        values = [value for row in taken for value in read(row, step.key)]
        having = {row[OF] for row in known if OF in row and read(row, step.key)}
        lacking = tuple(name for name in found.asked if name not in having)
        if step.reduce is not None:
            if values and step.reduce is not Reduce.LEN and step.key and not lacking:
                _note_unknown(taken, step.key, notes)
            reduced = REDUCTIONS[step.reduce].run(values)
            if not values and step.reduce in (Reduce.LEN, Reduce.SUM):
                # zero rows after filtering is a count; zero rows from the KG is not
                counted = step.reduce is Reduce.LEN and found.rows and not rows
                reduced = 0 if not unknown and (counted or found.complete) else None
            values = [] if reduced is None else [reduced]
        return StatementResult(
            Nothing(),
            step,
            tuple(rows),
            tuple(taken),
            tuple(values),
            entities,
            found.complete,
            lacking,
            tuple(dict.fromkeys(notes)),
        )

    def _fetched(self, fetch: FetchSource, step: PlanStep) -> ApiSteps[Fetched]:
        """The rows of a function, called for each combination of its arguments' values."""
        parameters = fetch.functions[0].parameters
        columns = [
            self._choices(argument, parameter)
            for argument, parameter in zip(fetch.arguments, parameters, strict=False)
        ]
        calls = list(itertools.islice(itertools.product(*columns), MOST_CALLS + 1))
        if not calls:
            inner = [self.done[a.step] for a in fetch.arguments if isinstance(a, PlannedValues)]
            return Fetched(entities=tuple(name for one in inner for name in _whose(one)))
        own = any(isinstance(argument, PlannedValues) for argument in fetch.arguments)
        literal = [f for f in step.where if isinstance(f.value, (str, int, float))]
        sift = partial(self._sifted, literal)
        each: list[Fetched] = []
        for function in fetch.functions:
            fetcher = fetcher_of(function)
            works = [
                fetcher.fetch(Arguments(values, self._now, step.wanted, own, sift))
                for values in calls[:MOST_CALLS]
            ]
            before, each = each, (yield from side_by_side(works))
            if any(read(row, step.key) for fetched in each for row in fetched.rows):
                break
            if any(fetched.rows for fetched in before):
                each = before
        if len(each) == 1:
            names = tuple(str(v) for v in calls[0] if isinstance(v, str)) if own else ()
            return replace(each[0], entities=each[0].entities or names)
        return _joined(each, calls)

    def _sifted(self, literal: Sequence[Filter], rows: Sequence[Row]) -> list[Row]:
        """The rows that may satisfy the conditions on the keys they have."""
        return [
            row
            for row in rows
            if all(
                not read(row, f.key) or holds(row, f.op, f.key, [f.value], self._now)
                for f in literal
            )
        ]

    def _values(self, value: object) -> Sequence[Any]:
        return self.done[value.step].values if isinstance(value, PlannedValues) else (value,)

    def _choices(self, argument: Argument, parameter: Parameter) -> Sequence[Any]:
        """The values of an argument, one call each; names whose common rows are requested are one
        value."""
        if isinstance(argument, NameList):
            return [argument.items] if parameter.shared else argument.items
        if not isinstance(argument, PlannedValues):
            return [argument]
        step = self.done[argument.step].step
        name = step.function.keys[0].name if step else ""
        # a whole row is named by its first key
        values = (v.get(name) if isinstance(v, dict) else v for v in self._values(argument))
        return list(
            dict.fromkeys(v if isinstance(v, (int, float)) else str(v) for v in values if v)
        )

    def _resolved(self, f: Filter) -> Filter:
        """A condition in which an earlier step is replaced by its single value."""
        values = self._values(f.value)
        single = len(values) == 1 and isinstance(values[0], (str, int, float))
        return replace(f, value=values[0]) if single else f

    def _with_members(self, row: Row, f: Filter, asked: Sequence[Any]) -> Row:
        """The row with only those list members that satisfy a condition on their order."""
        members = row.get(f.key.name)
        if not isinstance(members, list):
            return row
        kept = [m for m in members if holds({f.key.name: m}, f.op, f.key, asked, self._now)]
        return {**row, f.key.name: kept}


def _joined(each: Sequence[Fetched], calls: Sequence[Sequence[Any]]) -> Fetched:
    """The rows of several calls, each with the name of its entity."""
    named = [
        found.entities[0] if found.entities else ", ".join(str(v) for v in values if v)
        for found, values in zip(each, calls, strict=False)
    ]
    notes = [note for found in each for note in found.notes]
    if len(calls) > MOST_CALLS:
        notes.insert(0, f"only the first {MOST_CALLS} of many were looked up")
    return Fetched(
        tuple({**row, OF: n} for found, n in zip(each, named, strict=True) for row in found.rows),
        tuple(dict.fromkeys(name for found in each for name in found.entities)),
        bool(each) and all(found.complete for found in each),
        tuple(named),
        tuple(notes),
    )


def _whose(outcome: StatementResult) -> list[str]:
    """The subjects of a step's values: "director of Titanic"."""
    step = outcome.step
    key = step.key if step else None
    asked = step.source.arguments if step and isinstance(step.source, FetchSource) else ()
    names = outcome.entities or [name for name in asked if isinstance(name, str)]
    return [f"the {key.spoken} of {name}" if key else name for name in names]


def _note_unknown(rows: Sequence[Row], key: Key, notes: list[str]) -> bool:
    """Whether some rows have no value for a key, which is noted."""
    without = sum(not read(row, key) for row in rows)
    if without:
        notes.append(f"the {key.spoken} is unknown for {without} of {len(rows)}")
    return without > 0


def _of_the_same(rows: list[Row], named: StatementResult) -> list[Row]:
    """The rows named by a step, without those that refer back to another entity."""
    inverse = named.step.key.inverse if named.step and named.step.key else ""
    own = [words(name) for name in named.entities]
    return [
        row
        for row in rows
        if not row.get(inverse)
        or any(find_run(name, words(str(row[inverse]))) >= 0 for name in own)
    ]


def _taken(rows: Sequence[Row], step: PlanStep, found: Fetched, notes: list[str]) -> list[Row]:
    """The rows that the step takes; if it takes one row, one per entity. With a single row, a slice
    beyond it applies to the list in it."""
    key, cut = step.key, step.take
    if len(rows) == 1 and cut.start and key and isinstance(members := rows[0].get(key.name), list):
        some = take(members, cut)
        notes.append(f"this is {len(some)} of {len(members)}")
        return [{**rows[0], key.name: some}]
    if not found.asked or step.sort or cut != Take():
        return take(rows, cut)
    return list({row[OF]: row for row in reversed(rows)}.values())[::-1]


def _with_key(
    step: PlanStep, key: Key, rows: list[Row], notes: list[str]
) -> tuple[PlanStep, list[Row]]:
    """The rows of entities with unlisted keys, each with `key` if it has that fact."""
    given = []
    for row in rows:
        found, row, note = held_by(key, row)
        step = replace(step, key=found) if found is not key else step
        notes += [note] if note else []
        given.append(row)
    return step, given


def read(row: Row, key: Key | None) -> list[Any]:
    """The values of a key: a list's members, a single value, or none; without a key, the row."""
    if key is None:
        return [row]
    value = row.get(key.name)
    if isinstance(value, list):
        return [member for member in value if member not in (None, "")]
    return [] if value in (None, "") else [value]
