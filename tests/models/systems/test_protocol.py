from models.records import IDK, Answer
from models.systems.protocol import Ledger, Outcome


def test_an_untouched_ledger_knows_nothing() -> None:
    assert Ledger(2).close() == [Outcome(Answer(), False, ())] * 2
    assert Answer().text == IDK
    assert not Answer().known


def test_answers_can_be_bettered_until_the_end() -> None:
    ledger = Ledger(2)
    ledger.record(0, Answer("guess"), final=False)
    ledger.record(1, Answer("first"))
    ledger.record(1, Answer("second"), final=False)
    error = ValueError("x")
    ledger.failed(0, error)
    first, second = ledger.close()
    assert first == Outcome(Answer("guess"), False, (error,))
    assert second == Outcome(Answer("second"), True, ())


def test_a_closed_ledger_takes_nothing() -> None:
    ledger = Ledger(1)
    ledger.close()
    ledger.record(0, Answer("late"))
    ledger.failed(0, ValueError("late"))
    assert ledger.close() == [Outcome(Answer(), False, ())]
    assert len(ledger) == 1
