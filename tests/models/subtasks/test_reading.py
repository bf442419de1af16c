"""What is asked is told from the question; answers need agreement, and doubt is silence."""

import pytest

from models.records import Passage, Question, Task
from models.subtasks.answer_web import CarefulReader
from models.subtasks.reading.agree import AgreementReader
from models.subtasks.reading.asked import Asked, Kind, asked_by
from models.subtasks.reading.candidates import candidates
from models.subtasks.reading.choose import choose
from models.web.page import PageText


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("how many rooms does the grand hotel have?", Asked(Kind.COUNT, "room")),
        ("can you tell me the number of guest rooms in the grand hotel", Asked(Kind.COUNT, "room")),
        ("when was ann other born?", Asked(Kind.DATE)),
        ("in which year did the hotel open", Asked(Kind.YEAR)),
        ("who built the lighthouse?", Asked(Kind.PERSON)),
        ("where was ann other born?", Asked(Kind.PLACE)),
        ("which is taller, the north tower or the south tower?",
         Asked(Kind.CHOICE, options=("the north tower", "the south tower"))),
        ("who has more medals between ann other and bo third?",
         Asked(Kind.CHOICE, options=("ann other", "bo third"))),
        ("is the lighthouse tall?", Asked(Kind.NONE)),
        ("what is the stock price of acme today?", Asked(Kind.NONE)),
        ("what are the rooms of the hotel called?", Asked(Kind.NONE)),
        ("why was it built?", Asked(Kind.NONE)),
    ],
)  # fmt: skip
def test_what_is_asked(question: str, asked: Asked) -> None:
    assert asked_by(question) == asked


@pytest.mark.parametrize(
    ("sentence", "asked", "keys"),
    [
        ("It has 1,212 guest rooms and two bars.", Asked(Kind.COUNT, "room"), ["1212"]),
        ("Twelve rooms, 3.5 m high.", Asked(Kind.COUNT, "room"), ["12"]),
        ("Born May 4, 1950 (1950-05-04).", Asked(Kind.DATE), ["4 may 1950", "4 may 1950"]),
        ("On the 4th of May 1950.", Asked(Kind.DATE), ["4 may 1950"]),
        ("It opened in 1907, at 1,907 m.", Asked(Kind.YEAR), ["1907"]),
        (
            "In Easton, Ann Other met Bo van Third.",
            Asked(Kind.PERSON),
            ["ann other", "bo van third"],
        ),
        ("She was born in Easton, Westland.", Asked(Kind.PLACE), ["easton westland"]),
        ("It cost $3.5 million.", Asked(Kind.MONEY), ["$3.5 million"]),
    ],
)
def test_spans_have_the_form_of_what_is_asked(sentence: str, asked: Asked, keys: list[str]) -> None:
    assert [candidate.key for candidate in candidates(sentence, asked)] == keys


def read(question: str, *pages: tuple[str, str]) -> str | None:
    texts = {i: PageText(title, body) for i, (title, body) in enumerate(pages)}
    passages = [Passage(page.text, i, 0, len(page.text), 1.0) for i, page in texts.items()]
    asked = Question("q", question, None, Task.WEB)
    answer = CarefulReader().answer(asked, passages, texts)
    assert not answer.known or answer.grounds
    return answer.text if answer.known else None


def test_pages_that_agree_are_believed() -> None:
    question = "how many rooms does the grand hotel in easton have?"
    assert read(
        question,
        ("Grand Hotel", "The hotel in Easton offers 212 rooms."),
        ("Easton", "Easton's Grand Hotel, with its 212 rooms, is large."),
        ("Inns", "An inn of Easton has 12 rooms."),
    ) == "212"  # fmt: skip


def test_pages_that_do_not_agree_are_not() -> None:
    question = "how many rooms does the grand hotel in easton have?"
    assert read(
        question,
        ("Grand Hotel", "The hotel in Easton offers 212 rooms."),
        ("Easton", "Easton's Grand Hotel has 198 rooms."),
        ("Inns", "The Grand Hotel of Easton has 250 rooms."),
    ) is None  # fmt: skip


PAGE = (
    "Medals",
    "Ann Other won 7 medals. Ann Other won medals at sea. Ann Other has more of these than most."
    " Bo Third won a medal.",
)


def test_of_two_the_one_of_whom_more_is_said() -> None:
    assert read("who has won more medals, ann other or bo third?", PAGE) == "ann other"


@pytest.mark.parametrize(
    "question",
    [
        "who has won fewer medals, ann other or bo third?",
        "who was born first, ann other or bo third?",
        "who has won more medals, cy fourth or di fifth?",
    ],
)
def test_where_it_is_not_told_nothing_is_chosen(question: str) -> None:
    assert read(question, PAGE) is None


def test_nothing_is_read_from_nothing() -> None:
    assert choose("which is larger, a or b?", ("a", "b"), [], {}) is None
    assert read("how many rooms does the grand hotel have?") is None


@pytest.mark.parametrize(("year", "answer"), [("2014", "7"), ("2010", None)])
def test_a_count_of_another_year_is_none(year: str, answer: str | None) -> None:
    text = "Ann Other won 7 medals at the games in 2014."
    asked = Question("q", f"how many medals did ann other win in {year}?", None, Task.WEB)
    given = AgreementReader().answer(asked, [Passage(text, 0, 0, 44, 1.0)], {0: PageText("", "")})
    assert (given.text if given.known else None) == answer


def test_what_is_no_sentence_is_not_read() -> None:
    text = "The tower is 1,1" + ",1" * 5_000 + " m tall."
    asked = Question("q", "how tall is the tower?", None, Task.WEB)
    given = CarefulReader().answer(asked, [Passage(text, 0, 0, 44, 1.0)], {0: PageText("", "")})
    assert not given.known
