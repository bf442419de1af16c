"""The operations on a statement's rows: filter, sort, slice, aggregate.

One row per operator: its implementation and its English wording.
"""

import operator
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from models.kg.english.days import Edge, Period
from models.kg.english.named_values import is_named
from models.kg.english.periods import resolve
from models.kg.english.quantities import as_number
from models.kg.language.ast import Column, Take
from models.kg.schema.functions import Key, Type
from models.kg.schema.operations import Op, Reduce
from utils.text import words

Row = dict[str, Any]
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?: \d\d:\d\d)?)?)?")


class ComparisonOperator(NamedTuple):
    """The test of a condition, and its wording."""

    holds: Callable[[int, int], bool]
    english: str


# Tested on the sign of (row's value - given value), compared with 0.
COMPARISONS: dict[Op, ComparisonOperator] = {
    Op.EQ: ComparisonOperator(operator.eq, "is"),
    Op.NE: ComparisonOperator(operator.ne, "is not"),
    Op.GE: ComparisonOperator(operator.ge, "is at least"),
    Op.LE: ComparisonOperator(operator.le, "is at most"),
    Op.GT: ComparisonOperator(operator.gt, "is more than"),
    Op.LT: ComparisonOperator(operator.lt, "is less than"),
}


class Reduction(NamedTuple):
    """An aggregation, and the wording of its result."""

    run: Callable[[Sequence[Any]], Any]
    english: str


def _numbers(values: Sequence[Any]) -> list[float]:
    return [number for number in map(as_number, values) if number is not None]


def _of_numbers(combine: Callable[[list[float]], float]) -> Callable[[Sequence[Any]], Any]:
    """None if no value is a number."""
    return lambda values: combine(numbers) if (numbers := _numbers(values)) else None


def _extreme(pick: Callable[..., Any]) -> Callable[[Sequence[Any]], Any]:
    """Minimum or maximum: of numbers by value, of dates and names as texts."""

    def run(values: Sequence[Any]) -> Any:
        known = [value for value in values if value is not None]
        by_number = len(_numbers(known)) == len(known)
        return pick(known, key=as_number if by_number else str, default=None)

    return run


REDUCTIONS: dict[Reduce, Reduction] = {
    Reduce.LEN: Reduction(len, "number"),
    Reduce.AVG: Reduction(_of_numbers(lambda numbers: sum(numbers) / len(numbers)), "average"),
    Reduce.SUM: Reduction(_of_numbers(sum), "total"),
    Reduce.MIN: Reduction(_extreme(min), "lowest"),
    Reduce.MAX: Reduction(_extreme(max), "highest"),
}


def compare(value: Any, asked: Any) -> int | None:
    """-1, 0 or 1 if `value` is less than, equal to, or greater than `asked`; None: not comparable.

    Numbers compare by value; dates by their common precision, so that a day equals its year;
    texts ignoring case, accents and punctuation.
    """
    if value is None or asked is None:
        return 0 if value is asked else None
    left, right = as_number(value), as_number(asked)
    if left is not None and right is not None:
        return (left > right) - (left < right)
    first, second = str(value).strip(), str(asked).strip()
    if _DATE.match(first) and _DATE.fullmatch(second):
        first = first[: len(second)]
        return (first > second) - (first < second)
    own, wanted = words(first), words(second)
    return (own > wanted) - (own < wanted)


def holds(row: Row, op: Op, key: Key, asked: Sequence[Any], now: datetime | None) -> bool:
    """Whether the value of `key` in `row` compares so with one of `asked` (`neq`: with none).

    A list satisfies a condition if one member does; an unknown value never does. Times may be
    phrases relative to `now`.

    Raises:
        PeriodError: a time phrase is relative to `now`, which is unknown.
    """
    value = row.get(key.name)
    members = value if isinstance(value, list) else [value]
    signs = [_sign(member, each, key, op, now) for member in members for each in asked]
    known = [COMPARISONS[op].holds(sign, 0) for sign in signs if sign is not None]
    return bool(known) and (all(known) if op is Op.NE else any(known))


def keep(
    rows: Sequence[Row], op: Op, key: Key, asked: Sequence[Any], now: datetime | None
) -> list[Row]:
    """The rows that satisfy a condition; of `eq(date, "latest")`, those of the latest known date.

    A `Column` among `asked` is replaced by the row's own value for that key.
    """
    kept = []
    for row in rows:
        values = [row.get(v.key) if isinstance(v, Column) else v for v in asked]
        if holds(row, op, key, values, now):
            kept.append(row)
    edges = [_period(each, key, now) for each in asked] if op is Op.EQ else []
    edge = next((period.edge for period in edges if period and period.edge), None)
    if kept and edge is not None:
        best = (min if edge is Edge.FIRST else max)(str(row[key.name]) for row in kept)
        kept = [row for row in kept if str(row[key.name]) == best]
    return kept


def _period(asked: Any, key: Key, now: datetime | None) -> Period | None:
    """The days of a time phrase in a condition on a date; None for anything else."""
    phrase = isinstance(asked, str) and not _DATE.fullmatch(asked)
    return resolve(asked, now) if phrase and key.type in (Type.DATE, Type.YEAR) else None


def _sign(value: Any, asked: Any, key: Key, op: Op, now: datetime | None) -> int | None:
    if value is None or asked is None:
        return compare(value, asked)
    if (key.type in (Type.TEXT, Type.LIST) and op in (Op.EQ, Op.NE)) or key.type is Type.FLAG:
        return 0 if is_named(key.codes, value, asked) else 1
    if key.type is Type.YEAR and isinstance(asked, str) and _DATE.fullmatch(asked):
        return compare(value, asked[:4])
    if period := _period(asked, key, now):
        length = len(str(value))
        first, last = (day.isoformat()[:length] for day in (period.first, period.last))
        day = str(value)[: len(first)]
        return (day > last) - (day < first)
    return compare(value, asked)


def sort_rows(rows: Sequence[Row], name: str, *, descending: bool) -> list[Row]:
    """The rows sorted by a key; rows without it come last in both directions."""
    known = [row for row in rows if row.get(name) not in (None, "")]
    rest = [row for row in rows if row.get(name) in (None, "")]
    by_number = all(as_number(row[name]) is not None for row in known)
    order: Callable[[Any], Any] = as_number if by_number else str
    return sorted(known, key=lambda row: order(row[name]), reverse=descending) + rest


def take(rows: Sequence[Any], how_many: Take) -> list[Any]:
    """The first `count` rows after `start` others."""
    return list(rows[how_many.start :][: how_many.count])
