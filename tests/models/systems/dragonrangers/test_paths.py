import math

import pytest

from models.llm.confidence import same_answer, sequence_confidence
from models.llm.protocol import Completion, FinishReason
from models.systems.dragonrangers.paths import Reasoning, read_path, vote


def path(answer: str) -> Reasoning | None:
    return read_path(f"First, one thing. Second, another. The answer is {answer}.")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("First, a. Second, b. The answer is 28.", Reasoning("a.", "b.", "28")),
        ("first, a.\nsecond, b. the answer is: Oslo", Reasoning("a.", "b.", "Oslo")),
        (
            "First, he came in second, ahead of Bo. Second, the answer is near. The answer is 3.",
            Reasoning("he came in second, ahead of Bo.", "the answer is near.", "3"),
        ),
        ("Second, b. First, a. The answer is 28.", None),
        ("First, a. The answer is 28.", None),
        ("First, a. Second, b.", None),
        ("First, a. Second, The answer is 28.", None),
        ("First, a. Second, b. The answer is", None),
        ("28", None),
        ("", None),
    ],
)
def test_a_path_has_two_rationales_and_an_answer(text: str, path: Reasoning | None) -> None:
    assert read_path(text) == path


def test_the_commonest_answer_and_its_share() -> None:
    answer, confidence = vote([path("Florida"), path("Oklahoma"), path("the florida")])
    assert (answer.text, confidence) == ("Florida", pytest.approx(2 / 3))


def test_paths_without_an_end_are_sampled_and_vote_for_nothing() -> None:
    assert vote([path("Florida"), None, None])[1] == pytest.approx(1 / 3)
    assert vote([None, None])[1] == 0.0
    assert vote([])[1] == 0.0


def test_an_explained_yes_and_a_list_in_another_order_are_the_same_votes() -> None:
    assert vote([path("Yes, it was longer"), path("yes"), path("No")])[1] == pytest.approx(2 / 3)
    assert vote([path("Bo, Cy and Dee"), path("the Dee, Bo, and Cy"), path("Dee; Cy; Bo")])[1] == 1


def test_not_knowing_is_no_answer_to_agree_on() -> None:
    answer, confidence = vote([path("I don't know"), path("I don't know"), path("Florida")])
    assert (answer.text, confidence) == ("Florida", pytest.approx(1 / 3))
    assert not vote([path("I don't know")] * 3)[0].known


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The Beatles", "beatles", True),
        ("1,234 km", "1234 km.", True),
        ("Caf\u00e9", "cafe", True),
        ("3", "4", False),
        ("!", "?", False),
        ("Yes, it was.", "YES", True),
        ("no - it was built later", "No.", True),
        ("No. 5", "No", False),
        ("No Angel", "No Doubt", False),
        ("Bo and Cy", "Cy & Bo", True),
        ("Bo, Cy", "Bo, Dee", False),
        ("March 3, 2024", "3 March 2024", False),
        ("1,234, 5", "5 and 1234", True),
    ],
)
def test_what_counts_as_the_same_answer(one: str, other: str, same: bool) -> None:
    assert same_answer(one, other) is same


def test_a_sequence_is_as_sure_as_its_tokens_whatever_its_length() -> None:
    short, long = (Completion("x", FinishReason.STOP, n, (math.log(0.8),) * n) for n in (2, 20))
    assert sequence_confidence(short) == pytest.approx(0.8)
    assert sequence_confidence(long) == pytest.approx(0.8)


def test_equation_5_to_the_letter() -> None:
    made = Completion("x", FinishReason.STOP, 2, (math.log(0.8), math.log(0.5)))
    assert sequence_confidence(made, "formula") == pytest.approx(0.4 / 2)


def test_without_log_probabilities_there_is_no_confidence() -> None:
    assert sequence_confidence(Completion("x", FinishReason.STOP, 1)) is None
    impossible = Completion("x", FinishReason.STOP, 1, (-math.inf,))
    assert sequence_confidence(impossible) == 0.0
