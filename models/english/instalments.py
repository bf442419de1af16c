"""The numbers in names, which tell one instalment, season or team from another.

"Part II", "2", "two" and "Chapter Two" are one number. A name with another number, or with none,
is another name: there is no misspelling of a number.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from models.english.quantity_words import NUMBER_WORDS, ORDINAL_WORDS


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class _InstalmentTables:
    """`instalments.toml`, which explains its fields."""

    optional_units: frozenset[str]
    required_units: frozenset[str]
    amounts: frozenset[str]


_FILE = Path(__file__).with_suffix(".toml")
_TABLES = _InstalmentTables(**tomllib.loads(_FILE.read_text(encoding="utf-8")))
# Up to XXXIX, and from fifty on only what a counted event reaches: "Super Bowl LVIII".
_ROMAN = re.compile(r"(?=[ivxl])(l?x{0,3}|xl)(ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50}
_AMBIGUOUS_ROMAN = frozenset(("i", "v", "x", "l", "li"))  # words, initials, "versus"
_NUMBER = re.compile(r"\d+")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_FIRST_TENS = 20  # "twenty" and the tens above are followed by a digit: "twenty one"


def roman_number(word: str) -> int | None:
    """The value of a Roman numeral in lower case; None for any other word.

    >>> roman_number("xiv"), roman_number("mix"), roman_number("civil")
    (14, None, None)
    """
    if not _ROMAN.fullmatch(word):
        return None
    values = [_ROMAN_VALUES[letter] for letter in word]
    total = 0
    for value, following in zip(values, [*values[1:], 0], strict=True):
        total += -value if value < following else value
    return total


@lru_cache(maxsize=16384)
def number_of_word(word: str) -> str | None:
    """The number that a folded word alone may be, in digits: "2" for "two" and "ii", "13th" for
    "thirteenth"; None for any other word. A single letter may be one, too."""
    if word.isdecimal():
        return _without_zeros(word)
    if word in NUMBER_WORDS:
        return str(NUMBER_WORDS[word])
    if word in ORDINAL_WORDS:
        return f"{ORDINAL_WORDS[word]}{_ordinal_ending(ORDINAL_WORDS[word])}"
    roman = roman_number(word)
    return None if roman is None else str(roman)


def _ordinal_ending(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def is_unit(word: str) -> bool:
    """Whether a word counts instalments: "part", "season"."""
    return word in _TABLES.optional_units or word in _TABLES.required_units


def is_amount(word: str) -> bool:
    """Whether a number before this word counts something else than instalments: "hours"."""
    return word in _TABLES.amounts


def with_digits(name: Sequence[str]) -> list[str]:
    """The words of a name, with its numbers in digits: "rocky", "4" of "Rocky IV".

    The first word is no Roman numeral ("I, Robot"); a single letter is one only at the end of a
    name or behind a word such as "part" ("Roe v Wade").
    """
    return [_in_digits(name, index) for index in range(len(name))]


def _in_digits(name: Sequence[str], index: int) -> str:
    word = name[index]
    if len(name) == 1:
        return word
    number = number_of_word(word)
    if number is None:
        return word
    if roman_number(word) is None:
        return number
    if index == 0:
        return word
    is_at_end = index == len(name) - 1
    is_numeral = word not in _AMBIGUOUS_ROMAN or is_at_end or is_unit(name[index - 1])
    return number if is_numeral else word


def joined_numbers(name: Sequence[str]) -> list[str]:
    """The words of a name with digits, where numbers of two words are one ("twenty", "one") and
    what counts instalments is left unsaid: "godfather", "2" of "The Godfather, Part II"."""
    joined: list[str] = []
    for index, word in enumerate(name):
        following = name[index + 1] if index + 1 < len(name) else ""
        if word in _TABLES.optional_units and following.isdecimal():
            continue
        if word == "no" and following.isdecimal():
            word = "number"
        if joined and _are_tens_and_ones(joined[-1], word):
            joined[-1] = str(int(joined[-1]) + int(word))
        else:
            joined.append(word)
    return joined


def _are_tens_and_ones(tens: str, ones: str) -> bool:
    is_tens = tens.isdecimal() and len(tens) == 2 and tens.endswith("0")
    return is_tens and int(tens) >= _FIRST_TENS and ones.isdecimal() and 0 < int(ones) < 10


def _without_zeros(digits: str) -> str:
    return digits.lstrip("0") or "0"


@lru_cache(maxsize=16384)
def numbers_in(name: tuple[str, ...]) -> tuple[str, ...]:
    """The numbers in the words of a name with digits, in ascending order: "5" of "schalke05"."""
    numbers: list[str] = []
    for word in name:
        ordinal = _ORDINAL.fullmatch(word)
        digits = [ordinal[1]] if ordinal else _NUMBER.findall(word)
        numbers += map(_without_zeros, digits)
    return tuple(sorted(numbers))
