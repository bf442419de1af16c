"""Ways of not knowing, and answers that only look like them."""

import pytest

from evaluation.judge.settle import is_invalid, is_missing, is_unanswered

MISSING = """
I don’t know.
IDK
I don't know, sorry!
I'm not certain.
No idea
I'm sorry, but I cannot provide real-time stock prices.
I do not have live data. You may want to ask your broker.
As of my last update, I don't have information about that match.
As an AI language model, I do not have access to live prices.
I was unable to find any relevant information.
Insufficient information.
The documents do not mention her birthday.
It is unclear.
n/a
The exact figure cannot be determined.
Unable to verify that.
""".strip().splitlines()

ANSWERS = """
I don't know for certain, but I believe it was in 1962.
I'm not sure. Bo Marsh?
No Idea by Bo Marsh
No one has won it.
The Unknown Sea
She does not sing; she plays the drums.
""".strip().splitlines()


@pytest.mark.parametrize("text", [*MISSING, "\n\t", "..."])
def test_a_statement_of_not_knowing_is_missing(text: str) -> None:
    assert is_missing(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_a_hedged_answer_is_not_missing(text: str) -> None:
    assert not is_missing(text)


def test_only_invalid_question_calls_a_question_invalid() -> None:
    assert is_invalid(' "Invalid Question." ')
    assert not is_invalid("invalid")
    assert not is_invalid("invalid question: she has no brother")


def test_a_gold_may_hold_no_answer() -> None:
    assert all(map(is_unanswered, ("nan", "i don't know", "")))
    assert not any(map(is_unanswered, ("0", "nancy", "no idea")))
