"""Each paper's web path is a setting, and what cannot be is refused."""

from collections import Counter
from dataclasses import replace

import pytest

from models.records import Page, Question, Task
from models.web.extractors import make_reader
from models.web.factory import make_retriever
from models.web.settings import (
    PRESETS,
    Chunking,
    Extraction,
    preset,
    web_settings,
)
from tests.models.web.counting_embedder import CountingEmbedder
from utils.deadline import Deadline
from utils.errors import SettingsError

SOON = Deadline(10.0, lambda: 0.0)


@pytest.mark.parametrize("name", list(PRESETS))
def test_a_preset_finds_the_passage(name: str) -> None:
    for package in ("bs4", "trafilatura", "html2text", "blingfire"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    settings = replace(preset(name), rerank_k=3, workers=0)
    body = "".join(f"<p>Line {i} is about fish and boats in the harbour.</p>" for i in range(60))
    pages = tuple(
        Page(f"Page {i}", f"u{i}", "snippet", f"<title>Page {i}</title><article>{html}</article>")
        for i, html in enumerate(
            (body, "<h1>Northport</h1><p>The lighthouse of Northport is 41 metres high.</p>" + body)
        )
    )
    question = Question("q", "how high is the northport lighthouse?", None, Task.WEB, pages)
    found = make_retriever(
        settings, embedder=CountingEmbedder(), reranker=CountingEmbedder().as_reranker()
    ).retrieve(question, SOON)
    assert any("41 metres" in passage.text for passage in found.passages)
    assert not found.broke
    for passage in found.passages:
        text = found.texts[passage.page].text[passage.start : passage.end]
        assert text.split() == passage.text.split() or "|" in passage.text


def test_tables_are_passages_of_their_own_where_wanted() -> None:
    rows = "".join(f"<tr><td>name {i}</td><td>{i}</td></tr>" for i in range(3))
    html = f"<table><tr><th>Name</th><th>No</th></tr>{rows}</table><p>End.</p>"
    page = Page("A", "u", "", html)
    for tables in (True, False):
        reader = make_reader([Extraction.SELECTOLAX], 10_000, tables=tables)
        found = reader.read(page, Counter())
        assert "name 2" in found.text and bool(found.tables) == tables


def test_a_table_starts_from_a_preset_and_says_what_differs() -> None:
    assert web_settings({}, "db3") == preset("db3")
    made = web_settings({"preset": "bumblebee7", "chunking": "sentences", "embedder": "x"}, "db3")
    assert made == replace(preset("bumblebee7"), chunking=Chunking.SENTENCES, embedder="x")
    made = web_settings({"extractors": ["html2text", "selectolax"]})
    assert made.extractors == (Extraction.HTML2TEXT, Extraction.SELECTOLAX)


@pytest.mark.parametrize(
    ("table", "error"),
    [
        ({"preset": "best"}, "no web path is called 'best'"),
        ({"chunk": 1}, "no setting is called 'chunk'"),
        ({"chunking": "words"}, "chunking cannot be 'words'"),
        ({"parent_size": 0}, "parent_size must be 1 or more"),
        ({"parent_overlap": 700}, "parent_overlap"),
        ({"lexical_cut": -1}, "lexical_cut"),
        ({"extractors": []}, "extractor"),
        ({"reranker": "bi"}, "bi"),
        ({"parent_size": "x"}, "web: "),
    ],
)
def test_a_wrong_table_is_told(table: dict[str, object], error: str) -> None:
    with pytest.raises(SettingsError, match=error):
        web_settings(table)


@pytest.mark.parametrize("off", ["", "none"])
def test_a_model_of_a_preset_can_be_switched_off(off: str) -> None:
    made = web_settings({"preset": "db3", "embedder": off, "reranker": off})
    assert (made.embedder, made.reranker) == (None, None)


@pytest.mark.parametrize("spec", ["BAAI/bge-reranker-base", "cross:", "flags:x"])
def test_a_misspelt_reranker_is_found_before_a_model_is_loaded(spec: str) -> None:
    with pytest.raises(SettingsError, match="cross:MODEL"):
        web_settings({"preset": "db3", "reranker": spec})
