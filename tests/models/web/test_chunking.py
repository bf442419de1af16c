"""Passages are whole sentences, and nothing is lost between them."""

import pytest

from models.web.chunking import Chunk, SentenceChunker, sentences
from models.web.page import PageText


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Mr. Smith of Acme Inc. met J. Doe.", ["Mr. Smith of Acme Inc. met J. Doe."]),
        ("It cost $1.5 million. Then more.", ["It cost $1.5 million.", "Then more."]),
        ("A line\nanother line", ["A line", "another line"]),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end].strip() for start, end in sentences(text)] == expected


def chunks(text: str, max_chars: int) -> list[Chunk]:
    return SentenceChunker(max_chars, max_chars).chunk(PageText("", text), 3)


def test_neighbours_are_joined_up_to_the_limit() -> None:
    found = chunks("Aaaa bbbb. Cccc dddd. Eeee ffff.", 24)
    assert [c.passage.text for c in found] == ["Aaaa bbbb. Cccc dddd.", "Eeee ffff."]


def test_nothing_is_lost_and_offsets_hold() -> None:
    text = "\n".join(f"Sentence {i} is here. {'Long ' * (i * 7)}end." for i in range(40))
    passages = [c.passage for c in chunks(text, 400)]
    assert " ".join(p.text for p in passages).split() == text.split()
    assert all(text[p.start : p.end].strip() == p.text and p.page == 3 for p in passages)


def test_children_stand_within_their_passage() -> None:
    found = chunks("One is here.  \n Two. " + "x" * 30 + " \n", 24)
    assert all(0 <= a < b <= len(c.passage.text) for c in found for a, b in c.children)


def test_a_table_in_pieces_has_none_of_its_header_alone() -> None:
    header = f"| {'name of the lake ' * 4}| depth |\n| --- | --- |"
    table = f"{header}\n| {'One ' * 12}| 1 |"
    found = SentenceChunker(table_chars=110).chunk(PageText("", table, ((0, len(table)),)), 0)
    assert [c.passage.text for c in found] == [f"| {'One ' * 12}| 1 |"]
