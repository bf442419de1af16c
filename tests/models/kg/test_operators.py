"""Comparing, keeping, sorting, taking and reducing rows."""

from datetime import datetime
from typing import Any

import pytest

from models.kg.language.ast import Op, Reduce
from models.kg.language.functions import Key, Type
from models.kg.operators import (
    REDUCTIONS,
    compare,
    holds,
    sort_rows,
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
    kind = Type.TEXT if isinstance(asked, str) and not asked[:1].isdigit() else Type.NUMBER
    assert holds({"k": value}, op, Key("k", kind), [asked], None) is kept


@pytest.mark.parametrize(
    ("codes", "value", "asked"),
    [
        ("", "Bruce Wayne / Batman", "batman"),
        ("character", "Mia Wallace", "mia"),
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
        ("", "Timothée Chalamet", "timothee chalamet"),
        ("", "Timothée Chalamet", "timothee chalemet"),
    ],
)
def test_a_value_is_known_by_its_other_names(codes: str, value: Any, asked: str) -> None:
    assert holds({"k": value}, Op.EQ, Key("k", codes=codes), [asked], None)
    assert not holds({"k": value}, Op.EQ, Key("k", codes=codes), ["something else"], None)


@pytest.mark.parametrize(
    ("op", "value", "phrase", "kept"),
    [
        (Op.EQ, "2024-02-20", "last week", True),
        (Op.EQ, "2024-02-27", "last week", False),
        (Op.GE, "2024-02-19", "last week", True),
        (Op.GT, "2024-02-25", "last week", False),
        (Op.LE, "2024-02", "february 2024", True),
        (Op.LT, "2023", "january 2024", True),
    ],
)
def test_a_condition_on_a_date_takes_a_phrase_of_time(
    op: Op, value: str, phrase: str, kept: bool
) -> None:
    key, now = Key("k", Type.DATE), datetime(2024, 2, 28, 8, 0)
    assert holds({"k": value}, op, key, [phrase], now) is kept


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
