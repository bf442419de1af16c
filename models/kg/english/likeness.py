"""Similarity of names, and the best match among several."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

from rapidfuzz import fuzz

from models.kg.english.quantity_words import number_words
from utils.text import words

THRESHOLD = 0.85  # minimum similarity of the same name
_SAME_LETTERS = 0.98  # the same words without function words, or the same letters
_SAME_WORDS = 0.95  # in another order
_LETTERS = 0.94  # times the share of equal letters
_LITTLE_WORDS = frozenset(("a", "an", "the", "of", "and"))
_NUMERALS = {word: str(number) for word, number in number_words(1, 13).items()}
T = TypeVar("T")


def with_numerals(name: Iterable[str]) -> list[str]:
    """The words of a name, with numbers up to thirteen in digits: "ocean", "11"."""
    return [_NUMERALS.get(word, word) for word in name]


@lru_cache(maxsize=16384)
def name_words(name: str) -> tuple[str, ...]:
    """The folded words of a name. Numbers in a longer name are in digits: "Ocean's Eleven" is named
    as "oceans 11" too. Cached, because the same names are compared again and again."""
    folded = words(name)
    return tuple(with_numerals(folded)) if len(folded) > 1 else tuple(folded)


def likeness(text: str, name: str) -> float:
    """1 for the same words; less for another order, missing function words, or misspellings."""
    left = name_words(text)
    right = name_words(name)
    if not left or not right:
        return 0.0
    if left == right:
        return 1.0
    left_core = _core_words(left)
    right_core = _core_words(right)
    if left_core == right_core or "".join(left) == "".join(right):
        return _SAME_LETTERS
    if sorted(left_core) == sorted(right_core):
        return _SAME_WORDS
    return _LETTERS * fuzz.ratio(" ".join(left_core), " ".join(right_core)) / 100


def _core_words(name: Sequence[str]) -> list[str]:
    """The words without articles, "of" and "and"; all of them if there are no others."""
    return [word for word in name if word not in _LITTLE_WORDS] or list(name)


def best_matches(text: str, named: Iterable[tuple[str, T]]) -> tuple[list[T], float]:
    """The members of `named` most similar to `text`, in their order, and their similarity.

    None of them if the best similarity, which is returned anyway, is too low.
    """
    scored = [(likeness(text, name), value) for name, value in named]
    top = max((score for score, _ in scored), default=0.0)
    if top < THRESHOLD:
        return [], top
    return [value for score, value in scored if score == top], top
