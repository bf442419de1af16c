"""Values as English: money, fractions, numbers, spans, codes and lists.

There are two styles of numbers. `SENTENCES` is for the sentences that a reader or a model sees,
`ANSWERS` for the short answers of the semantic parser. `NumberStyle` has all that they differ in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from models.kg.english.quantities import as_number
from models.kg.lexicon.types import ValueType
from models.kg.schema.codes import in_words
from models.kg.schema.functions import Key, Type

_LARGE_RATIO = 10_000  # from here on, all digits before the point are written
_PERCENT_BELOW = 10
_MOST_NAMES = 5  # that are listed; the others are counted
_CODED_TYPES = (ValueType.LANGUAGE, ValueType.COUNTRY, ValueType.RESULT)
_UNKNOWN: tuple[Any, ...] = (None, "", [])
_AMOUNT = "$"  # a unit of keys: budgets, whose cents do not matter
_PRICE = "$/share"  # a unit of keys: prices of a stock, which have cents at any height
_NO_CENTS_FROM = 1_000  # dollars from which an amount without odd cents has none


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How numbers are written.

    Attributes:
        whole_from: dollars from which an amount is rounded to whole ones; None: none is.
        percent_places: decimal places of a percentage.
        trailing_zeros: a percentage has all of its places: "12.0%" instead of "12%".
        places: decimal places of other numbers, at most.
        grouped_from: other numbers have commas from here on, as smaller ones may be years, and any
            number with a unit has them; None: no number has.
    """

    whole_from: int | None
    percent_places: int
    trailing_zeros: bool
    places: int
    grouped_from: int | None


SENTENCES = NumberStyle(
    whole_from=100_000,
    percent_places=1,
    trailing_zeros=True,
    places=2,
    grouped_from=10_000,
)
ANSWERS = NumberStyle(
    whole_from=None,
    percent_places=2,
    trailing_zeros=False,
    places=4,
    grouped_from=None,
)


def value_text(value: Any, unit: str = "") -> str:
    """A value in a sentence: a number with its unit, a boolean as a word, a text.

    An amount of whole dollars has no cents from $1,000 on; a price of a stock always has some.

    >>> value_text(1234567.8, "$"), value_text(12.5, "$"), value_text(0.1234, "fraction")
    ('$1,234,568', '$12.50', '12.3%')
    >>> value_text(11573, "$"), value_text(11573, "$/share"), value_text(-250_000, "$")
    ('$11,573', '$11,573.00', '-$250,000')
    >>> value_text(2024), value_text(12345), value_text(1200.0, "minutes")
    ('2024', '12,345', '1,200 minutes')
    """
    if isinstance(value, bool):
        return _yes_or_no(value)
    if not isinstance(value, (int, float)):
        return str(value)
    if unit == "fraction":
        return _percentage(value, SENTENCES)
    if unit == _AMOUNT:
        return _dollars(value, SENTENCES)
    if unit == _PRICE:
        return _price(value)
    number = _number(value, SENTENCES, has_unit=bool(unit))
    if unit == "%":
        return f"{number}%"
    return f"{number} {unit}" if unit else number


def answer_text(value: Any, kind: ValueType) -> str:
    """A value as an answer, by its type. A text that spells an amount of money or a fraction is
    written as that number.

    >>> answer_text(1234567.8, ValueType.MONEY), answer_text("$12.5", ValueType.MONEY)
    ('$1,234,567.80', '$12.50')
    >>> answer_text(0.12, ValueType.FRACTION), answer_text(12345.67891, ValueType.NUMBER)
    ('12%', '12345.6789')
    """
    if isinstance(value, bool):
        return _yes_or_no(value)
    number = as_number(value)
    if kind is ValueType.MONEY and number is not None:
        return _dollars(number, ANSWERS)
    if kind is ValueType.FRACTION and number is not None:
        return _percentage(number, ANSWERS)
    if kind is ValueType.YEAR:
        return str(value)[:4]
    if kind in _CODED_TYPES:
        return in_words(kind, value).removeprefix("a ")  # "a win"
    if isinstance(value, float):
        return _number(value, ANSWERS)
    return str(value)


def key_value_text(value: Any, key: Key | None) -> str:
    """The value of a key in a sentence: with its unit, and codes in words."""
    if isinstance(value, dict):
        known = {name: each for name, each in value.items() if each not in _UNKNOWN}
        return ", ".join(f"{name} {each}" for name, each in known.items())
    if isinstance(value, list):
        return joined([key_value_text(each, key) for each in value])
    if key is None:
        return value_text(value)
    if key.codes:
        return in_words(key.codes, value)
    if key.type is Type.YEAR:
        return value_text(value)
    if isinstance(value, str) and key.unit and as_number(value) is not None:
        is_money = key.unit in (_AMOUNT, _PRICE)
        return value_text(as_number(value), key.unit) if is_money else f"{value} {key.unit}"
    return value_text(value, key.unit)


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


def _dollars(amount: float, style: NumberStyle) -> str:
    is_rounded = style.whole_from is not None and abs(amount) >= style.whole_from
    is_whole = abs(amount) >= _NO_CENTS_FROM and float(amount).is_integer()
    if not is_rounded and not is_whole:
        return _price(amount)
    sign = "-" if amount < 0 else ""
    return f"{sign}${abs(amount):,.0f}"


def _price(amount: float) -> str:
    sign = "-" if amount < 0 else ""
    return f"{sign}${abs(amount):,.2f}"


def _percentage(fraction: float, style: NumberStyle) -> str:
    if style.trailing_zeros:
        return f"{fraction:.{style.percent_places}%}"
    return f"{round(100 * fraction, style.percent_places):g}%"


def _number(value: float, style: NumberStyle, *, has_unit: bool = False) -> str:
    short = int(value) if float(value).is_integer() else round(value, style.places)
    if style.grouped_from is None:
        return str(short)
    is_grouped = has_unit or abs(short) >= style.grouped_from
    return f"{short:,}" if is_grouped else str(short)
