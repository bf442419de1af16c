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
        ("which town has the second largest population?", None),
        ("which town has the largest population after corford?", None),
        ("which town does not have the largest population?", None),
        ("which town has the largest population in france?", None),
        ("which town has the largest decrease in population?", None),
        ("what are the two towns with the largest population?", None),
    ],
)
def test_the_extreme_of_a_named_column(question: str, expected: str | None) -> None:
    assert answer(question) == expected


def table_of(header: str, *rows: str) -> str:
    return "\n".join([f"| {header} |", "| --- | --- |", *(f"| {row} |" for row in rows)])


@pytest.mark.parametrize(
    ("question", "table", "expected"),
    [
        (
            "which film has the highest gross?",
            table_of("Film | Gross", "A | $1.4 billion", "B | $900 million", "C | $2 million"),
            None,  # of several scales
        ),
        (
            "which film has the highest gross?",
            table_of("Film | Gross", "A | $1.4 billion", "B | $2 billion", "C | $1 billion"),
            "B",
        ),
        (
            "which film has the longest length?",
            table_of("Film | Length", "A | 1 h 50 min", "B | 95 min", "C | 2 h"),
            None,
        ),
        (
            "who had the longest reign?",
            table_of("King | Reign", "A | 4 May 1900 – 3 May 1950", "B | 1 May 1950 – 2 May 1951"),
            None,
        ),
        (
            "which county has the largest area?",
            table_of("Name | Area", "Orange County | 10", "Kern | 900", "Napa | 5,400"),
            "Napa",
        ),
        (
            "which parish has the largest population?",
            table_of("Parish | Population", "All Saints | 9,000", "Belby | 900", "Corford | 50"),
            "All Saints",
        ),
        (
            "which player of leeds has the most goals in the cup?",
            table_of("Player | Goals", "A of Leeds | 9", "B, cup | 8", "C, cup | 7", "D | 1"),
            None,  # no row has both words
        ),
    ],
)
def test_numbers_and_conditions_of_odd_tables(
    question: str, table: str, expected: str | None
) -> None:
    assert answer(question, table, title="T") == expected


def test_a_table_of_many_rows_costs_little() -> None:
    rows = "".join(
        f"| Town {number} of the north and west | {number} |\n" for number in range(9000)
    )
    table = f"| Town | Population |\n| --- | --- |\n{rows}"
    assert answer("which town has the largest population?", table) is None


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
