import pytest

from models.kg.english.likeness import THRESHOLD, best, likeness


@pytest.mark.parametrize(
    ("asked", "name", "same"),
    [
        ("glass harbour", "The Glass Harbour", True),
        ("kaki marja", "Marja K\u00e4ki", True),
        ("spiderman", "Spider-Man", True),
        ("jonathan livingstone", "Jonathan Livingston", True),
        ("the glass harbour", "The Glass Harbour Returns", False),
        ("anna smith", "Anna Jones", False),
        ("x", "!!!", False),
    ],
)
def test_likeness(asked: str, name: str, same: bool) -> None:
    assert (likeness(asked, name) >= THRESHOLD) is same


def test_the_likest_wins_and_equals_stay() -> None:
    named = [("Twin", 1), ("The Twin", 2), ("Twin", 3), ("Twine", 4)]
    assert best("twin", named) == ([1, 3], 1.0)
    assert best("triplet", named)[0] == []
