"""Each paper's web path: which pages are read, and how they are cut."""

import re
from typing import Any

import pytest

from models.records import Page, Question, Task
from models.runtime.ledger import Ledger
from models.systems.web_passages import WebPassages, web_passages
from models.web.factory import make_retriever
from models.web.retriever import Retriever
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


def test_only_the_questions_that_are_wanted() -> None:
    asked, ledger = [Question("q", ASKED, None, Task.WEB, (page(3),))] * 3, Ledger(3)
    found = web_passages(Retriever(), asked, SOON, ledger, [2, 0])
    assert [bool(each.texts) for each in found] == [True, False, True]
    assert [len(each.steps) for each in ledger.close()] == [1, 0, 1]


@pytest.mark.parametrize("length", [700, 4000])
def test_dragonrangers_reads_the_best_four_of_512_tokens_each(length: int) -> None:
    body = " ".join(f"lighthouse {number}" for number in range(length // 2))
    found = passages("dragonrangers", page(3, body=body))
    read = re.findall(r"lighthouse (\d+)", found.written(found.texts))
    if length == 700:  # all of it, once, though neighbours overlap by 32
        assert len(set(read)) == 350 == len(read)
    else:
        assert 4 * 64 < len(read) <= 4 * 256  # a word and a number are two tokens or more
