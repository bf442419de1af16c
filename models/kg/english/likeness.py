"""Similarity of names, and the best match among several."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

from rapidfuzz import fuzz

from utils.text import words

THRESHOLD = 0.85  # minimum similarity of the same name
_LITTLE = frozenset(("a", "an", "the", "of", "and"))
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve thirteen".split()
DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS, 1)}
T = TypeVar("T")


@lru_cache(maxsize=16384)
def name_words(name: str) -> tuple[str, ...]:
    """The folded words of a name. Numbers in a longer name are in digits: "Ocean's Eleven" is named
    as "oceans 11" too. Cached, because the same names are compared again and again."""
    found = words(name)
    return tuple(DIGITS.get(w, w) for w in found) if len(found) > 1 else tuple(found)


def likeness(asked: str, name: str) -> float:
    """1 for the same words; less for another order, missing function words, or misspellings."""
    left, right = name_words(asked), name_words(name)
    if not left or not right:
        return 0.0
    if left == right:
        return 1.0
    core_left = [word for word in left if word not in _LITTLE] or list(left)
    core_right = [word for word in right if word not in _LITTLE] or list(right)
    if core_left == core_right or "".join(left) == "".join(right):
        return 0.98
    if sorted(core_left) == sorted(core_right):
        return 0.95
    return 0.94 * fuzz.ratio(" ".join(core_left), " ".join(core_right)) / 100


def best(asked: str, named: Iterable[tuple[str, T]]) -> tuple[list[T], float]:
    """The members of `named` most similar to `asked`, in their order, and their similarity.

    None of them if the best similarity, which is returned anyway, is too low.
    """
    scored = [(likeness(asked, name), value) for name, value in named]
    top = max((score for score, _ in scored), default=0.0)
    return [value for score, value in scored if score == top >= THRESHOLD], top
