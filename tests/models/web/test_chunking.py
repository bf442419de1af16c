"""Passages are whole sentences or rows of tables, and nothing is lost between them."""

import pytest

from models.web.chunking import SentenceChunker, sentences, table_pieces
from models.web.page import PageText


def test_sentences() -> None:
    text = "One. Two! Three? Mr. Smith of Acme Inc. met J. Doe. It cost $1.5 million.\nA line\nEnd"
    last = ["Mr. Smith of Acme Inc. met J. Doe.", "It cost $1.5 million.", "A line", "End"]
    found = [text[start:end].strip() for start, end in sentences(text)]
    assert found == ["One.", "Two!", "Three?", *last]


def test_sentences_are_joined_up_to_the_limit_and_children_stand_in_their_passage() -> None:
    text = "Aaaa bbbb. Cccc dddd.  \n Eeee ffff. " + "x" * 30 + " \n"
    found = SentenceChunker(24, 12).chunk(PageText("", text), 3)
    passages = [chunk.passage for chunk in found]
    assert [p.text for p in passages] == ["Aaaa bbbb. Cccc dddd.", "Eeee ffff.", "x" * 24, "x" * 6]
    assert all(text[p.start : p.end].strip() == p.text and p.page == 3 for p in passages)
    children = [((0, 11), (11, 21)), ((0, 10),), ((0, 24),), ((0, 6),)]
    assert [chunk.children for chunk in found] == children


def test_a_huge_table_is_split_by_rows_under_its_header() -> None:
    rows = [f"| name {i} | {i} |" for i in range(200)]
    table = "\n".join(["| Name | No |", "| --- | --- |", *rows])
    page = PageText("", f"{table}\nEnd.", ((0, len(table)),))
    *tables, end = [chunk.passage for chunk in SentenceChunker(table_chars=300).chunk(page, 0)]
    assert end.text == "End." and len(tables) > 5
    assert all(len(p.text) <= 300 and p.text.startswith("| Name | No |\n| -") for p in tables)
    assert [line for p in tables for line in p.text.split("\n")[2:]] == rows
    assert all(p.text.endswith(page.text[p.start : p.end]) for p in tables)


@pytest.mark.parametrize(
    ("rows", "pieces"),
    [("| 1 |\n| 2 |", ["| 1 |\n| 2 |"]), (f"| {'One ' * 12}|", [f"| {'One ' * 12}|"]), ("", [])],
)
def test_a_header_that_leaves_no_room_is_not_repeated(rows: str, pieces: list[str]) -> None:
    table = f"| a long header of this table |\n| --- |\n{rows}"
    assert [text for text, _, _ in table_pieces(table, 42)] == pieces
