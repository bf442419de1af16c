"""Comparing, keeping, sorting, taking and reducing rows."""

from datetime import datetime
from typing import Any

import pytest

from models.kg.execution.row_operations import (
    REDUCTIONS,
    distinct_rows,
    holds,
    keep,
    sort_rows,
)
from models.kg.language.ast import Column
from models.kg.schema.functions import Key, Type
from models.kg.schema.operations import Op, Reduce


@pytest.mark.parametrize(
    ("kind", "op", "value", "target", "satisfied"),
    [
        (Type.NUMBER, Op.EQ, "$1,200", 1200, True),
        (Type.NUMBER, Op.LT, 2.5, "3", True),
        (Type.TEXT, Op.EQ, None, None, True),
        (Type.TEXT, Op.NE, ["a", "b"], "a", False),
        (Type.TEXT, Op.NE, None, "a", False),
        (Type.TEXT, Op.NE, "a", None, True),
        (Type.TEXT, Op.NE, None, None, False),
        (Type.NUMBER, Op.GE, None, None, False),
        (Type.NUMBER, Op.LT, "", 3, False),
        (Type.TEXT, Op.GT, "45% of the vote, 3 million", 40, True),
        (Type.TEXT, Op.GT, "45% of the vote, 3 million", "5%", True),
        (Type.TEXT, Op.LT, "45% of the vote, 3 million", 1000, False),
        (Type.TEXT, Op.GT, "8,804,190 (2020)", 1_000_000, True),
        (Type.TEXT, Op.LT, "5 km (by road)", "4 miles", True),
        (Type.NUMBER, Op.GE, 5, 5, True),
        (Type.NUMBER, Op.GT, 5, 5, False),
        (Type.TEXT, Op.EQ, ["Drama", "Comedy"], "comedy", True),
        (Type.DATE, Op.LE, "2001-05-04", "2001", True),
        (Type.DATE, Op.LT, "2000-05-04", "2001", True),
        # a date takes a phrase of time
        (Type.DATE, Op.EQ, "2024-02-27", "last week", False),
        (Type.DATE, Op.EQ, "2024-02-19", "last week", True),
        (Type.DATE, Op.GT, "2024-02-24", "last week", False),
        (Type.DATE, Op.GT, "2024-02-25", "last week", True),
        (Type.DATE, Op.LT, "2023", "january 2024", True),
        (Type.YEAR, Op.EQ, 2023, "2023-05-04", True),
        # a text contains words, one after the other
        (Type.TEXT, Op.CONTAINS, "MISS Sixth 3PT Jump Shot", "jump shot", True),
        (Type.TEXT, Op.CONTAINS, "Sixth Free Throw 1 of 2", "free throw 1", True),
        (Type.TEXT, Op.CONTAINS, "Sixth Jumping Shot", "jump shot", False),
        (Type.TEXT, Op.CONTAINS, "Shot Jump", "jump shot", False),
        (Type.TEXT, Op.CONTAINS, "Beyoncé Featuring Bo Third", "beyonce", True),
        (Type.TEXT, Op.CONTAINS, "anything", "", False),
        (Type.TEXT, Op.CONTAINS, None, "jump", False),
        (Type.LIST, Op.CONTAINS, ["Science Fiction", "Drama"], "fiction", True),
    ],
)
def test_a_condition_compares_by_the_type_of_its_key(
    kind: Type, op: Op, value: Any, target: Any, satisfied: bool
) -> None:
    now = datetime(2024, 2, 28, 8, 0)
    assert holds({"k": value}, op, Key("k", kind), [target], now) is satisfied


@pytest.mark.parametrize(
    ("row", "op", "kept"),
    [
        ({"open": 2, "close": 3}, Op.GT, True),
        ({"open": 2, "close": 2}, Op.EQ, True),
        ({}, Op.EQ, False),
        ({"open": None, "close": None}, Op.EQ, False),
        ({"open": None, "close": None}, Op.GE, False),
        ({"open": 2}, Op.NE, False),
        ({"close": 2}, Op.NE, False),
        ({"close": 2, "open": ""}, Op.EQ, False),
    ],
)
def test_absent_columns_are_not_equal(row: dict[str, Any], op: Op, kept: bool) -> None:
    key = Key("close", Type.NUMBER)
    assert keep([row], op, key, [Column("open")], None) == ([row] if kept else [])


@pytest.mark.parametrize(
    ("codes", "value", "name"),
    [
        ("", "Bruce Wayne / Batman", "batman"),
        ("character", "Mia Wallace", "mia"),
        ("character", "Detective Bo Third", "detective third"),
        ("category", "BEST PICTURE", "best film"),
        ("category", "ACTOR IN A LEADING ROLE", "Best Actor"),
        ("category", "VISUAL EFFECTS", "visual effect"),
        ("category", "WRITING (Adapted Screenplay)", "oscar for best adapted screenplay"),
        ("job", "Screenplay", "writer"),
        ("gender", 1, "female"),
        ("gender", "2", "actor"),
        ("result", "D", "draw"),
        ("language", "ja", "japanese"),
        ("country", "GB", "uk"),
        ("country", "SE", "sweden"),
        ("", "Timothée Chalamet", "timothee chalemet"),
    ],
)
def test_a_value_equals_its_other_names(codes: str, value: Any, name: str) -> None:
    key = Key("k", codes=codes)
    assert holds({"k": value}, Op.EQ, key, [name], None)
    assert not holds({"k": value}, Op.EQ, key, ["something else"], None)


@pytest.mark.parametrize(
    ("reduce", "values", "result"),
    [
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
def test_a_reduction_gives_one_value_or_none(
    reduce: Reduce, values: list[Any], result: Any
) -> None:
    assert REDUCTIONS[reduce].run(values) == result


def test_numbers_are_sorted_by_value_with_unknown_ones_last() -> None:
    rows = [{"k": value} for value in ("9", None, "10")]
    ascending = sort_rows(rows, "k", descending=False)
    descending = sort_rows(rows, "k", descending=True)
    assert [row["k"] for row in ascending] == ["9", "10", None]
    assert [row["k"] for row in descending] == ["10", "9", None]


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        (["Salt", "North", "salt!", "NORTH"], ["Salt", "North"]),
        (["÷", "×", "÷"], ["÷", "×"]),
        ([1, 2, 1], [1, 2]),
        ([None, "", "Salt"], ["Salt"]),
        ([["Drama", "Crime"], ["Crime", "War"], ["Drama"]], [["Drama", "Crime"], ["War"]]),
    ],
)
def test_rows_that_repeat_a_value_are_dropped(values: list[Any], kept: list[Any]) -> None:
    rows = distinct_rows([{"k": value, "n": n} for n, value in enumerate(values)], "k")
    assert [row["k"] for row in rows] == kept


@pytest.mark.parametrize(
    ("values", "mode"),
    [
        (["Salt", "North", "salt"], ["Salt"]),
        (["Salt", "North"], ["Salt", "North"]),
        ([3, 4, 4, 3, 5], [3, 4]),
        (["÷", "×", "÷"], ["÷"]),
        ([], None),
    ],
)
def test_a_mode_has_the_most_frequent_values(values: list[Any], mode: list[Any] | None) -> None:
    assert REDUCTIONS[Reduce.MODE].run(values) == mode
