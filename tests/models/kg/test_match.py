import pytest

from models.kg.match import THRESHOLD, best, likeness


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("the glass harbour", "The Glass Harbour"),
        ("glass harbour", "The Glass Harbour"),
        ("kaki marja", "Marja K\u00e4ki"),
        ("spiderman", "Spider-Man"),
        ("jonathan livingstone", "Jonathan Livingston"),
    ],
)
def test_names_that_are_one(asked: str, name: str) -> None:
    assert likeness(asked, name) >= THRESHOLD


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("the glass harbour", "The Glass Harbour Returns"),
        ("alien", "Aliens vs. Predators"),
        ("anna smith", "Anna Jones"),
        ("", "x"),
        ("x", "!!!"),
    ],
)
def test_names_that_are_not(asked: str, name: str) -> None:
    assert likeness(asked, name) < THRESHOLD


def test_the_likest_wins_and_equals_stay() -> None:
    named = [("Twin", 1), ("The Twin", 2), ("Twin", 3), ("Twine", 4)]
    assert best("twin", named) == ([1, 3], 1.0)
    assert best("triplet", named)[0] == []
    assert best("x", []) == ([], 0.0)
