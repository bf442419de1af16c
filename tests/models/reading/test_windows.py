"""What the reader of pages reads at once: passages below their titles, and rows of tables."""

from dataclasses import replace

import numpy as np
import pytest

from models.ranking.pair_tokens import TokenPair
from models.ranking.span_encoder import SpanLogits
from models.reading.spans import spans_in
from models.reading.windows import MAX_ROWS, Window, best_rows, windows_of
from models.records import Passage
from models.web.page import PageText

CUPS = """Winners since 2018
| Year | Winner | Score |
| --- | --- | --- |
| 2018 | Ann Lee | 3–1 |
| 2019 | Bo Ek |  |
| 2020 | short |"""


def windows(text: str, title: str = "Harbour Cup") -> tuple[list[Window], list[Window]]:
    return windows_of([Passage(text, 0, 0, len(text))], {0: PageText(title, "")})


def test_a_passage_stands_behind_its_pages_title() -> None:
    ((window,), rows) = windows("It was\nplayed  in Easton.")
    assert window.text == "Harbour Cup. It was played in Easton."
    assert window.text[window.start :].startswith("It was")
    assert not rows and not window.cells
    ((untitled,), _) = windows("Played in Easton.", title="")
    assert untitled.text == "Played in Easton."


def test_a_row_has_its_headers_and_its_cells() -> None:
    texts, rows = windows(CUPS)
    assert not texts
    assert [row.text for row in rows] == [
        "Harbour Cup. Winners since 2018. Year: 2018; Winner: Ann Lee; Score: 3–1",
        "Harbour Cup. Winners since 2018. Year: 2019; Winner: Bo Ek",
    ]
    assert [rows[0].text[start:end] for start, end in rows[0].cells] == ["2018", "Ann Lee", "3–1"]


def test_the_rows_with_the_questions_words_are_read() -> None:
    _, rows = windows(CUPS)
    (best,) = best_rows("who won the cup in 2019?", rows, most=1)
    assert "Bo Ek" in best.text
    assert best_rows("who won?", []) == []


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n| --- | --- |\n" + "| easton | 1 |\n" * 10_000,
        ("| easton tower " * 4_000 + "|\n") * 3,
        "| --- |\n| --- |",
        "\x00\ud7ff\u202e | | |",
    ],
)
def test_odd_tables_are_bounded(text: str) -> None:
    texts, rows = windows(text)
    assert len(rows) <= MAX_ROWS
    assert all(len(window.text) < 10_000 for window in texts)


ONE = np.ones(1, dtype=np.float32)


def logits_of(text: str, first: int, last: int) -> SpanLogits:
    """An encoder's output over the words of a text, which prefers one span."""
    offsets = []
    start = 0
    for word in text.split(" "):
        offsets.append((start, start + len(word)))
        start += len(word) + 1
    begins = np.zeros(len(offsets), dtype=np.float32)
    ends = np.zeros(len(offsets), dtype=np.float32)
    begins[first] = ends[last] = 4.0
    pair = TokenPair((0,) * len(offsets), (1,) * len(offsets), 0, tuple(offsets))
    return SpanLogits(pair, begins, ends, nothing=2.0)


@pytest.mark.parametrize(
    ("text", "first", "last", "answer"),
    [
        ("Ann Lee won (in 2018).", 0, 1, "Ann Lee"),
        ("Ann Lee won (in 2018).", 4, 4, "2018"),
        ("Ann Lee won (in 2018).", 3, 4, "in 2018"),
        ('She sang "Low Tide", twice', 2, 3, "Low Tide"),
        ("It cost $3.5 million.", 2, 3, "$3.5 million"),
        ("The band (UK) won", 1, 2, "band (UK)"),
        ("It is 41 m tall.", 2, 2, "41 m"),
        ("By Bo Third. A tower", 1, 3, "Bo Third"),
        ("By St. Ann", 1, 2, "St. Ann"),
        ("It grew by 12% in 1907 mainly", 3, 3, "12%"),
        ("It grew by 12% in 1907 mainly", 5, 5, "1907"),
        ("It cost 3.5 million dollars then", 2, 2, "3.5 million dollars"),
        ("He hit .462, at -5 °C.", 2, 2, ".462"),
        ("It fell on Sept. 11, 2001 there", 3, 5, "Sept. 11, 2001"),
        ("By Capt. James Cook in", 1, 3, "Capt. James Cook"),
        ("By Panic! at the Disco in", 1, 4, "Panic! at the Disco"),
        ("In 1905 days before", 1, 1, "1905"),
        ("On May 5 minutes before", 1, 2, "May 5"),
        ("It took 41 days then", 2, 2, "41 days"),
        ("He hit .462, at -5 °C.", 4, 5, "-5 °C"),
    ],
)
def test_a_span_has_no_marks_at_its_ends(text: str, first: int, last: int, answer: str) -> None:
    best, *others = spans_in(Window(text, 0, 0), logits_of(text, first, last))
    assert best.text == answer
    assert best.margin == 6.0
    assert all(other.margin < best.margin for other in others)
    assert f"«{answer}»" in best.in_context()


def test_spans_of_a_row_are_its_cells() -> None:
    text = "Year: 2019; Winner: Bo Ek"
    window = Window(text, 0, 0, ((6, 10), (20, 25)))
    spans = spans_in(window, logits_of(text, 3, 4))
    assert [span.text for span in spans] == ["Bo Ek", "2019"]


@pytest.mark.parametrize(
    ("text", "offset", "answer"),
    [
        ("It has 1,200 rooms", (7, 8), "1,200"),
        ("It has 1,200 rooms", (9, 12), "1,200"),
        ("By O'Brien now", (5, 10), "O'Brien"),
        ("It is Ann's dog", (6, 9), "Ann"),
        ("By the Lightho", (7, 9), "Lightho"),
    ],
)
def test_a_span_has_whole_words(text: str, offset: tuple[int, int], answer: str) -> None:
    logits = logits_of(text, 0, 0)
    logits = replace(logits, pair=replace(logits.pair, offsets=(offset,)))
    (best, *_) = spans_in(Window(text, 0, 0), replace(logits, begins=ONE, ends=ONE))
    assert best.text == answer
