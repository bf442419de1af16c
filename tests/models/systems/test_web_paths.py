"""Each paper's web path: which pages are read, and how they are cut."""

import re
from typing import Any

import pytest

from models.records import Page, Question, Task
from models.runtime.ledger import Ledger
from models.systems.web_passages import WebPassages, web_passages
from models.web.factory import make_retriever
from models.web.settings import web_settings
from tests.models.systems.scripted import SOON

ASKED = "how tall is the lighthouse of Port Amble?"
NAMED = (3, 5, 8, 9, 11)  # the pages whose names or snippets are about what is asked


def passages(preset: str, *pages: Page) -> WebPassages:
    """By the path of a paper, with words in place of its models."""
    words: dict[str, Any] = {"embedder": None, "reranker": "lexical", "lexical_weight": 1.0}
    retriever = make_retriever(web_settings({"preset": preset, **words}))
    question = Question("q", ASKED, None, Task.END_TO_END, pages)
    (found,) = web_passages(retriever, [question], SOON, Ledger(1))
    return found


def page(number: int, *, title: bool = True, body: str = "Port Amble lighthouse, page {}.") -> Page:
    """A page that bears what it is about in its title, or in its snippet."""
    about = "The lighthouse of Port Amble" if number in NAMED else "Something else"
    name, snippet = (about, "") if title else ("A page", about)
    html = f"<title>{name}</title><h1>Lights</h1><p>{body.format(number)}</p>"
    return Page(name, f"https://{number}.example", snippet, html)


@pytest.mark.parametrize(("preset", "title"), [("db3", False), ("bumblebee7", True)])
def test_the_five_pages_with_the_best_snippets_or_titles_are_read(preset: str, title: bool) -> None:
    found = passages(preset, *(page(number, title=title) for number in range(12)))
    assert set(map(int, re.findall(r"page (\d+)\.", " ".join(found.texts)))) == set(NAMED)


def test_bumblebee7_cuts_sections_into_chunks_of_700_tokens_that_overlap_by_20() -> None:
    body = " ".join(f"Amble{number}" for number in range(1000))
    texts = passages("bumblebee7", page(3, body=body)).texts
    chunks = [set(re.findall(r"Amble(\d+)", text)) for text in texts]
    assert all(len(chunk) <= 350 for chunk in chunks)  # a word and its number are two tokens
    assert sum(map(len, chunks)) > len(set.union(*chunks)) == 1000
    assert any("\n# Lights\n\nAmble0 Amble1 " in text for text in texts)


def test_bumblebee7_has_no_reference_of_a_heading_alone() -> None:
    html = "<h2>Related lighthouses</h2><h1>Lighthouse</h1><p>It is 41 m tall.</p>"
    texts = passages("bumblebee7", Page("T", "", "", html)).texts
    assert texts == ("T\n# Lighthouse\n\nIt is 41 m tall.",)


@pytest.mark.parametrize("length", [700, 4000])
def test_dragonrangers_reads_the_best_four_of_512_tokens_each(length: int) -> None:
    body = " ".join(f"lighthouse {number}" for number in range(length // 2))
    found = passages("dragonrangers", page(3, body=body))
    read = re.findall(r"lighthouse (\d+)", found.written(found.texts))
    if length == 700:  # all of it, once, though neighbours overlap by 32
        assert len(set(read)) == 350 == len(read)
    else:
        assert 4 * 64 < len(read) <= 4 * 256  # a word and a number are two tokens or more
