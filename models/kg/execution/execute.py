"""Executes a plan by a deadline: steps run in parallel where possible, each distinct call once.

Each step is a generator that yields the calls it needs next, none while the steps that it uses are
not done. In each round the new calls of all steps are made in parallel.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import chain, islice, product
from typing import Any

from models.english.member_counts import lists_numbers, member_count
from models.english.periods import PeriodError
from models.english.quantities import as_number
from models.kg.execution.arithmetic import (
    CALCULATIONS,
    calculated,
    date_of_phrase,
    iso_date,
    time_between,
)
from models.kg.execution.fetch.fetchers import fetcher_of
from models.kg.execution.fetch.infobox import held_by, is_identifier
from models.kg.execution.fetch.protocol import (
    ENTITY,
    OF,
    Arguments,
    ArgumentValue,
    CallGenerator,
    Fetched,
    Row,
    about_one_of,
    side_by_side,
)
from models.kg.execution.garbage import guarded
from models.kg.execution.known_facts import known_facts
from models.kg.execution.outcome import Operand, Outcome, Share
from models.kg.execution.plan import (
    Argument,
    CalculationSource,
    FetchSource,
    Filter,
    Plan,
    PlannedValues,
    PlanStep,
    ReuseSource,
)
from models.kg.execution.row_operations import (
    REDUCTIONS,
    distinct_rows,
    holds,
    keep,
    sort_rows,
    take,
    values_in_row,
)
from models.kg.language.ast import NameList, Take
from models.kg.schema.functions import Function, Key, Parameter, Type
from models.kg.schema.operations import Arithmetic, Op, Reduce
from utils.crag_api import ApiCall, KgClient
from utils.deadline import Deadline
from utils.errors import ApiError, ApiGarbage, CragError
from utils.text import find_run, words

_DATE_TYPES = (Type.DATE, Type.YEAR)
MOST_CALLS = 400  # of one function in one step; further calls are skipped, with a note


def execute(
    plan: Plan, client: KgClient, now: datetime | None, deadline: Deadline
) -> tuple[Outcome, ...]:
    """One result per statement, in order. Failures are in its `errors`, as are schema violations,
    for which nothing is fetched."""
    execution = _Execution(now)
    works = [execution.run(index, step) for index, step in enumerate(plan.steps)]
    _make_calls(side_by_side(works), client, deadline)
    results = []
    for end, errors in zip(plan.ends, plan.errors, strict=True):
        result = Outcome() if end is None else execution.results[end]
        results.append(replace(result, errors=(*errors, *result.errors)))
    return tuple(results)


def _make_calls(work: CallGenerator[Any], client: KgClient, deadline: Deadline) -> None:
    """Run `work` to its end; each distinct call is made once."""
    replies: dict[str, Any] = {}  # by the call's id
    try:
        calls = next(work)
        while True:
            ids = [_call_id(call) for call in calls]
            new_calls = {}
            for call_id, call in zip(ids, calls, strict=True):
                if call_id not in replies:
                    new_calls[call_id] = call
            if new_calls:
                new_replies = client.call_many(list(new_calls.values()), deadline=deadline)
                replies.update(zip(new_calls, new_replies, strict=True))
            calls = work.send([replies[call_id] for call_id in ids])
    except StopIteration:
        return


def _call_id(call: ApiCall) -> str:
    """A text that only equal calls share."""
    return json.dumps([call.endpoint, dict(call.params)], sort_keys=True)


@dataclass(slots=True)
class _StepState:
    """A step while it runs. Its rows are fetched, filtered, sorted, taken and reduced, in this
    order.

    Attributes:
        step: as planned; what is known only now is filled in, for the wording of the result.
        rows: those kept so far.
        found_rows: those that show which entities have a value of the key.
        unknown_conditions: a condition was on a key that some rows lack.
        taken: the rows whose values are read.
    """

    step: PlanStep
    fetched: Fetched
    rows: list[Row]
    entities: tuple[str, ...]
    notes: list[str]
    found_rows: Sequence[Row]
    requested: tuple[str, ...] = ()
    unknown_conditions: bool = False
    sorted_share: Share | None = None
    reduced_share: Share | None = None
    taken: list[Row] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    lacking: tuple[str, ...] = ()

    @property
    def all_violate(self) -> bool:
        """Whether there are rows, and each violates a condition."""
        return bool(self.fetched.rows) and not self.rows

    def note_unknown(self, rows: Sequence[Row], key: Key) -> bool:
        """Whether some rows have no value for a key, which is noted."""
        share = _share_with(rows, key)
        if share.is_partial:
            count = share.total - share.known
            self.notes.append(f"the {key.spoken} is unknown for {count} of {share.total}")
        return share.is_partial

    def result(self) -> Outcome:
        """The result of the step."""
        return Outcome(
            self.step,
            rows=tuple(self.rows),
            taken=tuple(self.taken),
            values=tuple(self.values),
            entities=self.entities,
            requested=self.requested,
            sorted_share=self.sorted_share,
            reduced_share=self.reduced_share,
            complete=self.fetched.complete,
            all_violate=self.all_violate,
            lacking=self.lacking,
            notes=tuple(dict.fromkeys(self.notes)),
            readings=self.fetched.readings,
        )


class _Execution:
    """Runs the steps of a plan; `results` has the result of each step that is done."""

    def __init__(self, now: datetime | None) -> None:
        self.results: dict[int, Outcome] = {}
        self._now = now

    def run(self, index: int, step: PlanStep) -> CallGenerator[None]:
        """Run a step: record its result and its errors. A failed call counts as None."""
        while not step.uses <= self.results.keys():
            yield []
        errors: list[CragError] = []
        for used_step in step.uses:
            errors += self.results[used_step].errors
        errors = list(dict.fromkeys(errors))
        work = self._result_of(step)
        result = Outcome()
        try:
            calls = next(work)
            while True:
                replies = yield calls
                errors += [reply for reply in replies if isinstance(reply, ApiError)]
                calls = work.send([_value_or_none(reply) for reply in replies])
        except StopIteration as stop:
            result = stop.value
        except (PeriodError, ApiGarbage) as error:
            errors.append(error)
        self.results[index] = replace(result, errors=tuple(errors))

    def _result_of(self, step: PlanStep) -> CallGenerator[Outcome]:
        if isinstance(step.source, CalculationSource):
            return self._calculated(step, step.source)
        state = yield from self._fetch(step)
        self._filter_by_entity(state)
        _sort(state)
        if step.key and step.function.any_key:
            _find_unlisted_key(state, step.key)
        if step.distinct and state.step.key:
            if step.reduce is not None and step.take.count is None:
                state.reduced_share = _share_with(state.rows, state.step.key)
            state.rows = distinct_rows(state.rows, state.step.key.name)
        _take_and_read(state)
        if step.reduce is not None:
            _reduce(state, step.reduce)
        return state.result()

    # --- calculate

    def _calculated(self, step: PlanStep, source: CalculationSource) -> Outcome:
        """The result of a calculation: without a value unless each side has one."""
        operands = (self._operand(source.left), self._operand(source.right))
        notes: list[str] = []
        values: list[Any] = []  # of the sides
        for operand in operands:
            if isinstance(operand, Outcome):
                notes += operand.notes
                values += operand.values if len(operand.values) == 1 else []
            else:
                values.append(operand)
        result = None
        if len(values) == len(operands):
            is_time = source.op is Arithmetic.MINUS and any(map(_is_time, operands))
            left, right = values
            result = time_between(left, right) if is_time else calculated(source.op, left, right)
        rows: tuple[Row, ...] = ()
        if result is not None:
            rows = ({"value": result},)
        unit = _unit_of_result(source.op, operands)
        return Outcome(
            replace(step, key=replace(step.function.keys[0], unit=unit)),
            rows=rows,
            taken=rows,
            values=tuple(row["value"] for row in rows),
            notes=tuple(dict.fromkeys(notes)),
            operands=operands,
        )

    def _operand(self, value: str | int | float | PlannedValues) -> Operand:
        """One side of a calculation."""
        if isinstance(value, PlannedValues):
            return self.results[value.step]
        return date_of_phrase(value, self._now) if isinstance(value, str) else value

    # --- fetch

    def _fetch(self, step: PlanStep) -> CallGenerator[_StepState]:
        if isinstance(step.source, FetchSource):
            requested = _literal_names(step.source)
            fetched = yield from self._fetch_each(step.source, step)
        else:
            assert isinstance(step.source, ReuseSource)
            before = self.results[step.source.step]
            fetched = Fetched(before.rows, before.entities, before.complete)
            requested = before.requested
        readings = [*fetched.readings]
        for used_step in sorted(step.uses):
            readings += self.results[used_step].readings
        fetched = replace(fetched, readings=tuple(dict.fromkeys(readings)))
        rows = list(fetched.rows)
        entities = fetched.entities
        if step.naming_step is not None:
            naming_result = self.results[step.naming_step]
            rows = _rows_referring_back(rows, naming_result)
            entities = naming_result.entities
            requested = naming_result.requested
        return _StepState(
            step,
            fetched,
            rows,
            entities,
            notes=[*fetched.readings, *fetched.notes],
            found_rows=fetched.rows,
            requested=requested,
        )

    def _fetch_each(self, source: FetchSource, step: PlanStep) -> CallGenerator[Fetched]:
        """The rows of a function, called for each combination of its arguments' values."""
        columns = []
        for argument, parameter in zip(
            source.arguments, source.functions[0].parameters, strict=False
        ):
            columns.append(self._argument_values(argument, parameter))
        calls = list(islice(product(*columns), MOST_CALLS + 1))
        planned = [each for each in source.arguments if isinstance(each, PlannedValues)]
        if not calls:
            subjects: list[str] = []
            for argument in planned:
                subjects += _subjects_of(self.results[argument.step])
            return Fetched(entities=tuple(subjects))
        results = yield from self._fetch_calls(
            source.functions, calls[:MOST_CALLS], step, names_are_exact=bool(planned)
        )
        if len(results) > 1:
            return _joined_results(results, calls)
        result = results[0]
        if planned and not result.entities:
            names = tuple(value for value in calls[0] if isinstance(value, str))
            return replace(result, entities=names)
        return result

    def _fetch_calls(
        self,
        functions: Sequence[Function],
        calls: Sequence[tuple[ArgumentValue, ...]],
        step: PlanStep,
        *,
        names_are_exact: bool,
    ) -> CallGenerator[list[Fetched]]:
        """The results of the calls by the first function that gives a value of the step's key; if
        none does, by the first that gives any rows."""
        literal_conditions = [
            each for each in step.where if isinstance(each.value, (str, int, float))
        ]
        results: list[Fetched] = []
        for function in functions:
            fetch = fetcher_of(function).fetch
            sift = partial(self._rows_that_may_satisfy, function, literal_conditions)
            works = []
            for values in calls:
                arguments = Arguments(values, self._now, step.wanted, names_are_exact, sift)
                works.append(guarded(fetch(arguments)))
            fetched = yield from side_by_side(works)
            new_results = [_with_known_facts(each, function) for each in fetched]
            if _has_values(new_results, step.key):
                return new_results
            if not any(result.rows for result in results):
                results = new_results
        return results

    def _rows_that_may_satisfy(
        self, function: Function, conditions: Sequence[Filter], rows: Sequence[Row]
    ) -> list[Row]:
        """The rows without those that violate a condition on a key that they have."""
        kept_rows = []
        for fetched_row in rows:
            row = known_facts(fetched_row, function)
            if not any(self._violates(row, condition) for condition in conditions):
                kept_rows.append(row)
        return kept_rows

    def _violates(self, row: Row, condition: Filter) -> bool:
        """Whether a row has the key of a condition, with a value that does not satisfy it."""
        if not values_in_row(row, condition.key):
            return False
        return not holds(row, condition.op, condition.key, [condition.value], self._now)

    def _argument_values(self, argument: Argument, parameter: Parameter) -> Sequence[ArgumentValue]:
        """The values of an argument, one call each; names whose common rows are requested are one
        value."""
        if isinstance(argument, NameList):
            return [argument.items] if parameter.shared else argument.items
        if not isinstance(argument, PlannedValues):
            return [argument]
        result = self.results[argument.step]
        name_key = result.step.function.keys[0].name if result.step else ""
        distinct: dict[str | int | float, None] = {}
        for value in result.values:
            if isinstance(value, dict):
                value = value.get(name_key)  # a whole row is named by its first key
            if value:
                distinct[value if isinstance(value, (int, float)) else str(value)] = None
        return list(distinct)

    # --- filter

    def _filter_by_entity(self, state: _StepState) -> None:
        """Keep the rows that satisfy the step's conditions. Where rows of several entities of one
        name would be mixed, only those of the best known one that the conditions leave."""
        where = state.step.where
        if any(ENTITY in row for row in state.rows):
            self._filter(state, [each for each in where if _tells_entities_apart(each, state.step)])
            if _mixes_entities(state.step):
                _keep_best_known(state)
            self._filter(
                state, [each for each in where if not _tells_entities_apart(each, state.step)]
            )
        else:
            self._filter(state, where)
        state.step = replace(state.step, where=tuple(map(self._with_single_value, where)))

    def _filter(self, state: _StepState, where: Sequence[Filter]) -> None:
        """Keep the rows that satisfy some conditions."""
        for condition in where:
            key = condition.key
            targets = self._targets(condition)
            is_tested = condition.value is not None and not key.may_be_blank
            if is_tested and state.note_unknown(state.rows, key):
                state.unknown_conditions = True
            if key.type is Type.LIST and condition.op not in (Op.EQ, Op.NE):
                state.rows = [self._with_members(row, condition, targets) for row in state.rows]
            state.rows = keep(state.rows, condition.op, key, targets, self._now)

    def _targets(self, condition: Filter) -> Sequence[Any]:
        """The values that a condition compares with."""
        if isinstance(condition.value, PlannedValues):
            return self.results[condition.value.step].values
        return (condition.value,)

    def _with_single_value(self, condition: Filter) -> Filter:
        """A condition in which an earlier step is replaced by its single value."""
        targets = self._targets(condition)
        if len(targets) == 1 and isinstance(targets[0], (str, int, float)):
            return replace(condition, value=targets[0])
        return condition

    def _with_members(self, row: Row, condition: Filter, targets: Sequence[Any]) -> Row:
        """The row with only those list members that satisfy a condition on their order."""
        name = condition.key.name
        members = row.get(name)
        if not isinstance(members, list):
            return row
        kept_members = []
        for member in members:
            if holds({name: member}, condition.op, condition.key, targets, self._now):
                kept_members.append(member)
        return {**row, name: kept_members}


def _is_time(operand: Operand) -> bool:
    """Whether one side of a difference is a date."""
    if isinstance(operand, str):
        return True
    if not isinstance(operand, Outcome) or operand.step is None:
        return False
    key = operand.step.key
    is_read = operand.step.reduce not in (Reduce.LEN, Reduce.AVG, Reduce.SUM)
    if is_read and key is not None and key.type is Type.DATE:
        return True
    return any(
        isinstance(value, str) and as_number(value) is None and bool(iso_date(value))
        for value in operand.values
    )


def _unit_of_result(op: Arithmetic, operands: Sequence[Operand]) -> str:
    """The unit that all numbers of a calculation share, if its result has it, too."""
    units = set()
    for operand in operands:
        step = operand.step if isinstance(operand, Outcome) else None
        if step and step.key and step.reduce is not Reduce.LEN:
            units.add(step.key.unit)
        elif step:
            units.add("")
    return units.pop() if CALCULATIONS[op].keeps_unit and len(units) == 1 else ""


# --- entities of one name


def _tells_entities_apart(condition: Filter, step: PlanStep) -> bool:
    """Whether a condition may say which of several entities of one name is meant: any on the entity
    itself; of its parts, those on a time or a name."""
    is_of_entity = step.function.gives is not None
    return is_of_entity or condition.key.type in _DATE_TYPES or condition.key.entity is not None


def _mixes_entities(step: PlanStep) -> bool:
    """Whether the values of a step would not show which entity each one is of."""
    if step.naming_step is not None:  # the rows are still to be chosen by the naming entity
        return False
    if step.function.gives is None:
        return step.key is not None or step.reduce is not None
    is_list = step.key is not None and step.key.type is Type.LIST
    return is_list or (step.key is not None and step.reduce is not None)


def _keep_best_known(state: _StepState) -> None:
    """Keep the rows and the name of one entity of each name, the first, and note the others."""
    labels: dict[Any, dict[str, None]] = {}  # by the name
    for row in state.rows:
        if ENTITY in row:
            labels.setdefault(row.get(OF), {})[row[ENTITY]] = None
    for labels_of_name in labels.values():
        state.notes += about_one_of(list(labels_of_name))
    chosen = {name: next(iter(of_name)) for name, of_name in labels.items()}
    all_labels = chain.from_iterable(labels.values())
    state.entities = _without_others(state.entities, set(chosen.values()), set(all_labels))
    state.rows = [
        row for row in state.rows if ENTITY not in row or row[ENTITY] == chosen[row.get(OF)]
    ]


def _without_others(
    entities: Sequence[str], chosen_labels: set[str], labels: set[str]
) -> tuple[str, ...]:
    """The names of the entities without those that only labels of others begin with."""
    other_labels = labels - chosen_labels
    return tuple(
        entity
        for entity in entities
        if _is_labelled(entity, chosen_labels) or not _is_labelled(entity, other_labels)
    )


def _is_labelled(entity: str, labels: Iterable[str]) -> bool:
    """Whether a label is an entity's: "Dune (1984)"."""
    return any(label.startswith(f"{entity} (") for label in labels)


def _value_or_none(reply: Any) -> Any:
    return None if isinstance(reply, ApiError) else reply


def _with_known_facts(fetched: Fetched, function: Function) -> Fetched:
    return replace(fetched, rows=tuple(known_facts(row, function) for row in fetched.rows))


def _literal_names(source: FetchSource) -> tuple[str, ...]:
    """The names that a program writes as the arguments of a call."""
    names: list[str] = []
    for parameter, argument in zip(source.functions[0].parameters, source.arguments, strict=False):
        if not parameter.is_name:
            continue
        values = argument.items if isinstance(argument, NameList) else (argument,)
        names += [str(value) for value in values if isinstance(value, (str, int))]
    return tuple(names)


def _share_with(rows: Sequence[Row], key: Key) -> Share:
    """How many of the rows have a value of a key."""
    return Share(sum(1 for row in rows if values_in_row(row, key)), len(rows))


def _has_values(results: Sequence[Fetched], key: Key | None) -> bool:
    """Whether some row has a value of `key`."""
    for result in results:
        if any(values_in_row(row, key) for row in result.rows):
            return True
    return False


def _joined_results(results: Sequence[Fetched], calls: Sequence[Sequence[Any]]) -> Fetched:
    """The rows of several calls, each with the name of its entity."""
    subjects = []
    rows = []
    entities: list[str] = []
    notes = []
    readings: list[str] = []
    if len(calls) > MOST_CALLS:
        notes.append(f"only the first {MOST_CALLS} of many were looked up")
    for result, values in zip(results, calls, strict=False):
        if result.entities:
            subject = result.entities[0]
        else:
            subject = ", ".join(str(value) for value in values if value)
        subjects.append(subject)
        rows += [{**row, OF: subject} for row in result.rows]
        entities += result.entities
        notes += result.notes
        readings += result.readings
    return Fetched(
        tuple(rows),
        tuple(dict.fromkeys(entities)),
        complete=all(result.complete for result in results),
        subjects=tuple(subjects),
        notes=tuple(notes),
        readings=tuple(readings),
    )


def _subjects_of(result: Outcome) -> list[str]:
    """What a step's values would be, in words: "the director of Titanic"."""
    names = list(result.entities)
    step = result.step
    if not names and step and isinstance(step.source, FetchSource):
        names = [name for name in step.source.arguments if isinstance(name, str)]
    if step and step.key:
        return [f"the {step.key.spoken} of {name}" for name in names]
    return names


def _rows_referring_back(rows: list[Row], naming_result: Outcome) -> list[Row]:
    """The rows named by a step, without those that refer back to another entity."""
    if naming_result.step is None or naming_result.step.key is None:
        return rows
    inverse = naming_result.step.key.inverse
    names = [words(name) for name in naming_result.entities]
    kept_rows = []
    for row in rows:
        referred = row.get(inverse)
        if not referred or any(find_run(name, words(str(referred))) >= 0 for name in names):
            kept_rows.append(row)
    return kept_rows


# --- sort, take, reduce


def _sort(state: _StepState) -> None:
    """Sort the rows by the step's key, if any."""
    key = state.step.sort
    if key is not None:
        state.sorted_share = _share_with(state.rows, key)
        state.rows = sort_rows(state.rows, key.name, descending=state.step.descending)


def _find_unlisted_key(state: _StepState, key: Key) -> None:
    """Give each row of entities with unlisted keys `key`, if it has that fact by any name."""
    rows = []
    for row in state.rows:
        found_key, found_row, note = held_by(key, row)
        if found_key is not key:
            state.step = replace(state.step, key=found_key)
        if note:
            state.notes.append(note)
        rows.append(found_row)
    state.rows = rows
    state.found_rows = rows


def _take_and_read(state: _StepState) -> None:
    """Take rows, read the values of the step's key in them, and list the entities without one."""
    key = state.step.key
    state.taken = _taken_rows(state)
    state.values = []
    for row in state.taken:
        state.values += values_in_row(row, key)
    subjects_with_values = set()
    for row in state.found_rows:
        if OF in row and values_in_row(row, key):
            subjects_with_values.add(row[OF])
    subjects = state.fetched.subjects
    state.lacking = tuple(name for name in subjects if name not in subjects_with_values)


def _taken_rows(state: _StepState) -> list[Row]:
    """The rows that the step takes; if it takes one row, one per entity. With a single row, a slice
    after the first applies to the list in it. None is the first of rows in an unknown order."""
    step = state.step
    has_no_order = state.sorted_share is not None and state.sorted_share.known == 0
    if has_no_order and len(state.rows) > 1 and step.take.count is not None:
        return []
    if len(state.rows) == 1 and step.take.start and step.key:
        row = state.rows[0]
        members = row.get(step.key.name)
        if isinstance(members, list):
            taken_members = take(members, step.take)
            state.notes.append(f"this is {len(taken_members)} of {len(members)}")
            return [{**row, step.key.name: taken_members}]
    if not state.fetched.subjects or step.sort or step.take != Take():
        taken_rows = take(state.rows, step.take)
        labels = dict.fromkeys(row[ENTITY] for row in state.rows if ENTITY in row)
        if step.take == Take() and step.function.gives and not step.sort:
            state.notes += about_one_of(list(labels))
            state.entities = _without_others(state.entities, set(list(labels)[:1]), set(labels))
        return taken_rows
    first_rows: dict[str, Row] = {}
    for row in reversed(state.rows):
        first_rows[row[OF]] = row
    return list(reversed(first_rows.values()))


def _reduce(state: _StepState, reduce: Reduce) -> None:
    """Replace the values by their aggregation; by nothing if that is unknown."""
    key = state.step.key
    if not state.values or reduce is Reduce.LEN or not key or state.lacking:
        state.reduced_share = None
    elif state.reduced_share is None:
        state.reduced_share = _share_with(state.taken, key)
    if not state.values and reduce in (Reduce.LEN, Reduce.SUM):
        reduced = 0 if _is_known_to_be_empty(state, reduce) else None
    elif reduce is Reduce.LEN and key and state.step.function.any_key:
        reduced = _count_on_page(state.values, key)
    else:
        reduced = REDUCTIONS[reduce].run(state.values)
    if reduced is None:
        state.values = []
    else:
        state.values = reduced if isinstance(reduced, list) else [reduced]


def _count_on_page(values: Sequence[Any], key: Key) -> int | None:
    """The number of members of a fact on an entity's page, which may be in one text, or stated: of
    "3" that is 3, unless the key says that it is one number of a thing."""
    if not lists_numbers(values):
        return len(values)
    if len(values) == 1 and is_identifier(key.name) and as_number(values[0]) is not None:
        return 1
    return member_count(values)


def _is_known_to_be_empty(state: _StepState, reduce: Reduce) -> bool:
    """Whether the count or sum of no values is 0, and not unknown. No rows after filtering are a
    count; no rows from the KG are one only if it is complete."""
    if state.unknown_conditions:
        return False
    return state.fetched.complete or (reduce is Reduce.LEN and state.all_violate)
