"""The quantity that a text begins with, such as the 45% of "45% of the vote, 3 million"."""

import re
from typing import NamedTuple

from models.english.calendar_words import MONTHS
from models.english.quantities import quantities
from models.english.quantity_words import UNITS_IN_ANSWERS, UnitKind, any_of

_PLAIN_SIGNS = str.maketrans("−–—’″′\xa0", "---'\"' ")
# "5.97×10^24 kg": the power of ten after a number, and the rest
_POWER = re.compile(
    r"(?P<number>-?\d[\d,]*(?:\.\d+)?) ?[×x*] ?10\^(?P<power>-?\d{1,3})(?P<rest>.*)", re.S
)
_DIGITS_FIRST = re.compile(r"\W*(?:us)?\W*\d")  # no number in words, as titles begin with some
_MONTH_AFTER = re.compile(rf"\s+(?:{any_of(MONTHS)})\b", re.I)
_DATE_AFTER = re.compile(r"-\d\d\b")  # of "2001-05"
_PERCENT = "%"
_WHOLE = 100


class LeadingQuantity(NamedTuple):
    """A quantity at the start of a text.

    Attributes:
        unit: a name of `UNITS_IN_ANSWERS`, or empty.
        is_alone: the text has nothing else.
    """

    value: float
    unit: str
    is_alone: bool

    @property
    def kind(self) -> UnitKind | None:
        """What its unit measures."""
        return UNITS_IN_ANSWERS[self.unit][0] if self.unit else None

    @property
    def factor(self) -> float:
        """How many base units of its kind its unit is; 1 without a unit."""
        return UNITS_IN_ANSWERS[self.unit][1].size if self.unit else 1.0


def leading_quantity(text: str) -> LeadingQuantity | None:
    """The quantity at the start of a text; None if it begins with words or a date.

    >>> leading_quantity("45% of the vote, 3 million")
    LeadingQuantity(value=45.0, unit='%', is_alone=False)
    >>> leading_quantity("4 May 2001") is None
    True
    """
    plain = text.translate(_PLAIN_SIGNS).strip().lower()
    power = _POWER.match(plain)
    if power:
        after = quantities(f"1{power['rest']}")
        unit = after[0].unit if after and after[0].start == 0 else ""
        value = float(f"{power['number'].replace(',', '')}e{power['power']}")
        return LeadingQuantity(value, unit, not power["rest"].strip())
    first = next(iter(quantities(plain)), None)
    if first is None or first.start > 0 or not _DIGITS_FIRST.match(plain):
        return None
    if plain[first.end :][:1].isalnum():  # a number as a part of a word
        return None
    if _MONTH_AFTER.match(plain, first.end) or _DATE_AFTER.match(plain, first.end):
        return None
    return LeadingQuantity(first.value, first.unit, first.end == len(plain))


def comparable_numbers(
    quantity: LeadingQuantity, other: LeadingQuantity
) -> tuple[float, float] | None:
    """The numbers of two quantities in the unit of the first one; None if they measure different
    things: a share and an amount, a length and a mass."""
    if quantity.unit == other.unit:
        return quantity.value, other.value
    if quantity.kind is not None and quantity.kind == other.kind:
        return quantity.value, other.value * other.factor / quantity.factor
    if _may_be_of_unit(quantity, other) or _may_be_of_unit(other, quantity):
        return quantity.value, other.value
    return None


def _may_be_of_unit(quantity: LeadingQuantity, other: LeadingQuantity) -> bool:
    """Whether a mere number may be in the unit of the other quantity; a share is at most 100%."""
    if quantity.unit or not quantity.is_alone:
        return False
    return other.unit != _PERCENT or 0 <= quantity.value <= _WHOLE
