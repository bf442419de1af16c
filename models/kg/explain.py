"""The plan of a program, as a tree that a person can read."""

from collections.abc import Iterator

from models.kg.execute import needs_before, source_of
from models.kg.language.ast import Call, Condition, Names, Nothing, Program, Query, Sort, Star
from models.kg.language.parser import parse
from models.kg.operators import COMPARISONS, REDUCTIONS


def explain(program: Program | str) -> str:
    """One branch a statement: what is read, kept and taken, and which endpoints may be called.

    Statements side by side run at the same time; one "after" another waits for it.

    Raises:
        QuerySyntaxError: a text is no program.
    """
    tree = parse(program).program if isinstance(program, str) else program
    lines = ["program"]
    for index, statement in enumerate(tree.statements):
        if isinstance(statement, Nothing):
            lines.append(f"  {index + 1}. nothing: the KG has no answer")
            continue
        after = f" after {index}" if index and needs_before(statement) else ""
        lines.append(f"  {index + 1}. {_head(statement)}{after}")
        lines += (f"       {line}" for line in _steps(statement))
    return "\n".join(lines)


def _head(query: Query) -> str:
    what = f"read {query.key}" if query.key else "read whole rows"
    if query.reduce is not None:
        return f"{REDUCTIONS[query.reduce].english} of what is read: {what}"
    count = query.take.count
    return f"{what} of {'all rows' if count is None else f'the first {count}'}"


def _steps(query: Query) -> Iterator[str]:
    source = query.source
    if isinstance(source, Sort):
        way = "greatest" if source.descending else "least"
        yield f"sort by {source.key}, {way} first"
    for condition in source.where:
        yield f"keep rows whose {_condition(condition)}"
    if isinstance(source, Sort):
        yield "rows of the statement before"
        return
    yield f"{source.function}({', '.join(_argument(a) for a in source.arguments)})"
    yield from (f"  POST {path}" for path in source_of(source.function, query.key).endpoints)
    for nested in _nested(source):
        yield f"  first: {_head(nested)}"
        yield from (f"    {line}" for line in _steps(nested))


def _nested(call: Call) -> Iterator[Query]:
    for part in (*call.arguments, *(condition.value for condition in call.where)):
        if isinstance(part, Query):
            yield part


def _condition(condition: Condition) -> str:
    return f"{condition.key} {COMPARISONS[condition.op].english} {_argument(condition.value)}"


def _argument(value: object) -> str:
    if isinstance(value, Star):
        return "the result before"
    if isinstance(value, Query):
        return "a result"
    if isinstance(value, Names):
        return " and ".join(map(repr, value.items))
    return "any" if value is None else repr(value)
