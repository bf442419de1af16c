"""Similarity of names."""

import pytest

from models.kg.english.likeness import THRESHOLD, best_matches, likeness


@pytest.mark.parametrize(
    ("text", "name", "same"),
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
def test_spellings_of_one_name_are_alike(text: str, name: str, same: bool) -> None:
    assert (likeness(text, name) >= THRESHOLD) is same


def test_all_names_of_the_best_likeness_are_returned() -> None:
    named = [("Twin", 1), ("The Twin", 2), ("Twin", 3), ("Twine", 4)]
    assert best_matches("twin", named) == ([1, 3], 1.0)
    assert best_matches("triplet", named)[0] == []
