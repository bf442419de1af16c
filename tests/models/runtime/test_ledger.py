from typing import Any

import pytest

from models.records import Answer
from models.runtime.ledger import Failure, Ledger, QuestionOutcome


def test_answers_can_be_bettered_until_the_end() -> None:
    ledger = Ledger(3)
    ledger.record(0, Answer("guess"), final=False)
    ledger.record(1, Answer("first"))
    ledger.record(1, Answer("second"), final=False)
    error = ValueError("x")
    ledger.failed(0, error, "web")
    first, second, untouched = ledger.close()
    assert first == QuestionOutcome(Answer("guess"), False, [Failure(error, "web")])
    assert first.failures == [error]
    assert second == QuestionOutcome(Answer("second"), True)
    assert untouched == QuestionOutcome() and not untouched.answer.known


def test_a_closed_ledger_takes_nothing() -> None:
    ledger = Ledger(1)
    ledger.close()
    ledger.record(0, Answer("late"))
    ledger.failed(0, ValueError("late"))
    assert ledger.close() == [QuestionOutcome()]


@pytest.mark.parametrize("bad", [None, "Paris", Answer(None), Answer(5)])  # type: ignore[arg-type]
def test_what_is_no_answer_is_refused_at_once(bad: Any) -> None:
    with pytest.raises(TypeError, match="must be an Answer"):
        Ledger(1).record(0, bad)


@pytest.mark.parametrize("index", [-1, 2])
def test_there_are_only_the_slots_of_the_questions(index: int) -> None:
    with pytest.raises(IndexError):
        Ledger(2).record(index, Answer("x"))
