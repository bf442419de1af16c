"""Comparing, keeping, sorting, taking and reducing rows."""

from typing import Any

import pytest

from models.kg.language.ast import Condition, Op, Reduce, Take
from models.kg.operators import (
    COMPARISONS,
    REDUCTIONS,
    as_number,
    compare,
    holds,
    sort_rows,
    take,
)


@pytest.mark.parametrize(
    ("value", "asked", "sign"),
    [
        (3, "3", 0),
        ("$1,200", 1200, 0),
        (2.5, 3, -1),
        ("2012-09-14", 2012, 0),
        ("2012-09-14", "2012-09", 0),
        ("2012-09-14", "2013-01-01", -1),
        ("Director", "director", 0),
        ("K\u00e4ki, Marja", "kaki marja", 0),
        (True, "true", 0),
        (False, "yes", -1),
        (None, "x", None),
        (None, None, 0),
        (True, "Tuesday", None),
    ],
)
def test_compare(value: Any, asked: Any, sign: int | None) -> None:
    assert compare(value, asked) == sign


@pytest.mark.parametrize(
    ("op", "value", "asked", "kept"),
    [
        (Op.EQ, 5, 5, True),
        (Op.NE, 5, 5, False),
        (Op.NE, ["a", "b"], "a", False),
        (Op.NE, None, "a", False),
        (Op.GE, 5, 5, True),
        (Op.GT, 5, 5, False),
        (Op.LE, "2001-05-04", "2001", True),
        (Op.LT, "2000-05-04", "2001", True),
        (Op.EQ, ["Drama", "Comedy"], "comedy", True),
        (Op.GE, None, 5, False),
    ],
)
def test_a_condition(op: Op, value: Any, asked: Any, kept: bool) -> None:
    assert holds({"k": value}, Condition(op, "k", asked), asked) is kept


@pytest.mark.parametrize(
    ("category", "asked", "kept"),
    [
        ("ACTOR IN A LEADING ROLE", "Best Actor", True),
        ("ACTOR IN A SUPPORTING ROLE", "best actor", False),
        ("BEST MOTION PICTURE", "best picture", True),
        ("VISUAL EFFECTS", "visual effects", True),
    ],
)
def test_oscar_categories_go_by_their_common_names(category: str, asked: str, kept: bool) -> None:
    row = {"category": category}
    assert holds(row, Condition(Op.EQ, "category", asked), asked) is kept
    assert holds(row, Condition(Op.NE, "category", asked), asked) is not kept


def test_every_operator_has_a_row() -> None:
    assert set(COMPARISONS) == set(Op)
    assert set(REDUCTIONS) == set(Reduce)


@pytest.mark.parametrize(
    ("reduce", "values", "result"),
    [
        (Reduce.LEN, ["a", "b"], 2),
        (Reduce.LEN, [], 0),
        (Reduce.AVG, [1, "2", None], 1.5),
        (Reduce.AVG, ["x"], None),
        (Reduce.SUM, [1, 2.5], 3.5),
        (Reduce.SUM, [], None),
        (Reduce.MIN, ["10", 9, 11], 9),
        (Reduce.MAX, ["2001-01-01", "1999-12-31"], "2001-01-01"),
        (Reduce.MAX, [None], None),
    ],
)
def test_a_reduction(reduce: Reduce, values: list[Any], result: Any) -> None:
    assert REDUCTIONS[reduce].run(values) == result


def test_sorting_is_by_number_where_all_are_and_puts_the_unknown_last() -> None:
    rows = [{"k": "9"}, {"k": None}, {"k": "10"}]
    assert [row["k"] for row in sort_rows(rows, "k", descending=False)] == ["9", "10", None]
    assert [row["k"] for row in sort_rows(rows, "k", descending=True)] == ["10", "9", None]
    names = [{"k": "b"}, {"k": "a"}]
    assert [row["k"] for row in sort_rows(names, "k", descending=False)] == ["a", "b"]


def test_take() -> None:
    assert take([1, 2, 3], Take(2)) == [1, 2]
    assert take([1, 2, 3], Take(None)) == [1, 2, 3]
    assert take([1, 2, 3], Take()) == [1]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1,234.5", 1234.5), ("-3", -3.0), (True, None), ("3 apples", None), ([], None)],
)
def test_as_number(value: Any, expected: float | None) -> None:
    assert as_number(value) == expected
