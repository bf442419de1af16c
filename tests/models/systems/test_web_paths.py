"""The pages whose passages a system reads; the rest is in tests/models/web."""

import re

import pytest

from models.records import Page, Task
from models.runtime.ledger import Ledger
from models.systems.web_passages import web_passages
from models.web.factory import make_retriever
from models.web.retriever import Retriever
from models.web.settings import web_settings
from tests.models.systems.scripted import SOON, question

NAMED = (3, 5, 8, 9, 11)  # the pages whose names or snippets are about what is asked


def page(number: int, *, title: bool) -> Page:
    """A page that bears what it is about in its title, or in its snippet."""
    about = "The lighthouse of Port Amble" if number in NAMED else "Something else"
    name, snippet = (about, "") if title else ("A page", about)
    html = f"<title>{name}</title><h1>Lights</h1><p>Port Amble lighthouse, page {number}.</p>"
    return Page(name, f"https://{number}.example", snippet, html)


@pytest.mark.parametrize(("preset", "title"), [("db3", False), ("bumblebee7", True)])
def test_the_five_pages_with_the_best_snippets_or_titles_are_read(preset: str, title: bool) -> None:
    words = {"preset": preset, "embedder": None, "reranker": "lexical", "lexical_weight": 1.0}
    pages = [page(number, title=title) for number in range(12)]
    asked = question("how tall is the lighthouse of Port Amble?", Task.END_TO_END, pages)
    (found,) = web_passages(make_retriever(web_settings(words)), [asked], SOON, Ledger(1))
    assert set(map(int, re.findall(r"page (\d+)\.", " ".join(found.texts)))) == set(NAMED)


def test_only_the_questions_that_are_wanted_are_read() -> None:
    asked = [question("what is on the page?", Task.WEB, [page(3, title=True)])] * 3
    found = web_passages(Retriever(), asked, SOON, Ledger(3), [2, 0])
    assert [bool(each.texts) for each in found] == [True, False, True]
