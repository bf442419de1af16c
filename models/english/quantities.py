"""Reads quantities: one value as a number, and the quantities of a text with their units.

`quantities` reads answers of people and models for the judge (`evaluation/judge/numbers.py`).
"""

import math
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from models.english.quantity_words import (
    COUNT_WORDS,
    DIGITS,
    DIGITS_AND_COMMAS,
    LARGE_SCALE_WORDS,
    NUMBER_WORDS,
    SCALE_WORDS,
    SCALES,
    UNITS_IN_ANSWERS,
    UnitKind,
    any_of,
    money_signs_in_answers,
    written_number,
)

# ---- one value

_WHOLE_NUMBER = re.compile(
    rf"(?P<number>[-+]?\$?{DIGITS_AND_COMMAS}(?:e[-+]?\d+)?)"
    rf"(?:\s*(?P<scale>{any_of(LARGE_SCALE_WORDS)}))?"
)


def as_number(value: Any) -> float | None:
    """A finite number, or the one that a text spells; None for anything else.

    >>> as_number("$1,234.5"), as_number("1,00,000"), as_number("1,2"), as_number("2 million")
    (1234.5, 100000.0, None, 2000000.0)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return _finite(value)
    if not isinstance(value, str):
        return None
    match = _WHOLE_NUMBER.fullmatch(value.strip().lower())
    if match is None:
        return None
    number = float(match["number"].replace(",", "").replace("$", ""))
    return _finite(number * SCALES.get(match["scale"], 1.0))


def _finite(number: float) -> float | None:
    """A number as a float; None if it is infinite, none, or an integer too large for a float."""
    try:
        return float(number) if math.isfinite(number) else None
    except OverflowError:
        return None


# ---- the quantities of a text

_SIGNS = "".join(money_signs_in_answers())
_WORD = any_of((*NUMBER_WORDS, *COUNT_WORDS)).replace(r"\-", "[ -]")
_SCALE = f"(?:{any_of(SCALE_WORDS)})"
_ABBREVIATIONS = SCALES.keys() - {*SCALE_WORDS, "m", "mil"}
# "a two-minute walk" has a number, "a one-off" has none.
_HYPHENATED_UNIT = "time|year|minute|hour|mile|foot|month|day|week|point|inch|fold"
# "6'2\"", "two hours and ten minutes", "9:12". The group of the larger part is named after the
# unit of the smaller one.
_SMALLER_IN_LARGER = {"inch": 12, "min": 60, "s": 60}
_UNIT = re.compile(
    rf"\s*-?(%|(?:k?m|mi|ft)2\b|°\s?[cf]\b|[{_SIGNS}]|(?:degrees? |(?:square|sq\.?)[ -])?[a-z]+)"
    r"(?!-\w\b)"  # "26 h-e-b stores"
)
_DEGREES = re.compile(r"^degrees? |^°\s?")
_SQUARE = re.compile(r"^(?:square|sq\.?)[ -]")
_FEWEST_ROUNDED_ZEROS = 3  # "37000" may be rounded, "3700" rarely is
_DIGITS_OF_WORDS = 2  # significant digits of a number in words
_DIGITS_OF_COMPOUNDS = 3


@cache  # these two take a long time to compile, and few programs need them
def _number_pattern() -> re.Pattern[str]:
    """A number with its sign, currency, ordinal ending and scale."""
    return re.compile(
        rf"(?P<sign>(?<![\w)])-(?=[$€£]?\s?[\d.])|\b(?:minus|negative) )?"
        rf"(?P<money>us\$|[{_SIGNS}])?\s?"
        rf"(?P<first>(?<![\d.,])(?<![^\W\d_])(?:{DIGITS}|\.\d+)|(?<![\w'])(?:{_WORD})(?![\w'])"
        rf"(?!-(?!{_HYPHENATED_UNIT})\w)|(?<!\w)a(?= {_SCALE}\b))"
        rf"(?P<ordinal>(?:st|nd|rd|th)\b|'?s\b)?"
        rf"(?P<rest>(?:[ -]?{_SCALE}\b(?:[ -](?:and )?(?:{_WORD})\b)?)*"
        rf"(?:m\b|\s?(?:{any_of(_ABBREVIATIONS)})\b(?!'))?)"  # "12m" is millions, "12 m" metres
    )


@cache
def _compound_pattern() -> re.Pattern[str]:
    """A quantity in two units."""
    return re.compile(
        rf"(?<![\d.:])(?P<large>\d+|\b(?:{_WORD}))[ -]?"
        r"(?:(?P<inch>'|ft|foot|feet)|(?P<min>h|hrs?|hours?)|(?P<s>:(?=\d)|m|min(?:ute)?s?))"
        rf"[ ,-]*(?:and )?(?P<small>\d+|(?:{_WORD})\b)"
        r"(?:\"|'{1,2}|:(?P<third>\d\d)"
        r"|\s?(?:in|inch(?:es)?|m|min(?:ute)?s?|s|sec(?:ond)?s?)\b|(?!\d))"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number in a text, as written.

    Attributes:
        step: the worth of its last significant digit.
        digits: the number of its significant digits.
        unit: a name of `UNITS_IN_ANSWERS`, or empty.
        start, end: its offsets in the text.
    """

    value: float
    step: float
    digits: int
    unit: str
    start: int
    end: int

    @property
    def kind(self) -> UnitKind | None:
        """What its unit measures; units of different kinds cannot be compared."""
        return UNITS_IN_ANSWERS[self.unit][0] if self.unit else None

    @property
    def factor(self) -> float:
        """How many base units of its kind its unit is; 1 without a unit."""
        return UNITS_IN_ANSWERS[self.unit][1].size if self.unit else 1.0

    @property
    def yearlike(self) -> bool:
        """Whether it can be a year: four plain digits of the last thousand years."""
        return self.end - self.start == 4 and 1000 <= self.value <= 2100


@lru_cache(maxsize=8192)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text, left to right, without ordinals and decades.

    Args:
        text: in lower case, with plain quotes, dashes and spaces.
    """
    results = [_compound_quantity(match) for match in _compound_pattern().finditer(text)]
    for match in _number_pattern().finditer(text):
        if match["ordinal"]:
            continue
        end = match.end("first")
        if not any(quantity.start < end <= quantity.end for quantity in results):
            results.append(_plain_quantity(match, text))
    return tuple(sorted(results, key=lambda quantity: quantity.start))


def _compound_quantity(match: re.Match[str]) -> Quantity:
    """The quantity of "6'2\\"" in the smaller unit."""
    unit = next(unit for unit in _SMALLER_IN_LARGER if match[unit])
    value = _SMALLER_IN_LARGER[unit] * _spelled_number(match["large"])
    value += _spelled_number(match["small"])
    if match["third"]:  # "14:00:30"
        value += float(match["third"]) / 60
    return Quantity(
        value=value,
        step=1.0,
        digits=_DIGITS_OF_COMPOUNDS,
        unit=unit,
        start=match.start(),
        end=match.end(),
    )


def _spelled_number(text: str) -> float:
    """The value of a match of `DIGITS` or `_WORD`."""
    number = written_number(text.replace(" ", "-"))
    if number is None:
        raise ValueError(f"no number: {text!r}")
    return number


def _plain_quantity(match: re.Match[str], text: str) -> Quantity:
    """The quantity of "2.5 million dollars" or "two hundred and ten"."""
    first = match["first"]
    if first[-1].isdigit():
        step, digits = _precision(first)
    else:
        step = 1.0
        digits = _DIGITS_OF_WORDS
    total = 0.0
    below_scale = _spelled_number(first)  # the part that the next scale multiplies
    for word in re.findall("[a-z]+", match["rest"]):
        if word not in SCALES:  # "and ten"
            below_scale += written_number(word) or 0.0
            step = 1.0
        elif word == "hundred":
            below_scale *= SCALES[word]
            step *= SCALES[word]
        else:
            total += below_scale * SCALES[word]
            below_scale = 0.0
            step *= SCALES[word]
    value = total + below_scale
    if match["sign"]:
        value = -value
    unit, end = _unit_after(text, match.end())
    if match["money"]:
        unit = match["money"].removeprefix("us")
    leading_spaces = len(match.group()) - len(match.group().lstrip())
    start = match.start() + leading_spaces
    return Quantity(value=value, step=step, digits=digits, unit=unit, start=start, end=end)


def _precision(number: str) -> tuple[float, int]:
    """The worth of the last significant digit, and the count of significant digits."""
    whole, _, decimals = number.replace(",", "").partition(".")
    if decimals:
        return 10.0 ** -len(decimals), len((whole + decimals).lstrip("0"))
    # Trailing zeros may be digits or rounding.
    zeros = len(whole) - len(whole.rstrip("0"))
    if zeros < _FEWEST_ROUNDED_ZEROS:
        zeros = 0
    return float(f"1e{zeros}"), len(whole.lstrip("0")) - zeros


def _unit_after(text: str, start: int) -> tuple[str, int]:
    """The unit written at `start` and where it ends, or ("", start)."""
    match = _UNIT.match(text, start)
    if match is None:
        return "", start
    name = _DEGREES.sub("°", match[1])
    name = _SQUARE.sub("sq", name)
    if name not in UNITS_IN_ANSWERS:
        return "", start
    return name, match.end()
