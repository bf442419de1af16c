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


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How numbers are written.

    Attributes:
        whole_from: dollars from which an amount has no cents: prices have some, budgets do not.
        keeps_odd_cents: such an amount has cents nevertheless, if they are not zero.
        minus_inside: such an amount is "$-200,000" instead of "-$200,000".
        percent_places: decimal places of a percentage.
        trailing_zeros: a percentage has all of its places: "12.0%" instead of "12%".
        places: decimal places of other numbers, at most.
        grouped_from: other numbers have commas from here on, as smaller ones may be years, and any
            number with a unit has them; None: no number has.
    """

    whole_from: int
    keeps_odd_cents: bool
    minus_inside: bool
    percent_places: int
    trailing_zeros: bool
    places: int
    grouped_from: int | None


SENTENCES = NumberStyle(
    whole_from=100_000,
    keeps_odd_cents=False,
    minus_inside=True,
    percent_places=1,
    trailing_zeros=True,
    places=2,
    grouped_from=10_000,
)
ANSWERS = NumberStyle(
    whole_from=10_000,
    keeps_odd_cents=True,
    minus_inside=False,
    percent_places=2,
    trailing_zeros=False,
    places=4,
    grouped_from=None,
)


def value_text(value: Any, unit: str = "") -> str:
    """A value in a sentence: a number with its unit, a boolean as a word, a text.

    >>> value_text(1234567.8, "$"), value_text(12.5, "$"), value_text(0.1234, "fraction")
    ('$1,234,568', '$12.50', '12.3%')
    >>> value_text(2024), value_text(12345), value_text(1200.0, "minutes")
    ('2024', '12,345', '1,200 minutes')
    """
    if isinstance(value, bool):
        return _yes_or_no(value)
    if not isinstance(value, (int, float)):
        return str(value)
    if unit == "fraction":
        return _percentage(value, SENTENCES)
    if unit == "$":
        return _dollars(value, SENTENCES)
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
        return f"{value} {key.unit}"
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
    sign = "-" if amount < 0 else ""
    has_odd_cents = style.keeps_odd_cents and not float(amount).is_integer()
    if abs(amount) < style.whole_from or has_odd_cents:
        return f"{sign}${abs(amount):,.2f}"
    if style.minus_inside:
        return f"${amount:,.0f}"
    return f"{sign}${abs(amount):,.0f}"


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
