from typing import Any

import pytest

from models.records import Answer
from models.runtime.ledger import Failure, Ledger, QuestionOutcome


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


@pytest.mark.parametrize("bad", ["Paris", Answer(None)])  # type: ignore[arg-type]
def test_a_value_that_is_not_an_answer_is_refused_at_once(bad: Any) -> None:
    with pytest.raises(TypeError, match="must be an Answer"):
        Ledger(1).record(0, bad)
