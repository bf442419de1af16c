"""A superlative over a column of a table: the row with its extreme, or nothing."""

import pytest

from models.reading.columns import extreme_cell
from models.records import Passage
from models.web.page import PageText

TOWNS = """| Town | Region | Population | Area (km²) | Founded |
| --- | --- | --- | --- | --- |
| Ashham | North | 1,200 | 12.5 | 1907 |
| Belby | South | 900 (2010) | 80 | 1850 |
| Corford | North | 5,400 | 7 | 1990 |
| Dunton | South | 3,000 | 80 | 1700 |
| Total | | 10,500 | 179.5 | |"""


def answer(question: str, table: str = TOWNS, title: str = "Towns of Eastland") -> str | None:
    text = f"Some towns.\n{table}"
    page = PageText(title, text, ((12, len(text)),))
    passages = [Passage("Some towns.", 0, 0, 11), Passage(table[:150], 0, 12, 162)]
    found = extreme_cell(question, passages, {0: page})
    if found is None:
        return None
    assert found.window.text[found.start : found.end] == found.text
    return found.text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which town has the largest population?", "Corford"),
        ("what town has the lowest population in eastland?", "Belby"),
        ("which has the smallest area?", "Corford"),
        ("which region has the town with the largest population?", "North"),
        ("which town in the south has the highest population?", "Dunton"),
        ("which town has the largest area?", None),  # two have it
        ("which town has the largest harbour?", None),  # no such column
        ("which town has at least 3,000 people?", None),
        ("which town had the largest population in 1950?", None),  # no row says so
        ("which town was founded first?", None),
        ("who lives in the towns?", None),
    ],
)
def test_the_extreme_of_a_named_column(question: str, expected: str | None) -> None:
    assert answer(question) == expected


@pytest.mark.parametrize(
    "table",
    [
        "",
        "| Town | Population |\n| --- | --- |\n| Ashham | 12 |\n| Belby | 13 |",  # too few
        "| Town | Population |\n| --- | --- |\n" + "| Ashham | many |\n" * 9,
        "| Town | Population |\n| --- | --- |\n" + "| Ashham | 2–1 |\n" * 9,
        "| --- |\n" * 50,
        "| Population |\n| --- |\n" + "| 1 |\n" * 5 + "| 7 |",
    ],
)
def test_a_table_that_cannot_tell_answers_nothing(table: str) -> None:
    assert answer("which town has the largest population?", table) is None
