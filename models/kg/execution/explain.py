"""A plan as text: one branch per statement, its steps in the order they run."""

from collections.abc import Iterator

from models.kg.execution.fetch.fetchers import fetcher_of
from models.kg.execution.operators import COMPARISONS, REDUCTIONS
from models.kg.execution.plan import FetchSource, Plan, PlannedValues, PlanStep, ReuseSource
from models.kg.language.ast import Column, NameList


def plan_text(plan: Plan) -> str:
    """What each step fetches, keeps and reads, and which endpoints it may call.

    Steps run in parallel, except those that use another's result.
    """
    lines = ["program"]
    for number, (end, errors) in enumerate(zip(plan.ends, plan.errors, strict=True), 1):
        if errors:
            lines += (f"  {number}. not run: {error}" for error in errors)
        elif end is None:
            lines.append(f"  {number}. nothing: the KG has no answer")
        else:
            lines.append(f"  {number}. step {end + 1}")
    for index, step in enumerate(plan.steps):
        lines.append(f"step {index + 1}: {_head(step)}")
        lines += (f"  {line}" for line in _parts(step, plan))
    return "\n".join(lines)


def _head(step: PlanStep) -> str:
    what = f"read {step.key.name}" if step.key else "read whole rows"
    if step.reduce is not None:
        return f"{REDUCTIONS[step.reduce].english} of what is read: {what}"
    count, start = step.take.count, step.take.start
    taken = "all rows" if count is None else f"the {'next' if start else 'first'} {count}"
    return f"{what} of {taken}{f' after {start}' if start else ''}"


def _parts(step: PlanStep, plan: Plan) -> Iterator[str]:
    source = step.source
    if isinstance(source, ReuseSource):
        yield f"rows of step {source.step + 1}"
    elif isinstance(source, FetchSource):
        for function in source.functions:
            yield f"{function.name}({', '.join(map(_value, source.arguments))}), {function.domain}"
            yield from (f"  POST {path}" for path in fetcher_of(function).endpoints)
    for condition in step.where:
        english = COMPARISONS[condition.op].english
        yield f"keep rows whose {condition.key.name} {english} {_value(condition.value)}"
    if step.sort is not None:
        yield f"sort by {step.sort.name}, {'greatest' if step.descending else 'least'} first"


def _value(value: object) -> str:
    if isinstance(value, PlannedValues):
        return f"each value of step {value.step + 1}"
    if isinstance(value, Column):
        return f"its {value.key}"
    if isinstance(value, NameList):
        return " and ".join(map(repr, value.items))
    return "any" if value is None else repr(value)
