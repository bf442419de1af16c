"""Each paper's web path is a setting, and impossible settings are refused."""

import sys
from dataclasses import replace

import pytest

from models.records import Page, Question, Task
from models.settings import Settings
from models.systems.make_system import spec_of, web_of, web_preset, web_presets
from models.web.make_retriever import make_retriever
from models.web.settings import Chunking, Extraction, WebSettings, web_settings
from tests.models.web.counting_embedder import CountingEmbedder
from utils.deadline import Deadline
from utils.errors import SettingsError


@pytest.mark.parametrize("name", list(web_presets()))
def test_a_preset_finds_the_passage(name: str) -> None:
    settings = replace(web_preset(name), embedder="", reranker="bi", rerank_k=3, workers=0)
    body = "".join(f"<p>Line {i} is about fish and boats in the harbour.</p>" for i in range(60))
    tower = "<h1>Northport</h1><p>The lighthouse of Northport is 41 metres high.</p>"
    pages = tuple(
        Page(f"Page {i}", f"u{i}", "snippet", f"<title>Page {i}</title><article>{html}</article>")
        for i, html in enumerate((body, tower + body))
    )
    question = Question("q", "how high is the northport lighthouse?", None, Task.WEB, pages)
    retriever = make_retriever(settings, embedder=CountingEmbedder())
    result = retriever.retrieve(question, Deadline(10.0, lambda: 0.0))
    best = result.passages[0]
    assert "41 metres" in best.text
    assert best.page == 1
    assert result.texts[1].title == "Page 1"
    assert not result.broke
    for passage in result.passages:
        text = result.texts[passage.page].text[passage.start : passage.end]
        assert text.split() == passage.text.split()


def test_a_table_names_a_preset_and_the_fields_that_differ() -> None:
    own = spec_of("db3").web
    other = spec_of("bumblebee7").web
    assert web_of(Settings("db3")) == own
    table = {"preset": "bumblebee7", "chunking": "sentences", "embedder": "x"}
    settings = web_of(Settings("db3", web=table))
    assert settings == replace(other, chunking=Chunking.SENTENCES, embedder="x")
    assert web_of(Settings("db3", web={"preset": "default"})) == WebSettings()
    settings = web_settings({"extractors": ["html2text", "selectolax"]}, own)
    assert settings == replace(own, extractors=(Extraction.HTML2TEXT, Extraction.SELECTOLAX))
    for off in ("", "none"):
        settings = web_settings({"embedder": off, "reranker": off}, own)
        assert settings == replace(own, embedder=None, reranker=None)


@pytest.mark.parametrize(
    ("table", "error"),
    [
        ({"preset": "best"}, "web.preset: no system is called 'best'.* or 'default'"),
        ({"chunk": 1}, "no setting is called 'chunk'"),
        ({"chunking": "words"}, "chunking cannot be 'words'"),
        ({"parent_overlap": 700}, "parent_overlap"),
        ({"lexical_cut": -1}, "lexical_cut"),
        ({"page_seconds": 0.0}, "page_seconds cannot be 0.0"),
        ({"lexical_weight": float("nan")}, "finite number"),
        ({"extractors": []}, "extractor"),
        ({"reranker": "bi"}, "bi"),
        ({"reranker": "BAAI/bge"}, "cross:MODEL"),
        ({"reranker": "cross:"}, "cross:MODEL"),
        ({"reranker": "flags:x"}, "cross:MODEL"),
    ],
)
def test_a_wrong_table_is_an_error_that_names_the_field(
    table: dict[str, object], error: str
) -> None:
    with pytest.raises(SettingsError, match=error):
        web_of(Settings(web=table))


def test_without_their_packages_passages_are_ranked_by_bm25(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for package in ("sentence_transformers", "FlagEmbedding"):
        monkeypatch.setitem(sys.modules, package, None)
    scorer = make_retriever(replace(web_preset("db3"), workers=0)).scorer
    assert scorer.embedder is None
    assert type(scorer.reranker).__name__ == "LexicalReranker"
    assert [record.message.count("pip install") for record in caplog.records] == [1, 1]
