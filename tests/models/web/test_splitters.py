"""The papers' ways of cutting texts keep their offsets."""

from itertools import pairwise

import pytest

from models.web.page import PageText
from models.web.settings import Chunking, WebSettings
from models.web.splitters import (
    characters,
    make_chunker,
    sentence_groups,
    tokens,
    under_headings,
    windows,
)

TEXT = "\n".join(
    [
        "# Northport",
        "The lighthouse is 41 metres high. It was built in 1881. Caf\u00e9s stand near. It rains.",
        "How old is it? It is 140 years old. Nobody lives there.",
        "## Harbour",
        *(f"Boat number {i} comes in and goes out with the tide." for i in range(30)),
        "",
    ]
)


@pytest.mark.parametrize(
    ("chunking", "package"),
    [
        (Chunking.PARENT_CHILD, "re"),
        (Chunking.SENTENCE_GROUPS, "blingfire"),
        (Chunking.HEADERS, "re"),
        (Chunking.TOKENS, "re"),
    ],
)
def test_every_passage_stands_at_its_offsets(chunking: Chunking, package: str) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    table = "| A | B |\n| --- | --- |\n| 1 | 2 |"
    text = f"{TEXT}\n{table}\nThe end."
    start = text.index(table)
    page = PageText("Northport", text, ((start, start + len(table)),))
    settings = WebSettings(chunking=chunking, parent_size=300, parent_overlap=20, child_size=100)
    chunks = make_chunker(settings).chunk(page, 3)
    for chunk in chunks:
        passage = chunk.passage
        assert passage.page == 3
        assert text[passage.start : passage.end].strip() == passage.text
        assert all(passage.text[a:b].strip() for a, b in chunk.children)
    assert [c.passage.text for c in chunks if c.passage.text.startswith("| A")] == [table]
    said = " ".join(chunk.passage.text for chunk in chunks)
    assert all(word in said for word in TEXT.replace("#", "").split())


def test_a_question_is_joined_with_its_answer() -> None:
    pytest.importorskip("blingfire", reason="pip install blingfire")
    text = "One is. Two is. Three is. Four is. Why is it so? Because. And more."
    found = [text[start:end] for start, end in sentence_groups(200)(text)]
    assert found == ["One is. Two is. Three is.", "Four is.", "Why is it so? Because. And more."]


def test_a_long_sentence_is_cut_between_words() -> None:
    pytest.importorskip("blingfire", reason="pip install blingfire")
    text = "Aaaa bbbb\ncccc dddd eeee ffff. One is."
    assert [text[a:b] for a, b in sentence_groups(21)(text)] == [text]
    assert [text[a:b].strip() for a, b in sentence_groups(21)(text[:30])] == [
        "Aaaa bbbb\ncccc dddd"
    ]


def cut(text: str, size: int, overlap: int) -> list[str]:
    return [text[start:end] for start, end in windows(size, overlap, characters)(text)]


def test_a_window_ends_with_a_sentence_or_else_with_a_word() -> None:
    assert cut("One two. Three four. Five.", 22, 0) == ["One two. Three four.", "Five."]
    assert cut("One two three four five", 10, 0) == ["One two", "three", "four five"]


def test_a_window_begins_with_a_word_of_the_one_before() -> None:
    text = " ".join(f"word{i}" for i in range(100))
    found = [part.split() for part in cut(text, 200, 20)]
    assert all(part[0] in before for before, part in pairwise(found))
    assert set().union(*found) == set(text.split())
    assert cut("One two. Three four five six seven.", 25, 10) == [
        "One two. Three four five", "four five six seven.",
    ]  # fmt: skip


def test_windows_are_measured_by_tokens_too() -> None:
    text = "internationally, 1234 and so on"
    assert [tokens(word) for word in text.split()] == [4, 2, 1, 1, 1]
    assert [text[a:b] for a, b in windows(6, 0, tokens)(text)] == ["internationally, 1234",
                                                                  "and so on"]  # fmt: skip


def test_runs_of_spaces_and_of_letters_cost_no_text() -> None:
    text = "One two  three.   Four five six. \n" * 60 + "x" * 1000
    found = cut(text, 700, 0)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert max(map(len, found)) < 1000


def test_a_section_begins_with_its_heading_and_bare_headings_are_left_out() -> None:
    text = "the the #1 song\n# A\n## Lists\nthe # sign\n#3 is not a heading\n###\n### Menu\n\n"
    found = [text[start:end] for start, end in under_headings(windows(700, 20, tokens))(text)]
    assert found == ["the the #1 song", "## Lists\nthe # sign\n#3 is not a heading"]


def test_a_table_costs_nothing_of_the_text_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    table = "| A | B |\n| --- | --- |\n| 1 | 2 |"
    text = "\n".join(["Some words.", table] * 3)
    starts = [i for i in range(len(text)) if text.startswith(table, i)]
    page = PageText("", text, tuple((i, i + len(table)) for i in starts))
    splitter = make_chunker(WebSettings(chunking=Chunking.TOKENS))
    assert [c.passage.text for c in splitter.chunk(page, 0)] == ["Some words.", table] * 3
    read: list[str] = []
    monkeypatch.setattr("models.web.chunking.sentences", lambda body: read.append(body) or [])
    splitter.chunk(page, 0)
    assert not read
