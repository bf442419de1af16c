"""The papers' ways of cutting texts keep their offsets."""

import pytest

from models.web.page import PageText
from models.web.settings import Chunking, WebSettings
from models.web.splitters import (
    characters,
    is_question,
    make_splitter,
    sentence_groups,
    token_windows,
    under_headers,
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
        (Chunking.PARENT_CHILD, "langchain_text_splitters"),
        (Chunking.SENTENCE_GROUPS, "blingfire"),
        (Chunking.HEADERS, "langchain_text_splitters"),
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
    chunks = make_splitter(settings).chunk(page, 3)
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


@pytest.mark.parametrize(
    ("sentence", "asked"),
    [("Who knows", True), ("It rains?", True), ("It rains.", False), ("Island life.", False)],
)
def test_questions_are_told(sentence: str, asked: bool) -> None:
    assert is_question(sentence) is asked


def test_windows_overlap() -> None:
    text = " ".join(f"w{i}" for i in range(100))
    spans = token_windows(20, 5, lambda t: [(m, m + 1) for m in range(0, 100)])(text)
    assert spans[0] == (0, 20) and spans[1] == (15, 35)
    assert spans[-1][1] == 100


def test_runs_of_spaces_cost_no_passage() -> None:
    pytest.importorskip("langchain_text_splitters", reason="pip install langchain-text-splitters")
    text = "One two  three.   Four five six. \n" * 60
    found = [text[start:end] for start, end in characters(700, 0)(text)]
    assert " ".join(found).split() == text.split()


def test_sections_with_number_signs_and_repeated_words_are_kept() -> None:
    pytest.importorskip("langchain_text_splitters", reason="pip install langchain-text-splitters")
    text = "the the #1 song\n## Lists\nthe the #1 list\nthe # sign\n#3 is not a heading"
    found = [text[start:end] for start, end in under_headers(700, 20)(text)]
    assert found == [
        "the the #1 song", "## Lists", "the the #1 list\nthe # sign\n#3 is not a heading",
    ]  # fmt: skip


def test_more_headings_than_a_page_has_are_prose() -> None:
    pytest.importorskip("langchain_text_splitters", reason="pip install langchain-text-splitters")
    text = "# one\ntwo\n" * 3_000
    found = [text[start:end] for start, end in under_headers(700, 20)(text)]
    assert found[0].startswith("# one\ntwo\n# one") and len(found) < 100


def test_a_table_costs_nothing_of_the_text_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    table = "| A | B |\n| --- | --- |\n| 1 | 2 |"
    text = "\n".join(["Some words.", table] * 3)
    starts = [i for i in range(len(text)) if text.startswith(table, i)]
    page = PageText("", text, tuple((i, i + len(table)) for i in starts))
    splitter = make_splitter(WebSettings(chunking=Chunking.TOKENS))
    assert [c.passage.text for c in splitter.chunk(page, 0)] == ["Some words.", table] * 3
    read: list[str] = []
    monkeypatch.setattr("models.web.chunking.sentences", lambda body: read.append(body) or [])
    splitter.chunk(page, 0)
    assert not read
