"""Half of many pages read by a process beside this one."""

import time
from collections.abc import Iterator

import pytest

from models.pace import GivenUp
from models.records import Page, Question, Task
from models.web import beside
from models.web.beside import Asked, Beside, Indexed, halves
from models.web.factory import make_retriever
from models.web.retriever import Retriever
from models.web.settings import WebSettings
from utils.deadline import Deadline

PAGES = 12


def asked(pages: int = PAGES) -> Question:
    """A question whose answer stands on its last page, which is read beside."""
    some = [
        Page(f"Page {i}", f"https://page/{i}", "", f"<p>Room {i} is {i} feet wide.</p>" * 10_000)
        for i in range(pages)
    ]
    assert sum(len(page.html) for page in some) > beside.MANY
    return Question("id", f"how wide is room {pages - 1}?", None, Task.END_TO_END, tuple(some))


@pytest.fixture
def pair() -> Iterator[tuple[Retriever, Beside]]:
    retriever = make_retriever(WebSettings())
    assert retriever.beside is not None
    yield retriever, retriever.beside
    retriever.beside.close()


def wait_for(process: Beside) -> None:
    end = time.monotonic() + 60
    while not process.up():
        assert time.monotonic() < end, "the process did not come up"
        time.sleep(0.01)


def test_halves_are_about_equal_and_keep_their_order() -> None:
    parts = [(9.0, "a"), (5.0, "b"), (4.0, "c"), (1.0, "d"), (1.0, "e")]
    assert halves(parts) == ([parts[0], parts[3]], [parts[1], parts[2], parts[4]])
    assert halves([(1.0, "a")]) == ([(1.0, "a")], [])


def test_the_passages_are_those_of_one_process(pair: tuple[Retriever, Beside]) -> None:
    retriever, process = pair
    question = asked()
    alone = retriever.retrieve(question, Deadline.after(60))  # it is not up yet
    wait_for(process)
    both = retriever.retrieve(question, Deadline.after(60))
    assert both.passages == alone.passages
    assert both.texts == alone.texts and list(both.texts) == list(range(PAGES))
    assert both.counts == alone.counts and both.given_up == []
    assert f"Room {PAGES - 1} is {PAGES - 1} feet wide." in both.passages[0].text


def test_a_process_that_died_loses_nothing_and_is_started_again(
    pair: tuple[Retriever, Beside],
) -> None:
    retriever, process = pair
    wait_for(process)
    assert process._process is not None
    process._process.kill()
    process._process.wait()
    found = retriever.retrieve(asked(), Deadline.after(60))
    assert len(found.texts) == PAGES and found.counts["broke:beside"] == 1
    wait_for(process)
    again = retriever.retrieve(asked(), Deadline.after(60))
    assert again.passages == found.passages and again.counts["broke:beside"] == 0


def test_it_is_not_started_for_little(pair: tuple[Retriever, Beside]) -> None:
    retriever, process = pair
    question = asked()
    few = Question("id", question.text, None, Task.WEB, question.pages[:2])
    assert len(retriever.retrieve(few, Deadline.after(60)).texts) == 2
    assert process._starting is None


def test_what_it_has_not_read_at_the_deadline_is_given_up() -> None:
    class Stuck(Beside):
        def up(self) -> bool:
            return True

        def read(self, pages: object) -> Asked:
            return Asked()

    process = Stuck(WebSettings())
    found = Retriever(beside=process).retrieve(asked(), Deadline.after(2))
    assert 0 < len(found.texts) < PAGES and GivenUp.PAGES in found.given_up
    process.close()


def test_without_a_process_all_is_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside.sys, "executable", "/no/such/python")
    retriever = make_retriever(WebSettings())
    assert retriever.beside is not None
    for _ in range(2):
        assert len(retriever.retrieve(asked(), Deadline.after(60)).texts) == PAGES
    assert not retriever.beside.up() and not retriever.beside.up()
    retriever.beside.close()


def test_each_page_comes_with_its_chunks_in_the_order_asked(
    pair: tuple[Retriever, Beside],
) -> None:
    _, process = pair
    wait_for(process)
    pages: list[Indexed] = [(5, Page("empty", "", "", "")), (3, Page("name", "", "", "<p>kept"))]
    work = process.read(pages)
    assert work.wait(60)
    (nothing, none, _), (text, chunks, _) = work.read
    assert (nothing.title, nothing.text, none) == ("empty", "", [])
    assert (text.title, text.text) == ("name", "kept")
    assert [chunk.passage.page for chunk in chunks] == [3]
