"""Passages are whole sentences, and nothing is lost between them."""

import pytest

from models.web.chunking import sentences, split


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


def test_neighbours_are_joined_up_to_the_limit() -> None:
    text = "Aaaa bbbb. Cccc dddd. Eeee ffff."
    assert [passage.text for passage in split(text, 0, max_chars=24)] == [
        "Aaaa bbbb. Cccc dddd.",
        "Eeee ffff.",
    ]


def test_nothing_is_lost_and_offsets_hold() -> None:
    text = "\n".join(f"Sentence {i} is here. {'Long ' * (i * 7)}end." for i in range(40))
    passages = split(text, page=3)
    assert " ".join(p.text for p in passages).split() == text.split()
    assert all(text[p.start : p.end].strip() == p.text and p.page == 3 for p in passages)
