"""Which pages a system reads; tests/models/web has the other tests of the web path."""

import re

import pytest

from models.records import Page, Task
from models.runtime.ledger import Ledger
from models.systems.web_passages import web_passages
from models.web.factory import make_retriever
from models.web.retriever import Retriever
from models.web.settings import web_settings
from tests.models.systems.scripted import SOON, question

RELEVANT = {3, 5, 8, 9, 11}  # the pages whose titles or snippets match the question


def page(number: int, *, title: bool) -> Page:
    """A page whose title, or else its snippet, states its subject."""
    subject = "The lighthouse of Port Amble" if number in RELEVANT else "Something else"
    name = subject if title else "A page"
    snippet = "" if title else subject
    html = f"<title>{name}</title><h1>Lights</h1><p>Port Amble lighthouse, page {number}.</p>"
    return Page(name, f"https://{number}.example", snippet, html)


@pytest.mark.parametrize(("preset", "title"), [("db3", False), ("bumblebee7", True)])
def test_the_five_pages_with_the_best_snippets_or_titles_are_read(preset: str, title: bool) -> None:
    settings = web_settings(
        {"preset": preset, "embedder": None, "reranker": "lexical", "lexical_weight": 1.0}
    )
    pages = [page(number, title=title) for number in range(12)]
    on_lighthouse = question("how tall is the lighthouse of Port Amble?", Task.END_TO_END, pages)
    (passages,) = web_passages(make_retriever(settings), [on_lighthouse], SOON, Ledger(1))
    numbers = re.findall(r"page (\d+)\.", " ".join(passages.texts))
    assert set(map(int, numbers)) == RELEVANT


def test_passages_are_retrieved_for_the_indices_only() -> None:
    questions = [question("what is on the page?", Task.WEB, [page(3, title=True)])] * 3
    passages = web_passages(Retriever(), questions, SOON, Ledger(3), [2, 0])
    assert [bool(of_question.texts) for of_question in passages] == [True, False, True]
