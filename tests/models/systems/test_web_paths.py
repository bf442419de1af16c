"""Which pages a system reads; tests/models/web has the other tests of the web path."""

import re

import pytest

from models.records import Page, Task
from models.settings import Settings
from models.subtasks.web_passages import WebCase, read_pages
from models.systems.make_system import web_of
from models.web.make_retriever import make_retriever
from tests.models.systems.scripted import SOON, question

RELEVANT = {3, 5, 8, 9, 11}  # the pages whose titles or snippets match the question


def page(number: int, *, title: bool) -> Page:
    """A page whose title, or else its snippet, states its subject."""
    subject = "The lighthouse of Port Amble" if number in RELEVANT else "Something else"
    name = subject if title else "A page"
    snippet = "" if title else subject
    html = f"<title>{name}</title><h1>Lights</h1><p>Port Amble lighthouse, page {number}.</p>"
    return Page(name, f"https://{number}.example", snippet, html)


@pytest.mark.parametrize(("system", "title"), [("db3", False), ("bumblebee7", True)])
def test_the_five_pages_with_the_best_snippets_or_titles_are_read(system: str, title: bool) -> None:
    table = {"embedder": "none", "reranker": "lexical", "lexical_weight": 1.0}
    settings = web_of(Settings(system, web=table))
    pages = [page(number, title=title) for number in range(12)]
    text = "how tall is the lighthouse of Port Amble?"
    case = WebCase(question(text, Task.END_TO_END, pages))
    read_pages(make_retriever(settings), [case], SOON)
    numbers = re.findall(r"page (\d+)\.", " ".join(case.web.texts))
    assert set(map(int, numbers)) == RELEVANT
