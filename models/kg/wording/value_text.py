"""Values as English: money, fractions, numbers, spans, codes and lists.

No digit that counts is cut: below one, digits count, not places, so that a dividend of 0.125 is not
"$0.12". There are two styles of numbers. `SENTENCES` is for the sentences that a reader or a model
sees, with the KG's full value; `ANSWERS` for the short answers of the semantic parser, whose
amounts are rounded to cents, as those of CRAG's gold answers are. `NumberStyle` has all that they
differ in.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from models.english.quantities import as_number
from models.kg.lexicon.types import ValueType
from models.kg.schema.codes import in_words
from models.kg.schema.functions import Key, Type

_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_LARGE_RATIO = 10_000  # from here on, all digits before the point are written
_PERCENT_BELOW = 10
_MOST_NAMES = 5  # that are listed; the others are counted
_CODED_TYPES = (ValueType.LANGUAGE, ValueType.COUNTRY, ValueType.RESULT)
_CENTS = 2  # decimal places that an amount has at least
_EXACTLY = Context(prec=700, rounding=ROUND_HALF_UP)  # digits of the largest float with its places
_UNKNOWN: tuple[Any, ...] = (None, "", [])
_AMOUNT = "$"  # a unit of keys: budgets, whose cents do not matter
_PRICE = "$/share"  # a unit of keys: prices of a stock, which have cents at any height
_NO_CENTS_FROM = 1_000  # dollars from which an amount without odd cents has none


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How numbers are written, rounded half up.

    Attributes:
        places: decimal places of a number from one up, at most.
        money_places: the same of an amount of money, and of a percentage.
        digits: significant digits of a number below one, at most.
        grouped_from: numbers have commas from here on, as smaller ones may be years, and any number
            with a unit has them; None: no number has.
    """

    places: int
    money_places: int
    digits: int
    grouped_from: int | None


SENTENCES = NumberStyle(places=6, money_places=6, digits=6, grouped_from=10_000)
ANSWERS = NumberStyle(places=4, money_places=_CENTS, digits=4, grouped_from=None)


def value_text(value: Any, unit: str = "", style: NumberStyle = SENTENCES) -> str:
    """A value in a style: a number with its unit, a boolean as a word, a text.

    An amount of whole dollars has no cents from $1,000 on; a price of a stock always has some.

    >>> value_text(1234567.8, "$"), value_text(0.395, "$/share"), value_text(0.1234, "fraction")
    ('$1,234,567.80', '$0.395', '12.34%')
    >>> value_text(11573, "$"), value_text(11573, "$/share"), value_text(-250_000, "$")
    ('$11,573', '$11,573.00', '-$250,000')
    >>> value_text(2024), value_text(12345), value_text(1200.0, "minutes")
    ('2024', '12,345', '1,200 minutes')
    """
    if isinstance(value, bool):
        return _yes_or_no(value)
    if not isinstance(value, (int, float)) or as_number(value) is None:
        return str(value)
    if unit == "fraction":
        return _percentage(value, style)
    if unit == _AMOUNT:
        return _amount(value, style)
    if unit == _PRICE:
        return _price(value, style)
    number = _number(value, style, has_unit=bool(unit))
    if unit == "%":
        return f"{number}%"
    return f"{number} {unit}" if unit else number


def answer_text(value: Any, kind: ValueType) -> str:
    """A value as an answer, by its type. A text that spells an amount of money or a fraction is
    written as that number. From one dollar on, an amount has cents; below, the KG's own digits.

    >>> answer_text(1234567.8, ValueType.MONEY), answer_text("$12.5", ValueType.MONEY)
    ('$1,234,567.80', '$12.50')
    >>> answer_text(99.125, ValueType.MONEY), answer_text(0.125, ValueType.MONEY)
    ('$99.13', '$0.125')
    >>> answer_text(-0.0042, ValueType.MONEY), answer_text(-0.0, ValueType.MONEY)
    ('-$0.0042', '$0.00')
    >>> answer_text(0.12, ValueType.FRACTION), answer_text(12345.67891, ValueType.NUMBER)
    ('12%', '12345.6789')
    """
    if isinstance(value, bool):
        return _yes_or_no(value)
    number = as_number(value)
    if kind is ValueType.MONEY and number is not None:
        return _amount(number, ANSWERS)
    if kind is ValueType.FRACTION and number is not None:
        return _percentage(number, ANSWERS)
    if kind is ValueType.YEAR:
        year = _YEAR.search(str(value))
        return year[0] if year else str(value)
    if kind in _CODED_TYPES:
        return in_words(kind, value).removeprefix("a ")  # "a win"
    if isinstance(value, float) and number is not None:
        return _number(value, ANSWERS)
    return str(value)


def key_value_text(value: Any, key: Key | None, style: NumberStyle = SENTENCES) -> str:
    """The value of a key in a style: with its unit, and codes in words."""
    if isinstance(value, dict):
        known = {name: each for name, each in value.items() if each not in _UNKNOWN}
        return ", ".join(f"{name} {each}" for name, each in known.items())
    if isinstance(value, list):
        return joined([key_value_text(each, key, style) for each in value])
    if key is None:
        return value_text(value, style=style)
    if key.codes:
        return in_words(key.codes, value)
    if key.type is Type.YEAR:
        return value_text(value, style=style)
    number = as_number(value)
    if isinstance(value, str) and key.unit and number is not None:
        is_money = key.unit in (_AMOUNT, _PRICE)
        return value_text(number, key.unit, style) if is_money else f"{value} {key.unit}"
    return value_text(value, key.unit, style)


def ratio_text(value: float) -> str:
    """A ratio by its first four digits; a small one also as a percentage.

    >>> ratio_text(0.01234), ratio_text(12), ratio_text(1234567.8)
    ('0.01234 (1.234%)', '12', '1,234,568')
    """
    if abs(value) >= _LARGE_RATIO:
        return f"{value:,.0f}"
    text = f"{float(f'{value:.4g}'):,g}"
    return f"{text} ({float(f'{100 * value:.4g}'):g}%)" if abs(value) < _PERCENT_BELOW else text


def span_text(value: Any) -> str:
    """A start and an end: "from 1993, with no known end"."""
    bounds = value if isinstance(value, list) else [value]
    start = bounds[0] if bounds else None
    end = bounds[1] if len(bounds) > 1 else None
    if start is None:
        return f"until {end}, with no known start" if end else "unknown"
    return f"from {start} to {end}" if end else f"from {start}, with no known end"


def joined(parts: Sequence[str]) -> str:
    """The members of a list: "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def first_names(names: Sequence[str]) -> str:
    """The first names, and the number of the others: "a, b, c, d, e and 2 others"."""
    distinct = list(dict.fromkeys(names))
    if len(distinct) <= _MOST_NAMES:
        return joined(distinct)
    others = len(distinct) - _MOST_NAMES
    noun = "other" if others == 1 else "others"
    return f"{', '.join(distinct[:_MOST_NAMES])} and {others} {noun}"


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"


def _amount(amount: float, style: NumberStyle) -> str:
    if abs(amount) >= _NO_CENTS_FROM and float(amount).is_integer():
        return _in_dollars(f"{abs(amount):,.0f}", amount)
    return _price(amount, style)


def _price(amount: float, style: NumberStyle) -> str:
    text = _rounded(abs(amount), style.money_places, style.digits, least_places=_CENTS)
    return _in_dollars(text, amount)


def _in_dollars(text: str, amount: float) -> str:
    return f"-${text}" if amount < 0 else f"${text}"


def _percentage(fraction: float, style: NumberStyle) -> str:
    percent = Decimal(repr(fraction)).scaleb(2)
    return f"{_rounded(percent, style.money_places, style.digits)}%"


def _number(value: float, style: NumberStyle, *, has_unit: bool = False) -> str:
    text = _rounded(value, style.places, style.digits)
    is_grouped = has_unit or abs(value) >= (style.grouped_from or math.inf)
    return text if is_grouped and style.grouped_from else text.replace(",", "")


def _rounded(number: float | Decimal, places: int, digits: int, *, least_places: int = 0) -> str:
    """A number with commas: from one up with at most so many decimal places, below one with at most
    so many significant digits; without zeros at its end but for the least places."""
    decimal = number if isinstance(number, Decimal) else Decimal(repr(number))
    if 0 < abs(decimal) < 1:
        places = digits - 1 - decimal.adjusted()
    rounded = decimal.quantize(Decimal(1).scaleb(-places), context=_EXACTLY)
    whole, _, decimals = f"{rounded or 0:,f}".partition(".")  # no "-0"
    decimals = decimals.rstrip("0").ljust(least_places, "0")
    return f"{whole}.{decimals}" if decimals else whole
