from typing import Any

import pytest

from models.llm.protocol import Prompt
from models.prompts import Template
from models.records import Answer, Question, Task
from models.runtime.case import Case, Event, Failure, QuestionOutcome, Slot
from models.runtime.request import Request, WrittenRequest
from models.runtime.trace import Step
from models.web.retrieved import Retrieved

QUESTION = Question("q", "who?", None, Task.WEB, ())


def test_answers_can_be_replaced_until_the_slot_is_closed() -> None:
    case = Case(QUESTION, Slot(clock=lambda: 5.0))
    error = ValueError("x")
    case.note_failure(error, "web")
    case.propose(Answer("guess"))
    assert case.is_open
    case.settle(Answer("first"))
    assert not case.is_open
    case.propose(Answer("second"))  # it stays final
    outcome = case.slot.close()
    case.settle(Answer("late"))
    case.note_failure(ValueError("late"))
    assert outcome == QuestionOutcome(Answer("second"), True, 5.0, [Failure(error, "web")])


def test_a_closed_slot_keeps_a_guess_and_its_case_is_no_longer_open() -> None:
    case = Case(QUESTION, Slot(clock=lambda: 5.0))
    case.propose(Answer("guess"))
    outcome = case.slot.close()
    case.settle(Answer("late"))
    assert outcome == QuestionOutcome(Answer("guess"), False, 5.0)
    assert not case.is_open


def test_a_listener_hears_of_each_event_until_the_slot_is_closed() -> None:
    heard: list[Event] = []
    case = Case(QUESTION, Slot(listener=heard.append))
    written = WrittenRequest(Request(case, "route", Template("t", ()), {}), Prompt(messages=()))
    error = ValueError("x")
    case.slot.note_step(Step("route"), written)
    case.note_failure(error, "web")
    case.slot.tell(Retrieved())
    case.settle(Answer("Ann"))
    case.slot.close()
    case.settle(Answer("late"))
    case.note_step(Step("late"))
    assert heard == [written, Step("route"), Failure(error, "web"), Retrieved(), Answer("Ann")]


@pytest.mark.parametrize("bad", ["Paris", Answer(None)])  # type: ignore[arg-type]
def test_a_value_that_is_not_an_answer_is_refused_at_once(bad: Any) -> None:
    with pytest.raises(TypeError, match="must be an Answer"):
        Case(QUESTION).settle(bad)
