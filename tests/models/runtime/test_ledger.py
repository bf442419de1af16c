from typing import Any

import pytest

from models.records import IDK, Answer
from models.runtime.ledger import Failure, Ledger, QuestionOutcome


def test_an_untouched_ledger_knows_nothing() -> None:
    assert Ledger(2).close() == [QuestionOutcome(Answer(), False, ())] * 2
    assert Answer().text == IDK
    assert not Answer().known


def test_answers_can_be_bettered_until_the_end() -> None:
    ledger = Ledger(2)
    ledger.record(0, Answer("guess"), final=False)
    ledger.record(1, Answer("first"))
    ledger.record(1, Answer("second"), final=False)
    error = ValueError("x")
    ledger.failed(0, error, "web")
    first, second = ledger.close()
    assert first == QuestionOutcome(Answer("guess"), False, (Failure(error, "web"),))
    assert first.failures == (error,)
    assert second == QuestionOutcome(Answer("second"), True, ())


def test_a_closed_ledger_takes_nothing() -> None:
    ledger = Ledger(1)
    ledger.close()
    ledger.record(0, Answer("late"))
    ledger.failed(0, ValueError("late"))
    assert ledger.close() == [QuestionOutcome(Answer(), False, ())]
    assert len(ledger) == 1


@pytest.mark.parametrize("bad", [None, "Paris", Answer(None), Answer(5)])  # type: ignore[arg-type]
def test_what_is_no_answer_is_refused_at_once(bad: Any) -> None:
    ledger = Ledger(1)
    with pytest.raises(TypeError, match="must be an Answer"):
        ledger.record(0, bad)
    assert ledger.close() == [QuestionOutcome(Answer(), False, ())]


@pytest.mark.parametrize("index", [-1, 2])
def test_there_are_only_the_slots_of_the_questions(index: int) -> None:
    ledger = Ledger(2)
    with pytest.raises(IndexError):
        ledger.record(index, Answer("x"))
    with pytest.raises(IndexError):
        ledger.failed(index, ValueError("x"))
