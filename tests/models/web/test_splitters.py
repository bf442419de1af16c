"""The papers' ways of cutting texts; tests/models/web/test_robustness.py checks their offsets."""

import pytest

from models.web import splitters
from models.web.page import PageText
from models.web.settings import Chunking, WebSettings
from models.web.splitters import characters, make_chunker, sentence_groups, tokens, windows

TABLE = "| A | B |\n| --- | --- |\n| 1 | 2 |"
BOATS = "\n".join(f"Boat number {i} comes in and goes out with the tide." for i in range(30))
TEXT = f"""# Northport
The lighthouse is 41 metres high. It was built in 1881. Caf\u00e9s stand near. It rains.
## Harbour
{BOATS}

{TABLE}
The end."""


@pytest.mark.parametrize("chunking", list(Chunking))
def test_a_table_stays_whole_and_no_word_is_lost(chunking: Chunking) -> None:
    start = TEXT.index(TABLE)
    page = PageText("Northport", TEXT, ((start, start + len(TABLE)),))
    settings = WebSettings(chunking=chunking, parent_size=300, parent_overlap=20, child_size=100)
    texts = [chunk.passage.text for chunk in make_chunker(settings).chunk(page, 3)]
    assert [text for text in texts if text.startswith("| A")] == [TABLE]
    assert all(word in " ".join(texts) for word in TEXT.replace("#", "").split())


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("One is. Two is. Three is. Four is. Why is it so? Because. And more.",
         ["One is. Two is. Three is.", "Four is.", "Why is it so? Because. And more."]),
        ("Aaaa bbbb\ncccc dddd eeee ffff. One is.", ["Aaaa bbbb\ncccc dddd eeee ffff. One is."]),
        ("Aaaa bbbb\ncccc dddd eeee ffff.", ["Aaaa bbbb\ncccc dddd "]),
        (" ", []),
    ],
)  # fmt: skip
def test_a_question_keeps_its_answer_and_a_sentence_is_cut(text: str, groups: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_groups(21)(text)] == groups


@pytest.mark.parametrize(
    ("text", "size", "overlap", "expected"),
    [
        # a window ends with a sentence, or else with a word
        ("One two. Three four. Five.", 22, 0, ["One two. Three four.", "Five."]),
        ("One two three four five", 10, 0, ["One two", "three", "four five"]),
        # and begins with a word of the one before
        ("One two. Three four five six seven.", 25, 10,
         ["One two. Three four five", "four five six seven."]),
    ],
)  # fmt: skip
def test_windows(text: str, size: int, overlap: int, expected: list[str]) -> None:
    assert [text[a:b] for a, b in windows(size, overlap, characters)(text)] == expected


def test_windows_are_measured_by_tokens_too() -> None:
    text = "internationally, 1234 and so on"
    assert [tokens(word) for word in text.split()] == [4, 2, 1, 1, 1]
    found = [text[a:b] for a, b in windows(6, 0, tokens)(text)]
    assert found == ["internationally, 1234", "and so on"]


def test_a_section_begins_with_its_heading_and_bare_headings_are_left_out() -> None:
    text = "the the #1 song\n# A\n## Lists\nthe # sign\n#3 is not a heading\n###\n### Menu\n\n"
    spans = splitters.under_headings(windows(700, 20, tokens))(text)
    found = [text[start:end] for start, end in spans]
    assert found == ["the the #1 song", "## Lists\nthe # sign\n#3 is not a heading"]
