"""Titles of films that do not exist, made from those that do by changing their number."""

import re
from collections.abc import Iterable, Iterator

from models.english.instalments import is_amount, numbers_in
from models.english.likeness import title_words
from utils.text import words

_WORD = re.compile(r"[^\W_]+")
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_NUMERALS = ("II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII")


def other_instalments(titles: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each title with a number, and the same with the next number that no film of the series has.
    The number of "100 Years Later" counts something else."""
    titles = list(dict.fromkeys(titles))
    known = {_instalment(title) for title in titles}
    for title in titles:
        for match in _WORD.finditer(title):
            if match.start() == 0 and not match[0].isdecimal():
                continue
            if is_amount(next(iter(words(title[match.end() :])), "")):
                continue
            for number in _other_numbers(match[0]):
                changed = title[: match.start()] + number + title[match.end() :]
                if _instalment(changed) not in known:
                    yield title, changed
                    break


def _instalment(title: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return series_of(title), numbers_in(title_words(title))


def _other_numbers(word: str) -> Iterator[str]:
    """Further numbers, written in the same way; none for a word that is no number."""
    if word.isdecimal():
        for number in range(int(word) + 1, int(word) + 40):
            yield str(number)
    for row in (_NUMBERS, _NUMERALS):
        if word.lower() in row or word in row:
            index = row.index(word if word in row else word.lower())
            yield from row[index + 1 :]
            yield from row[:index]


def series_of(title: str) -> tuple[str, ...]:
    """What the instalments of a series share: the words before the first number, or after it where
    a title begins with one."""
    own_words = title_words(title)
    numbers = [index for index, word in enumerate(own_words) if word[0].isdigit()]
    if not numbers:
        return own_words
    return own_words[: numbers[0]] or own_words[numbers[0] + 1 :]
