"""A plan as text: one branch per statement, its steps in the order they run."""

from collections.abc import Iterator

from models.kg.execution.arithmetic import CALCULATIONS
from models.kg.execution.fetch.fetchers import fetcher_of
from models.kg.execution.plan import (
    CalculationSource,
    FetchSource,
    Plan,
    PlannedValues,
    PlanStep,
    ReuseSource,
)
from models.kg.execution.row_operations import COMPARISONS, REDUCTIONS
from models.kg.language.ast import Column, NameList, Take


def plan_text(plan: Plan) -> str:
    """What each step fetches, keeps and reads, and which endpoints it may call.

    Steps run in parallel, except those that use another's result.
    """
    lines = ["program", *_statement_lines(plan)]
    for number, step in enumerate(plan.steps, 1):
        lines.append(f"step {number}: {_step_summary(step)}")
        lines += [f"  {line}" for line in _step_details(step)]
    return "\n".join(lines)


def _statement_lines(plan: Plan) -> Iterator[str]:
    """The step that gives the result of each statement, or its errors."""
    for number, (end, errors) in enumerate(zip(plan.ends, plan.errors, strict=True), 1):
        if errors:
            for error in errors:
                yield f"  {number}. not run: {error}"
        elif end is None:
            yield f"  {number}. nothing: the KG has no answer"
        else:
            yield f"  {number}. step {end + 1}"


def _step_summary(step: PlanStep) -> str:
    """What a step reads from which of its rows."""
    if isinstance(step.source, CalculationSource):
        left = _value_in_words(step.source.left).removeprefix("each ")
        right = _value_in_words(step.source.right).removeprefix("each ")
        return f"{left} {CALCULATIONS[step.source.op].english} {right}"
    summary = f"read {step.key.name}" if step.key else "read whole rows"
    if step.distinct:
        summary = f"{summary} without repetitions"
    if step.reduce is not None:
        return f"{REDUCTIONS[step.reduce].english} of what is read: {summary}"
    return f"{summary} of {_slice_in_words(step.take)}"


def _slice_in_words(take: Take) -> str:
    if take.count is None:
        rows = "all rows"
    elif take.start:
        rows = f"the next {take.count}"
    else:
        rows = f"the first {take.count}"
    return f"{rows} after {take.start}" if take.start else rows


def _step_details(step: PlanStep) -> Iterator[str]:
    """Where the rows of a step come from, and how it filters and sorts them."""
    if isinstance(step.source, ReuseSource):
        yield f"rows of step {step.source.step + 1}"
    elif isinstance(step.source, FetchSource):
        yield from _fetch_lines(step.source)
    for condition in step.where:
        english = COMPARISONS[condition.op].english
        value = _value_in_words(condition.value)
        yield f"keep rows whose {condition.key.name} {english} {value}"
    if step.sort is not None:
        direction = "greatest" if step.descending else "least"
        yield f"sort by {step.sort.name}, {direction} first"


def _fetch_lines(source: FetchSource) -> Iterator[str]:
    arguments = ", ".join(map(_value_in_words, source.arguments))
    for function in source.functions:
        yield f"{function.name}({arguments}), {function.domain}"
        for path in fetcher_of(function).endpoints:
            yield f"  POST {path}"


def _value_in_words(value: object) -> str:
    match value:
        case PlannedValues():
            return f"each value of step {value.step + 1}"
        case Column():
            return f"its {value.key}"
        case NameList():
            return " and ".join(map(repr, value.items))
        case None:
            return "any"
        case _:
            return repr(value)
