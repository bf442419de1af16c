"""Passages are whole sentences or rows of tables, and nothing is lost between them."""

import tomllib
from pathlib import Path

import pytest

from models.web.chunking import SentenceChunker, sentences, table_pieces
from models.web.page import PageText

SENTENCES = tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8"))


@pytest.mark.parametrize("parts", SENTENCES["sentences"], ids=str)
def test_where_sentences_end(parts: list[str]) -> None:
    text = " ".join(parts)
    assert [text[start:end].strip() for start, end in sentences(text)] == parts


def test_a_sentence_ends_with_its_line_and_not_after_an_abbreviation() -> None:
    text = "One. Two! Three? Mr. Smith of Acme Inc. met J. Doe. It cost $1.5 million.\nA line\nEnd"
    parts = [text[start:end].strip() for start, end in sentences(text)]
    assert parts == [
        "One.",
        "Two!",
        "Three?",
        "Mr. Smith of Acme Inc. met J. Doe.",
        "It cost $1.5 million.",
        "A line",
        "End",
    ]


def test_sentences_are_joined_up_to_the_limit_and_children_are_spans_of_their_passage() -> None:
    text = "Aaaa bbbb. Cccc dddd.  \n Eeee ffff. " + "x" * 30 + " \n"
    chunks = SentenceChunker(24, 12).chunk(PageText("", text), 3)
    passages = [chunk.passage for chunk in chunks]
    assert [passage.text for passage in passages] == [
        "Aaaa bbbb. Cccc dddd.",
        "Eeee ffff.",
        "x" * 24,
        "x" * 6,
    ]
    for passage in passages:
        assert text[passage.start : passage.end].strip() == passage.text
        assert passage.page == 3
    assert [chunk.children for chunk in chunks] == [
        ((0, 11), (11, 21)),
        ((0, 10),),
        ((0, 24),),
        ((0, 6),),
    ]


def test_a_huge_table_is_split_by_rows_under_its_header() -> None:
    rows = [f"| name {i} | {i} |" for i in range(200)]
    table = "\n".join(["| Name | No |", "| --- | --- |", *rows])
    page = PageText("", f"{table}\nEnd.", ((0, len(table)),))
    chunks = SentenceChunker(table_chars=300).chunk(page, 0)
    *tables, last = [chunk.passage for chunk in chunks]
    assert last.text == "End."
    assert len(tables) > 5
    rows_below_headers: list[str] = []
    for passage in tables:
        assert len(passage.text) <= 300
        assert passage.text.startswith("| Name | No |\n| -")
        assert passage.text.endswith(page.text[passage.start : passage.end])
        rows_below_headers += passage.text.split("\n")[2:]
    assert rows_below_headers == rows


@pytest.mark.parametrize(
    ("rows", "pieces"),
    [("| 1 |\n| 2 |", ["| 1 |\n| 2 |"]), (f"| {'One ' * 12}|", [f"| {'One ' * 12}|"]), ("", [])],
)
def test_a_header_that_leaves_no_room_is_not_repeated(rows: str, pieces: list[str]) -> None:
    header = "| a long header of this table |\n| --- |"
    table = f"{header}\n{rows}"
    assert [piece.text for piece in table_pieces(table, 42)] == [header, *pieces]
