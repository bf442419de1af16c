"""Extracts values from a text: dates, numbers with their units, money, names."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from models.kg.english.quantity_words import (
    DIGITS,
    LARGE_SCALE_WORDS,
    MEASURE_KINDS,
    MONEY_KINDS,
    MONTH_NAMES,
    MONTHS,
    ORDINAL_ENDING,
    WEEKDAY_NAMES,
    UnitKind,
    any_of,
    is_sign,
    number_words,
    unit_names_on_pages,
)
from utils.text import fold, words

MAX_VALUES = 40  # of one kind in one text; the rest is not read


class ValueKind(StrEnum):
    """The kind of a value that may answer a question."""

    DATE = "date"
    MONTH = "month"
    YEAR = "year"
    MONEY = "money"
    PERCENT = "percent"
    MEASURE = "measure"
    NUMBER = "number"
    NAME = "name"
    TEXT = "text"  # a whole cell of a table, or the text after a label
    OPTION = "option"  # one of the two things that the question names

    @property
    def is_amount(self) -> bool:
        """Whether it is a number, with or without a unit."""
        return self in _AMOUNTS


_AMOUNTS = (ValueKind.MONEY, ValueKind.PERCENT, ValueKind.MEASURE, ValueKind.NUMBER)

_MONTH = rf"(?:{any_of(name.capitalize() for name in MONTHS)})\.?"
_DAY = rf"\d{{1,2}}{ORDINAL_ENDING}?"
_NUMBER_WORDS = number_words(0, 20)
_SCALE = rf"(?:[ -](?:{any_of(LARGE_SCALE_WORDS)}))"
_NUMBER = rf"(?<![\w,.$/#-]){DIGITS}"
_UNIT = f"(?:{any_of(unit_names_on_pages(MEASURE_KINDS))})"
_PERCENT = f"(?:{any_of(unit_names_on_pages([UnitKind.PERCENT]))})"
_MONEY_NAMES = unit_names_on_pages(MONEY_KINDS)
_MONEY_SIGN = f"(?:{any_of(name for name in _MONEY_NAMES if is_sign(name))})"
_MONEY_WORD = f"(?:{any_of(name for name in _MONEY_NAMES if not is_sign(name))})"
_CAPITAL = r"(?:[A-Z\u00c0-\u00de][\w'\u2019&.-]{0,30}[\w'\u2019&!]|[A-Z]\.|[A-Z](?=\s[A-Z]))"
_LINK = r"(?:of|the|and|de|da|del|van|von|der|le|la|in|for|to|a|&)"
# Of overlapping spans, the one whose kind comes first counts.
_PATTERNS = {
    ValueKind.DATE: re.compile(
        rf"\b{_MONTH} {_DAY},? \d{{4}}\b"
        rf"|\b{_DAY}(?: of)? {_MONTH},? \d{{4}}\b"
        r"|\b\d{4}-\d\d-\d\d\b"
    ),
    ValueKind.MONTH: re.compile(rf"\b{_MONTH},? \d{{4}}\b"),
    ValueKind.YEAR: re.compile(r"(?<![\d,.$/-])(?:1[0-9]|20)\d\d(?!\d|,\d|%|\.\d|-\d\d\b)"),
    ValueKind.MONEY: re.compile(
        rf"(?:US)?{_MONEY_SIGN} ?{DIGITS}(?:{_SCALE}| ?[MBK]\b)?"
        rf"|{_NUMBER}{_SCALE}? (?:US )?{_MONEY_WORD}\b"
    ),
    ValueKind.PERCENT: re.compile(rf"{_NUMBER} ?{_PERCENT}"),
    ValueKind.MEASURE: re.compile(rf"{_NUMBER}{_SCALE}?[ -]?{_UNIT}\b", re.I),
    ValueKind.NUMBER: re.compile(
        rf"(?:{_NUMBER}|\b(?:{any_of(_NUMBER_WORDS)})\b){_SCALE}?"
        rf"(?![\d%]|,\d|\.\d|-\d|{ORDINAL_ENDING}\b)",
        re.I,
    ),
    ValueKind.NAME: re.compile(
        rf"(?<!\w){_CAPITAL}(?: (?:{_LINK} ){{0,2}}(?:{_CAPITAL}|\d{{1,4}}\b)){{0,6}}"
    ),
}
# Words that are capitalised because they begin a sentence.
_OPENERS = frozenset(
    """
    a after all also although an and as at because before but by during each for from he her here
    his how however if in into it its list many most my no not of on one only or our over read see
    she since so some that the their then there these they this those to top under until we what
    when where which while who why with you your new more home page search sign share
    """.split()
)
_CALENDAR_NAMES = frozenset((*MONTH_NAMES, *WEEKDAY_NAMES))
_EDGE_PUNCTUATION = " ,'-\u2019"


@dataclass(frozen=True, slots=True)
class PageValue:
    """A value in a text.

    Attributes:
        key: shared by all spellings of the value.
        start, end: its offsets in the text.
    """

    kind: ValueKind
    text: str
    key: str
    start: int
    end: int

    def moved(self, offset: int) -> "PageValue":
        """The same value in a text that begins `offset` characters earlier."""
        return PageValue(self.kind, self.text, self.key, self.start + offset, self.end + offset)


def page_values(text: str, kinds: Collection[ValueKind]) -> Iterator[PageValue]:
    """The first `MAX_VALUES` values of each of these kinds in `text`."""
    spans: list[tuple[int, int]] = []
    for kind, pattern in _PATTERNS.items():
        if kind not in kinds:
            continue
        for match in islice(pattern.finditer(text), MAX_VALUES):
            start, end = match.span()
            if any(start < other_end and other_start < end for other_start, other_end in spans):
                continue
            spans.append((start, end))
            spelling = match.group()
            if kind is ValueKind.NAME:
                spelling = _without_openers(spelling)
                start = end - len(spelling)
            spelling = spelling.strip(_EDGE_PUNCTUATION)
            if spelling:
                yield PageValue(kind, spelling, key_of(kind, spelling), start, end)


def key_of(kind: ValueKind, spelling: str) -> str:
    """A key that all spellings of a value share: "4 May 1950" and "May 4, 1950", "six" and "6"."""
    if kind is ValueKind.DATE:
        return _date_key(spelling)
    if kind.is_amount:
        return _amount_key(spelling)
    return " ".join(words(spelling)) or fold(spelling)


def _date_key(spelling: str) -> str:
    """Year, month and day: "1950-5-4"."""
    parts = re.findall(r"[A-Za-z]{3,}|\d+", spelling)
    numbers = [int(part) for part in parts if part.isdigit()]
    months = [MONTHS[part.lower()] for part in parts if part.lower() in MONTHS]
    if months:
        year, *days = sorted(numbers, reverse=True)
        numbers = [year, months[0], *days]
    return "-".join(map(str, numbers))


def _amount_key(spelling: str) -> str:
    """The number in digits and its unit, without commas: "1212 rooms"."""
    plain = spelling.lower().replace(",", "")
    number, *unit_words = re.split(r"(?<=\d)[ -]?(?=[a-z])|[ -]", plain)
    if number in _NUMBER_WORDS:
        number = str(_NUMBER_WORDS[number])
    return " ".join((number, *unit_words))


def _without_openers(name: str) -> str:
    """A name without leading words that are not part of it; empty for a day or a month alone."""
    first, _, rest = name.partition(" ")
    while first.lower() in _OPENERS:
        name = rest
        first, _, rest = name.partition(" ")
    if len(name) < 2 or set(words(name)) <= _CALENDAR_NAMES:
        return ""
    return name
