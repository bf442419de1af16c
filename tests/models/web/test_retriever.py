"""From pages to passages: the right ones first, each once, within the time."""

from models.ranking.lexical import LexicalReranker
from models.records import Page, Question, Task
from models.web.prefilter import prefilter
from models.web.retriever import retrieve
from utils.deadline import Deadline

SOON = Deadline(10.0, lambda: 0.0)


def page(name: str, body: str, snippet: str = "") -> Page:
    return Page(name, f"https://example.org/{name}", snippet, f"<title>{name}</title>{body}")


def question(text: str, *pages: Page) -> Question:
    return Question("q", text, None, Task.END_TO_END, pages)


def test_the_passage_that_answers_comes_first() -> None:
    asked = question(
        "how high is the northport lighthouse?",
        page("Harbours", "<p>Boats come and go.</p><p>Fish is sold.</p>"),
        page("Northport", "<p>The lighthouse is 41 metres high.</p><p>It rains.</p>"),
    )
    texts, passages = retrieve(asked, LexicalReranker(), SOON)
    assert passages[0].text.startswith("Northport") or "41 metres" in passages[0].text
    assert passages[0].page == 1
    assert texts[1].title == "Northport"
    assert all(
        texts[p.page].text[p.start : p.end].strip() == p.text for p in passages
    )


def test_a_page_that_stands_twice_is_read_once() -> None:
    twin = page("Northport", "<p>The lighthouse is 41 metres high.</p>")
    _, passages = retrieve(question("lighthouse", twin, twin), LexicalReranker(), SOON)
    assert len(passages) == len({passage.text for passage in passages})
    assert {passage.page for passage in passages} == {0}


def test_of_many_pages_those_with_fitting_snippets_are_read() -> None:
    pages = [page(f"Page {i}", f"<p>{i}</p>", "nothing of note") for i in range(50)]
    pages[37] = page("Page 37", "<p>x</p>", "the lighthouse of northport")
    chosen = prefilter(question("northport lighthouse", *pages), LexicalReranker())
    assert chosen[0] == 37
    assert len(chosen) == 10


def test_pages_without_html_are_not_chosen() -> None:
    empty = Page("Lighthouse", "", "lighthouse", "")
    assert prefilter(question("lighthouse", empty, page("A", "x")), LexicalReranker()) == [1]


def test_no_pages_no_passages() -> None:
    assert retrieve(question("anything"), LexicalReranker(), SOON) == ({}, [])


def test_after_the_deadline_nothing_more_is_read() -> None:
    over = Deadline(0.0, lambda: 1.0)
    assert retrieve(question("x", page("x", "x")), LexicalReranker(), over) == ({}, [])
