"""The words and signs of numbers, ordinals, scales, units and money.

All come from `quantities.toml`. Patterns made of them are parts of larger ones: the reader of each
kind of text (`quantities.py`, `dates.py`, `times.py`) decides
what may stand around a number.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

_STRICT = ConfigDict(extra="forbid")  # a misspelt field is an error

# Digits with commas between groups of three: "1,234.5". The group (?>...) never gives back a digit.
DIGITS = r"(?>\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
# The same with groups of two before the last: "1,00,000", as people in India write. "1,2" is none.
DIGITS_AND_COMMAS = r"(?>\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d)|\d+)(?:\.\d+)?"
ORDINAL_ENDING = "(?:st|nd|rd|th)"
_WRITTEN_IN_DIGITS = re.compile(rf"{DIGITS_AND_COMMAS}|\.\d+")


class UnitKind(StrEnum):
    """What a unit measures; each currency is a kind, because the rates are unknown."""

    PERCENT = "percent"
    USD = "usd"
    EUR = "eur"
    GBP = "gbp"
    JPY = "jpy"
    INR = "inr"
    LENGTH = "length"
    MASS = "mass"
    TIME = "time"
    DAYS = "days"
    MONTHS = "months"
    AREA = "area"
    VOLUME = "volume"
    CELSIUS = "celsius"
    FAHRENHEIT = "fahrenheit"


MONEY_KINDS = frozenset((UnitKind.USD, UnitKind.EUR, UnitKind.GBP, UnitKind.JPY, UnitKind.INR))


@dataclass(frozen=True, config=_STRICT)
class Unit:
    """A unit: its size in base units of its kind, and its names.

    Attributes:
        names: in answers of people and models.
    """

    size: float
    names: tuple[str, ...] = ()


@dataclass(frozen=True, config=_STRICT)
class _Numerals:
    """Numbers or ordinals below one hundred that are not composed."""

    small: tuple[str, ...]
    tens: tuple[str, ...]


@dataclass(frozen=True, config=_STRICT)
class _Scale:
    """The value of "million", and its abbreviations."""

    value: float
    abbreviations: tuple[str, ...] = ()


@dataclass(frozen=True, config=_STRICT)
class _QuantityTables:
    """The tables of `quantities.toml`."""

    numbers: _Numerals
    ordinals: _Numerals
    counts: dict[str, int]
    counted_nouns: tuple[str, ...]
    scales: dict[str, _Scale]
    units: dict[UnitKind, tuple[Unit, ...]]


_FILE = Path(__file__).with_name("quantities.toml")
_TABLES = _QuantityTables(**tomllib.loads(_FILE.read_text(encoding="utf-8")))


def any_of(spellings: Iterable[str]) -> str:
    """A pattern of any of these texts, longer ones before their prefixes."""
    longest_first = sorted(spellings, key=lambda spelling: (-len(spelling), spelling))
    return "|".join(re.escape(spelling) for spelling in longest_first)


# ---- numbers and ordinals


def _numbers_in_order() -> list[str]:
    """The names of the numbers from zero to ninety-nine."""
    small = _TABLES.numbers.small
    names = list(small)
    for ten in _TABLES.numbers.tens:
        names.append(ten)
        names += [f"{ten}-{digit}" for digit in small[1:10]]
    return names


def _ordinals_in_order() -> list[str]:
    """The ordinals from first to ninety-ninth."""
    small = _TABLES.ordinals.small
    names = list(small)
    for ten, ordinal in zip(_TABLES.numbers.tens, _TABLES.ordinals.tens, strict=True):
        names.append(ordinal)
        names += [f"{ten}-{digit}" for digit in small[:9]]
    return names


NUMBER_WORDS: Mapping[str, int] = {name: n for n, name in enumerate(_numbers_in_order())}
ORDINAL_WORDS: Mapping[str, int] = {name: n for n, name in enumerate(_ordinals_in_order(), 1)}
COUNT_WORDS: Mapping[str, int] = _TABLES.counts  # "twice", "dozen", "none"
COUNTED_NOUNS = _TABLES.counted_nouns  # of members that are counted without their names
ONE_AS_ARTICLE: Mapping[str, int] = {"a": 1, "an": 1}  # "a million"


def number_words(first: int, last: int) -> dict[str, int]:
    """The names of the whole numbers from `first` to `last`, at most 99, with their values."""
    return {name: value for name, value in NUMBER_WORDS.items() if first <= value <= last}


def ordinal_words(first: int, last: int) -> dict[str, int]:
    """The names of the ordinals from `first` to `last`, at most 99, with their values."""
    return {name: value for name, value in ORDINAL_WORDS.items() if first <= value <= last}


# ---- scales


def _scales() -> dict[str, float]:
    values: dict[str, float] = {}
    for name, scale in _TABLES.scales.items():
        for spelling in (name, *scale.abbreviations):
            values[spelling] = scale.value
    return values


SCALES: Mapping[str, float] = _scales()  # with abbreviations
SCALE_WORDS: Sequence[str] = tuple(_TABLES.scales)
LARGE_SCALE_WORDS: Sequence[str] = tuple(word for word in SCALE_WORDS if SCALES[word] >= 1000)


def written_number(text: str) -> float | None:
    """The value of digits, or of one number word in lower case; None for any other text.

    >>> written_number("1,234.5"), written_number("twenty-one"), written_number("a")
    (1234.5, 21.0, 1.0)
    """
    for words in (NUMBER_WORDS, COUNT_WORDS, ONE_AS_ARTICLE):
        if text in words:
            return float(words[text])
    if _WRITTEN_IN_DIGITS.fullmatch(text):
        return float(text.replace(",", ""))
    return None


# ---- units


def _units_in_answers() -> dict[str, tuple[UnitKind, Unit]]:
    by_name: dict[str, tuple[UnitKind, Unit]] = {}
    for kind, units in _TABLES.units.items():
        for unit in units:
            by_name.update(dict.fromkeys(unit.names, (kind, unit)))
    return by_name


UNITS_IN_ANSWERS: Mapping[str, tuple[UnitKind, Unit]] = _units_in_answers()  # by their names


def is_sign(unit_name: str) -> bool:
    """Whether the name of a unit is a sign ("$") rather than a word."""
    return not any(character.isalpha() for character in unit_name)


def money_signs_in_answers() -> list[str]:
    """The signs of all currencies."""
    units = UNITS_IN_ANSWERS.items()
    return [name for name, (kind, _) in units if kind in MONEY_KINDS and is_sign(name)]
