"""Similarity of names, and the best match among several."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

from rapidfuzz import fuzz

from models.english.instalments import joined_numbers, numbers_in, with_digits
from utils.text import ARTICLES, words

THRESHOLD = 0.85  # minimum similarity of the same name
SAME_LETTERS = 0.98  # the same words without function words, or the same letters
LEAST_PART = 0.9  # a part of a name with a lower score is no evidence by itself
_SAME_WORDS = 0.95  # in another order
_LETTERS = 0.94  # times the share of equal letters
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")  # the comma in "10,000"
_LITTLE_WORDS = ARTICLES | {"of", "and"}
_PART = 0.8  # of a part of a name: grows with its share of the words
_SHARE = 0.18
T = TypeVar("T")


@lru_cache(maxsize=16384)
def name_words(name: str) -> tuple[str, ...]:
    """The folded words of a name. Numbers in a longer name are in digits: "Ocean's Eleven" is named
    as "oceans 11" too. Cached, because the same names are compared again and again."""
    return tuple(with_digits(words(name)))


@lru_cache(maxsize=16384)
def title_words(name: str) -> tuple[str, ...]:
    """The words that tell a name from others: without articles, "of", "and" and "&", and without
    what counts instalments. "The Fast & the Furious, Part Two" gives "fast", "furious", "2"."""
    return tuple(_core_words(joined_numbers(name_words(_THOUSANDS.sub("", name)))))


def is_in_title(name: str, title: str) -> bool:
    """Whether the words of a name stand in a title one after another, written as one or not.

    >>> is_in_title("spiderman", "The Amazing Spider-Man 2"), is_in_title("man", "Spiderman")
    (True, False)
    """
    letters = "".join(title_words(name))
    within = title_words(title)
    for start in range(len(within)):
        for end in range(start + 1, len(within) + 1):
            if letters and "".join(within[start:end]) == letters:
                return True
    return False


def part_likeness(part: str, name: str) -> float:
    """The score of a part of a name: grows with its share of the words; 0 for other numbers, as
    the beginning of "Rocky IV" is another film."""
    part_core = title_words(part)
    name_core = title_words(name)
    if numbers_in(part_core) != numbers_in(name_core) or not name_core:
        return 0.0
    return _PART + _SHARE * len(part_core) / len(name_core)


def likeness(text: str, name: str) -> float:
    """1 for the same words; less for another order, missing function words, or misspellings; 0 for
    other numbers: the fourth part is not a misspelt third one."""
    left = name_words(text)
    right = name_words(name)
    if not left or not right:
        return 0.0
    if left == right or _without_and(left) == _without_and(right):  # "and" may be "&"
        return 1.0
    if _letters_of(text) == _letters_of(name):  # as written: "One Republic" has no number
        return SAME_LETTERS
    left_core = title_words(text)
    right_core = title_words(name)
    if numbers_in(left_core) != numbers_in(right_core):
        return 0.0
    if left_core == right_core or "".join(left) == "".join(right):
        return SAME_LETTERS
    if sorted(left_core) == sorted(right_core):
        return _SAME_WORDS
    return _LETTERS * fuzz.ratio(" ".join(left_core), " ".join(right_core)) / 100


def have_same_articles(text: str, name: str) -> bool:
    """Whether two names have the same articles, or the same letters: the "A." of "A.I." is none.

    >>> have_same_articles("hours", "The Hours"), have_same_articles("the hours", "The Hours!")
    (False, True)
    """
    has_same_letters = _letters_of(text) == _letters_of(name)
    return has_same_letters or _articles_in(text) == _articles_in(name)


def _articles_in(name: str) -> list[str]:
    return [word for word in words(name) if word in ARTICLES]


def _without_and(name: Sequence[str]) -> list[str]:
    return [word for word in name if word != "and"] or list(name)


@lru_cache(maxsize=16384)
def _letters_of(name: str) -> str:
    """The letters and digits of a name as it is written."""
    return "".join(words(name))


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
