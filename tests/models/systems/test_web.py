"""The passages of a batch: only of the questions that are wanted, whatever the retriever does."""

from models.records import Page, Passage, Question, Task
from models.runtime.ledger import Ledger
from models.systems.web_passages import WebPassages, web_passages
from models.web.page import PageText
from models.web.retriever import Retriever
from utils.deadline import Deadline

SOON = Deadline(10.0, lambda: 0.0)
PAGE = Page("", "", "", "<title>Lighthouse</title><p>The lighthouse is 41 m tall.</p>")
ASKED = [Question(str(n), "how tall is the lighthouse?", None, Task.WEB, (PAGE,)) for n in range(3)]


def test_a_prompt_shows_them_in_reading_order_below_one_title() -> None:
    later, sooner = Passage("Later.", 0, 50, 56), Passage("Sooner.", 0, 0, 7)
    found = WebPassages((later, sooner), ("T\nLater.", "T\nSooner."), {0: PageText("T", "")})
    assert found.written([*found.texts, "A fact."]) == "A fact.\n\nT\nSooner.\nLater."
    assert found.written(found.texts[:1]) == "T\nLater."
    assert found.written([]) == "" and found.written(["A fact."]) == "A fact."


def test_only_the_questions_that_are_wanted() -> None:
    ledger = Ledger(3)
    found = web_passages(Retriever(), ASKED, SOON, ledger, [2, 0])
    assert [bool(each.texts) for each in found] == [True, False, True]
    assert [len(each.steps) for each in ledger.close()] == [1, 0, 1]
    assert web_passages(Retriever(), ASKED, SOON, Ledger(3), []) == [WebPassages()] * 3
