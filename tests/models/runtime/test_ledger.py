from typing import Any

import pytest

from models.llm.protocol import Prompt
from models.prompts import Template
from models.records import Answer
from models.runtime.ledger import Event, Failure, Ledger, QuestionOutcome
from models.runtime.request import Request, WrittenRequest
from models.runtime.trace import Step
from models.web.retrieved import Retrieved


def test_answers_can_be_replaced_until_the_ledger_is_closed() -> None:
    ledger = Ledger(3, clock=lambda: 5.0)
    ledger.record(0, Answer("guess"), final=False)
    ledger.record(1, Answer("first"))
    ledger.record(1, Answer("second"), final=False)
    error = ValueError("x")
    ledger.note_failure(0, error, "web")
    outcomes = ledger.close()
    ledger.record(2, Answer("late"))
    ledger.note_failure(2, ValueError("late"))
    guess = QuestionOutcome(Answer("guess"), False, 5.0, [Failure(error, "web")])
    assert outcomes == [guess, QuestionOutcome(Answer("second"), True, 5.0), QuestionOutcome()]


def test_a_listener_hears_of_each_event_until_the_ledger_is_closed() -> None:
    heard: list[tuple[int, Event]] = []
    ledger = Ledger(2, listener=lambda index, event: heard.append((index, event)))
    request = Request(0, "route", Template("t", ()), {})
    written = WrittenRequest(request, Prompt(messages=()))
    ledger.note_step(1, Step("route"), written)
    error = ValueError("x")
    ledger.note_failure(0, error, "web")
    ledger.note_retrieved(0, Retrieved())
    ledger.record(1, Answer("Ann"))
    ledger.close()
    ledger.record(0, Answer("late"))
    ledger.note_step(0, Step("late"))
    assert heard == [
        (1, written),
        (1, Step("route")),
        (0, Failure(error, "web")),
        (0, Retrieved()),
        (1, Answer("Ann")),
    ]


@pytest.mark.parametrize("bad", ["Paris", Answer(None)])  # type: ignore[arg-type]
def test_a_value_that_is_not_an_answer_is_refused_at_once(bad: Any) -> None:
    with pytest.raises(TypeError, match="must be an Answer"):
        Ledger(1).record(0, bad)
