"""The operations on a statement's rows: filter, sort, slice, aggregate.

One row per operator: its implementation and its English wording.
"""

import operator
import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from datetime import datetime
from functools import cmp_to_key
from typing import Any, NamedTuple

from models.english.days import KnownDay, Period
from models.english.leading_quantities import comparable_numbers, leading_quantity
from models.english.periods import resolve
from models.english.quantities import as_number
from models.kg.execution.decimals import exact_mean, exact_sum
from models.kg.execution.fetch.protocol import Row
from models.kg.language.ast import Column, Take
from models.kg.names.named_values import is_named
from models.kg.schema.functions import Key, Type
from models.kg.schema.operations import Op, Reduce
from utils.text import find_run, words, words_with_signs

_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?: \d\d:\d\d)?)?)?")
_BEGINS_WITH_DATE = re.compile(rf"(?:{_DATE.pattern})(?!\d)")
_MISSING = (None, "")


class ComparisonOperator(NamedTuple):
    """The test of a condition, and its wording.

    Attributes:
        holds: tests the result of `compare(value of the row, value of the condition)` against 0;
            for `contains`, it is 0 if the one is in the other.
    """

    holds: Callable[[int, int], bool]
    english: str


COMPARISONS: dict[Op, ComparisonOperator] = {
    Op.EQ: ComparisonOperator(operator.eq, "is"),
    Op.NE: ComparisonOperator(operator.ne, "is not"),
    Op.GE: ComparisonOperator(operator.ge, "is at least"),
    Op.LE: ComparisonOperator(operator.le, "is at most"),
    Op.GT: ComparisonOperator(operator.gt, "is more than"),
    Op.LT: ComparisonOperator(operator.lt, "is less than"),
    Op.CONTAINS: ComparisonOperator(operator.eq, "contains"),
}


class Reduction(NamedTuple):
    """An aggregation, and the wording of its result."""

    run: Callable[[Sequence[Any]], Any]
    english: str


def _numbers_in(values: Sequence[Any]) -> list[float]:
    return [number for number in map(as_number, values) if number is not None]


def _mean(values: Sequence[Any]) -> float | None:
    numbers = _numbers_in(values)
    return exact_mean(numbers) if numbers else None


def _sum(values: Sequence[Any]) -> float | None:
    numbers = _numbers_in(values)
    return exact_sum(numbers) if numbers else None


def _minimum(values: Sequence[Any]) -> Any:
    return _extreme(values, min)


def _maximum(values: Sequence[Any]) -> Any:
    return _extreme(values, max)


def _extreme(values: Sequence[Any], choose: Callable[..., Any]) -> Any:
    """The minimum or maximum: of numbers and quantities by size, of dates and names as texts."""
    known = [value for value in values if value is not None]
    return choose(known, key=_order_of(known), default=None)


def _order_of(values: Sequence[Any]) -> Callable[[Any], Any]:
    """What values are ordered by: numbers, the quantities that texts begin with ("900 m"), or the
    texts as they are."""
    if len(_numbers_in(values)) == len(values):
        return as_number
    texts = list(map(str, values))
    if any(map(_BEGINS_WITH_DATE.match, texts)):
        return str
    measured = [leading_quantity(text) for text in texts]
    first = measured[0] if measured else None
    if first is None or not all(each and comparable_numbers(first, each) for each in measured):
        return str
    return cmp_to_key(lambda value, other: compare(value, other) or 0)


def _most_frequent(values: Sequence[Any]) -> list[Any] | None:
    """The values that occur most often, each once; None if no value occurs."""
    counts = Counter(map(_identity, values))
    most = max(counts.values(), default=0)
    frequent = [value for value in values if counts[_identity(value)] == most]
    return distinct_values(frequent) or None


def distinct_values(values: Sequence[Any]) -> list[Any]:
    """The values without repetitions; texts that differ only in case and punctuation are equal.

    >>> distinct_values(["Salt", "North", "salt!", "AA", "AA+", "AA-"])
    ['Salt', 'North', 'AA', 'AA+', 'AA-']
    """
    first_values: dict[Hashable, Any] = {}
    for value in values:
        first_values.setdefault(_identity(value), value)
    return list(first_values.values())


def _identity(value: Any) -> Hashable:
    """What values that a program takes as one share: their words, so that "Salt!" is "Salt", but
    "AA+" is not "AA"; a title may have signs only, such as "÷"."""
    if not isinstance(value, str):
        return str(value)
    return tuple(words_with_signs(value)) or value


# Means, sums, extremes and modes of no values are None; a mode is a list.
REDUCTIONS: dict[Reduce, Reduction] = {
    Reduce.LEN: Reduction(len, "number"),
    Reduce.AVG: Reduction(_mean, "average"),
    Reduce.SUM: Reduction(_sum, "total"),
    Reduce.MIN: Reduction(_minimum, "lowest"),
    Reduce.MAX: Reduction(_maximum, "highest"),
    Reduce.MODE: Reduction(_most_frequent, "most frequent"),
}


def compare(value: Any, other: Any) -> int | None:
    """-1, 0 or 1 if `value` is less than, equal to, or greater than `other`; None: not comparable.

    Numbers compare by value; dates by their common precision, so that a day equals its year; texts
    by the quantities that they begin with, if these measure the same, else ignoring case, accents
    and punctuation. Two absent values are not known to be equal.

    >>> compare("2001-05-04", "2001")
    0
    >>> compare("$1,200", 900)
    1
    >>> compare("45% of the vote", "3 million"), compare(None, None)
    (None, None)
    """
    if value in _MISSING or other in _MISSING:
        return None
    number = as_number(value)
    other_number = as_number(other)
    if number is not None and other_number is not None:
        return _sign(number, other_number)
    text = str(value).strip()
    other_text = str(other).strip()
    if _BEGINS_WITH_DATE.match(text) and _DATE.fullmatch(other_text):
        return _sign(text[: len(other_text)], other_text)
    quantity = leading_quantity(text)
    other_quantity = leading_quantity(other_text)
    if quantity is not None and other_quantity is not None:
        numbers = comparable_numbers(quantity, other_quantity)
        return _sign(*numbers) if numbers else None
    return _sign(words(text), words(other_text))


def _sign(value: Any, other: Any) -> int:
    if value > other:
        return 1
    return -1 if value < other else 0


def holds(row: Row, op: Op, key: Key, targets: Sequence[Any], now: datetime | None) -> bool:
    """Whether the value of `key` in `row` compares so with one of `targets` (`neq`: with none).

    A list satisfies a condition if one member does; an unknown value satisfies only `eq` to None,
    and a known one `neq` to None. Times may be phrases relative to `now`.

    Raises:
        PeriodError: a time phrase is relative to `now`, which is unknown.
    """
    value = row.get(key.name)
    members = value if isinstance(value, list) else [value]
    results = []
    for member in members:
        for target in targets:
            comparison = _compare_key(member, target, key, op, now)
            if comparison is not None:
                results.append(COMPARISONS[op].holds(comparison, 0))
    if not results:
        return False
    return all(results) if op is Op.NE else any(results)


def keep(
    rows: Sequence[Row], op: Op, key: Key, targets: Sequence[Any], now: datetime | None
) -> list[Row]:
    """The rows that satisfy a condition; of `eq(date, "latest")`, those of the latest known date.

    A `Column` among `targets` is replaced by the row's own value for that key, if it has one.
    """
    kept_rows = []
    for row in rows:
        if holds(row, op, key, _with_columns(targets, row), now):
            kept_rows.append(row)
    edge = _edge_of(targets, key, now) if op is Op.EQ else None
    if not kept_rows or edge is None:
        return kept_rows
    dates = [str(row[key.name]) for row in kept_rows]
    edge_date = min(dates) if edge is KnownDay.FIRST else max(dates)
    return [row for row, date in zip(kept_rows, dates, strict=True) if date == edge_date]


def _with_columns(targets: Sequence[Any], row: Row) -> list[Any]:
    values = []
    for target in targets:
        value = row.get(target.key) if isinstance(target, Column) else target
        if value not in _MISSING or not isinstance(target, Column):
            values.append(value)
    return values


def _edge_of(targets: Sequence[Any], key: Key, now: datetime | None) -> KnownDay | None:
    """The edge that the first such time phrase means: "latest"."""
    edges = []
    for target in targets:
        period = _period_of_condition(target, key, now)
        if period and period.edge:
            edges.append(period.edge)
    return edges[0] if edges else None


def _period_of_condition(target: Any, key: Key, now: datetime | None) -> Period | None:
    """The days of a time phrase in a condition on a date; None for anything else."""
    if key.type is not Type.DATE and key.type is not Type.YEAR:
        return None
    if not isinstance(target, str) or _DATE.fullmatch(target):
        return None
    return resolve(target, now)


def _compare_key(value: Any, target: Any, key: Key, op: Op, now: datetime | None) -> int | None:
    """As `compare`, for a value of `key`: names by their other names, too, dates with phrases."""
    if target is None and op in (Op.EQ, Op.NE):
        return 0 if value in _MISSING else 1
    if value in _MISSING or target is None:
        return None
    if op is Op.CONTAINS:
        return 0 if find_run(words(str(target)), words(str(value))) >= 0 else 1
    is_name = key.type in (Type.TEXT, Type.LIST) and op in (Op.EQ, Op.NE)
    if is_name or key.type is Type.FLAG:
        return 0 if is_named(key.codes, value, target) else 1
    if key.type is Type.YEAR and isinstance(target, str) and _DATE.fullmatch(target):
        return compare(value, target[:4])
    period = _period_of_condition(target, key, now)
    if period is not None:
        return _compare_to_period(str(value), period)
    return compare(value, target)


def _compare_to_period(date: str, period: Period) -> int:
    """-1, 0 or 1 for a date before, in or after a period, by their common precision."""
    first = period.first.isoformat()[: len(date)]
    last = period.last.isoformat()[: len(date)]
    day = date[: len(first)]
    if day > last:
        return 1
    return -1 if day < first else 0


def sort_rows(rows: Sequence[Row], name: str, *, descending: bool) -> list[Row]:
    """The rows sorted by a key; rows without it come last in both directions."""
    known = [row for row in rows if row.get(name) not in _MISSING]
    unknown = [row for row in rows if row.get(name) in _MISSING]
    order = _order_of([row[name] for row in known])
    return sorted(known, key=lambda row: order(row[name]), reverse=descending) + unknown


def take(rows: Sequence[Any], how_many: Take) -> list[Any]:
    """The first `count` rows after `start` others."""
    return list(rows[how_many.start :][: how_many.count])


def distinct_rows(rows: Sequence[Row], name: str) -> list[Row]:
    """The rows without values of a key that an earlier row has; without any value, they go."""
    seen: set[Hashable] = set()
    kept_rows = []
    for row in rows:
        value = row.get(name)
        members = value if isinstance(value, list) else [value]
        new_members = []
        for member in distinct_values(members):
            if member not in _MISSING and _identity(member) not in seen:
                seen.add(_identity(member))
                new_members.append(member)
        if new_members:
            kept_rows.append({**row, name: new_members if isinstance(value, list) else value})
    return kept_rows


def values_in_row(row: Row, key: Key | None) -> list[Any]:
    """The values of a key: a list's members, a single value, or none; without a key, the row."""
    if key is None:
        return [row]
    value = row.get(key.name)
    if isinstance(value, list):
        return [member for member in value if member not in (None, "")]
    return [] if value in (None, "") else [value]
