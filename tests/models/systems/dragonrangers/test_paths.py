import math

import pytest

from models.llm.confidence import sequence_confidence, vote_key
from models.llm.protocol import Completion, FinishReason
from models.records import IDK
from models.systems.dragonrangers.paths import Reasoning, read_path, vote


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("First, a. Second, b. The answer is 28.", Reasoning("a.", "b.", "28")),
        ("first, a.\nsecond, b. the answer is: Oslo", Reasoning("a.", "b.", "Oslo")),
        (
            "First, he came in second, ahead of Bo. Second, the answer is near. The answer is 3.",
            Reasoning("he came in second, ahead of Bo.", "the answer is near.", "3"),
        ),
        ("First, a. The answer is 28.", None),
        ("First, a. Second, b.", None),
        ("First, a. Second, The answer is 28.", None),
        ("First, a. Second, b. The answer is", None),
        ("", None),
    ],
)
def test_a_path_has_two_rationales_and_an_answer(text: str, path: Reasoning | None) -> None:
    assert read_path(text) == path


@pytest.mark.parametrize(
    ("answers", "text", "share"),
    [
        (["Florida", "Oklahoma", "the florida"], "Florida", 2 / 3),
        ([], IDK, 0.0),
        ([IDK, IDK, "Florida"], "Florida", 1 / 3),  # not knowing is no answer to agree on
        ([IDK] * 3, IDK, 0.0),
    ],
)
def test_the_commonest_answer_and_its_share(
    answers: list[str | None], text: str, share: float
) -> None:
    first = "First, one thing. Second, another. The answer is"
    answer, confidence = vote([a and read_path(f"{first} {a}.") for a in answers])
    assert (answer.text, confidence) == (text, pytest.approx(share))


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
        ("Bo, Cy and Dee", "the Dee; Bo; Cy", True),
        ("Bo, Cy", "Bo, Dee", False),
        ("March 3, 2024", "3 March 2024", False),
        ("1,234, 5", "5 and 1234", True),
    ],
)
def test_what_counts_as_the_same_answer(one: str, other: str, same: bool) -> None:
    assert (vote_key(one) == vote_key(other)) is same


@pytest.mark.parametrize(
    ("logprobs", "confidence"),
    [
        ((math.log(0.8),) * 2, 0.8),
        ((math.log(0.8),) * 20, 0.8),  # whatever its length
        ((-math.inf,), 0.0),
        ((), None),
    ],
)
def test_a_sequence_is_as_sure_as_its_tokens(
    logprobs: tuple[float, ...], confidence: float | None
) -> None:
    made = Completion("x", FinishReason.STOP, 1, logprobs)
    assert sequence_confidence(made) == (confidence and pytest.approx(confidence))
