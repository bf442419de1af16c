"""Similarity of names."""

from pathlib import Path
from typing import Any

import pytest

from models.english.likeness import THRESHOLD, best_matches, is_in_title, likeness
from tests.models.kg.cases import cases


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


@pytest.mark.parametrize("case", cases(Path(__file__).with_name("likeness.jsonl"), "why"))
def test_the_numbers_of_one_name_are_the_same(case: dict[str, Any]) -> None:
    assert (likeness(case["text"], case["name"]) >= THRESHOLD) is case["same"]


@pytest.mark.parametrize(
    ("name", "title", "is_in"),
    [
        ("salt and sugar", "Salt & Sugar 2", True),
        ("salt & sugar", "The Salt and the Sugar", True),
        ("glass harbour 2", "Glass Harbour Part II: The Return", True),
        ("tidal man", "The Amazing Tidal-Man", True),
        ("tidalman", "Tidal-Man: Far From Home", True),
        ("harbour 2", "Glass Harbour 22", False),
        ("man", "Tidalman", False),
        ("salt sugar", "Salt, Pepper and Sugar", False),
    ],
)
def test_a_title_has_the_name_of_its_series(name: str, title: str, is_in: bool) -> None:
    assert is_in_title(name, title) is is_in


def test_all_names_of_the_best_likeness_are_returned() -> None:
    named = [("Twin", 1), ("The Twin", 2), ("Twin", 3), ("Twine", 4)]
    assert best_matches("twin", named) == ([1, 3], 1.0)
    assert best_matches("triplet", named)[0] == []


@pytest.mark.parametrize(
    ("text", "name", "matches"),
    [
        ("salt and pine", "Salt & Pine", True),
        ("the salt & the pine", "The Salt and the Pine", True),
        ("rock'n'roll and rain", "Rock'n'Roll & Rain", True),
        ("salt and pine", "The Salt and the Pine", False),
        ("hedge", "The Hedge", False),
        ("of salt and pine", "Salt & Pine", False),
    ],
)
def test_only_and_may_be_another_sign(text: str, name: str, matches: bool) -> None:
    assert (likeness(text, name) == 1.0) is matches
