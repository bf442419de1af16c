import pytest

from models.llm.confidence import vote_key
from models.systems.dragonrangers.paths import Reasoning, read_path


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
    ],
)
def test_a_path_has_two_rationales_and_an_answer(text: str, path: Reasoning | None) -> None:
    assert read_path(text) == path


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The Beatles", "beatles", True),
        ("1,234 km", "1234 km.", True),
        ("Caf\u00e9", "cafe", True),
        ("!", "?", False),
        ("Yes, it was.", "YES", True),
        ("no - it was built later", "No.", True),
        ("No. 5", "No", False),
        ("No Angel", "No Doubt", False),
        ("Bo, Cy and Dee", "the Dee; Bo; Cy", True),
        ("Bo, Cy", "Bo, Dee", False),
        ("March 3, 2024", "3 March 2024", False),
        ("1,234, 5", "5 and 1234", True),
        ("-3%", "3%", False),
        ("AA+", "AA-", False),
        ("1,000+", "1000", True),
    ],
)
def test_answers_are_equal_by_their_words(one: str, other: str, same: bool) -> None:
    assert (vote_key(one) == vote_key(other)) is same
