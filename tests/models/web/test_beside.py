"""Many pages read together with a process beside this one."""

import sys
import time
from collections.abc import Iterator, Sequence

import pytest

from benchmarks.nasty_pages import BIG, FUZZED, SEED, fuzzed
from models.load_shedding import GivenUp
from models.records import Page, Question, Task
from models.web import beside
from models.web.beside import Beside, Help, Todo
from models.web.factory import make_retriever
from models.web.retriever import Retriever
from models.web.settings import WebSettings
from utils.deadline import Deadline

PAGES = 12


def asked(pages: int = PAGES) -> Question:
    """A question whose answer stands on its last page."""
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


def when_up(process: Beside, pages: Sequence[Page] = (), todo: Sequence[int] = ()) -> Help:
    """What `process` reads of `pages`, when it is up and has nothing else to do."""
    end = time.monotonic() + 60
    while (given := process.help(pages, dict.fromkeys(todo, 1))) is None:
        assert time.monotonic() < end, "the process did not come up"
        time.sleep(0.01)
    assert given.wait(60)
    return given


def test_the_passages_are_those_of_one_process(
    pair: tuple[Retriever, Beside], monkeypatch: pytest.MonkeyPatch
) -> None:
    retriever, process = pair
    question = asked()
    alone = retriever.retrieve(question, Deadline.after(60))  # it is not up yet
    when_up(process)
    helped: list[Help] = []
    real = process.help

    def help_and_tell(pages: Sequence[Page], todo: Todo) -> Help | None:
        given = real(pages, todo)
        helped.extend([given] if given else [])
        return given

    monkeypatch.setattr(process, "help", help_and_tell)
    both = retriever.retrieve(question, Deadline.after(60))
    assert len(helped) == 1 and helped[0].read
    assert both.passages == alone.passages
    assert both.texts == alone.texts and list(both.texts) == list(range(PAGES))
    assert both.counts == alone.counts and both.given_up == []
    assert f"Room {PAGES - 1} is {PAGES - 1} feet wide." in both.passages[0].text


def test_a_process_that_died_loses_nothing_and_is_started_again(
    pair: tuple[Retriever, Beside],
) -> None:
    retriever, process = pair
    when_up(process)
    assert process._process is not None
    process._process.kill()
    process._process.wait()
    found = retriever.retrieve(asked(), Deadline.after(60))
    assert len(found.texts) == PAGES and found.counts["broke:beside"] == 1
    when_up(process)
    again = retriever.retrieve(asked(), Deadline.after(60))
    assert again.passages == found.passages and again.counts["broke:beside"] == 0


def test_it_is_not_started_for_little(pair: tuple[Retriever, Beside]) -> None:
    retriever, process = pair
    question = asked()
    few = Question("id", question.text, None, Task.WEB, question.pages[:2])
    assert len(retriever.retrieve(few, Deadline.after(60)).texts) == 2
    assert process._now is None and process._process is None


class Stuck(Beside):
    """At the first page for ever, with the second one sent."""

    def help(self, pages: Sequence[Page], todo: Todo) -> Help:
        given = Help()
        given.sent = [index for index in (0, 1) if todo.pop(index)]
        return given


@pytest.mark.clock
def test_what_is_behind_a_page_that_takes_for_ever_is_read_here() -> None:
    found = Retriever(beside=Stuck(WebSettings())).retrieve(asked(), Deadline.after(60))
    assert list(found.texts) == list(range(1, PAGES)) and found.given_up == [GivenUp.PAGES]
    assert found.counts["broke:beside"] == 1
    assert found.seconds["extract"] < 30


def test_what_it_has_not_read_at_the_deadline_is_given_up() -> None:
    found = Retriever(beside=Stuck(WebSettings())).retrieve(asked(), Deadline.after(1.5))
    assert list(found.texts) == list(range(2, PAGES)) and found.given_up == [GivenUp.PAGES]


def test_it_helps_one_question_at_a_time(pair: tuple[Retriever, Beside]) -> None:
    _, process = pair
    when_up(process)
    todo = dict.fromkeys(range(PAGES), 1)
    first = process.help(asked().pages, todo)
    assert first is not None and process.help(asked().pages, {0: 1}) is None
    assert first.wait(60) and not todo and sorted(first.read) == list(range(PAGES))


def test_without_a_process_all_is_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    retriever = make_retriever(WebSettings())
    assert retriever.beside is not None
    for _ in range(2):
        assert len(retriever.retrieve(asked(), Deadline.after(60)).texts) == PAGES
    assert retriever.beside._no_use and retriever.beside.help((), {}) is None


def test_each_page_comes_with_its_chunks(pair: tuple[Retriever, Beside]) -> None:
    _, process = pair
    pages = [Page("empty", "", "", ""), Page("one", "", "", "1"), Page("two", "", "", "<p>kept")]
    given = when_up(process, pages, [2, 0])
    assert list(given.read) == [2, 0]
    text, chunks, _ = given.read[2]
    assert (text.title, text.text) == ("two", "kept")
    assert [chunk.passage.page for chunk in chunks] == [2]
    nothing, none, _ = given.read[0]
    assert (nothing.title, nothing.text, none) == ("empty", "", [])


def test_pages_made_to_hurt_come_out_as_from_one_process(pair: tuple[Retriever, Beside]) -> None:
    retriever, process = pair
    made = [fuzzed(SEED + i) for i in range(FUZZED)]
    big = ("tables deep down", "20 MB of NULs", "an entity bomb", "lines", "open comments")
    made += [BIG[name]() for name in big]
    pages = tuple(Page("name", "", "", html) for html in made)
    question = Question("id", "how many words are on the page?", None, Task.END_TO_END, pages)
    alone = retriever.retrieve(question, Deadline.after(60))
    when_up(process)
    before = process._now
    both = retriever.retrieve(question, Deadline.after(60))
    assert process._now is not before  # it helped
    assert both.texts == alone.texts and len(both.texts) == len(pages)
    assert both.passages == alone.passages and both.counts == alone.counts
