"""Extracts values from a text: dates, numbers with their units, money, names."""

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple

from utils.text import fold, words

MAX_VALUES = 40  # of one text; the rest is not read
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?"
)
_NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
).split()
_MANY = r"(?:[ -](?:thousand|million|billion|trillion))"
_DIGITS = r"\d{1,15}(?:,\d{3}){0,5}(?:\.\d{1,9})?"
_NUMBER = rf"(?<![\w,.$/#-]){_DIGITS}"
_UNIT = (
    r"(?:f(?:ee|oo)?t|inch(?:es)?|miles?|yards?|(?:kilo|centi|milli)?met(?:re|er)s?|[ckm]?m|acres?"
    r"|hectares?|kg|kilograms?|tonn?e?s?|pounds|lbs?|seconds|minutes?|mins?|hours?|days?|weeks?"
    r"|months?|years?|degrees?|mph|km/h)"
)
_CAPITAL = r"(?:[A-Z\u00c0-\u00de][\w'\u2019&.-]{0,30}[\w'\u2019&!]|[A-Z]\.|[A-Z](?=\s[A-Z]))"
_LINK = r"(?:of|the|and|de|da|del|van|von|der|le|la|in|for|to|a|&)"
# Of overlapping spans, the one whose kind comes first counts.
PATTERNS = {
    "date": re.compile(
        rf"\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}\b"
        rf"|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH},? \d{{4}}\b|\b\d{{4}}-\d\d-\d\d\b"
    ),
    "month": re.compile(rf"\b{_MONTH},? \d{{4}}\b"),
    "year": re.compile(r"(?<![\d,.$/-])(?:1[0-9]|20)\d\d(?!\d|,\d|%|\.\d|-\d\d\b)"),
    "money": re.compile(
        rf"(?:US)?[$\u20ac\u00a3] ?{_DIGITS}(?:{_MANY}| ?[MBK]\b)?"
        rf"|{_NUMBER}{_MANY}? (?:US )?(?:dollars|euros|pounds)\b"
    ),
    "percent": re.compile(rf"{_NUMBER} ?(?:%|percent|per cent)"),
    "measure": re.compile(rf"{_NUMBER}{_MANY}?[ -]?{_UNIT}\b", re.I),
    "number": re.compile(
        rf"(?:{_NUMBER}|\b(?:{'|'.join(_NUMBER_WORDS)})\b){_MANY}?"
        r"(?![\d%]|,\d|\.\d|-\d|(?:st|nd|rd|th)\b)",
        re.I,
    ),
    "name": re.compile(
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
_DAYS = frozenset(
    """january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday""".split()
)


class Value(NamedTuple):
    """A span of a text: its kind, its text, a key that equal values share, and its start and end
    offset."""

    kind: str
    text: str
    key: str
    start: int
    end: int


def values(text: str, kinds: Collection[str]) -> Iterator[Value]:
    """The first `MAX_VALUES` values of each of these kinds in `text`."""
    taken: list[tuple[int, int]] = []
    for kind, pattern in PATTERNS.items():
        for match in islice(pattern.finditer(text), MAX_VALUES) if kind in kinds else ():
            start, end = match.span()
            if any(start < last and first < end for first, last in taken):
                continue
            taken.append((start, end))
            said = match.group()
            if kind == "name":
                said = _less_openers(said)
                start = end - len(said)
            said = said.strip(" ,'-\u2019")
            if said:
                yield Value(kind, said, key_of(kind, said), start, end)


def key_of(kind: str, said: str) -> str:
    """A key that all spellings of a value share: "4 May 1950" and "May 4, 1950", "six" and "6"."""
    if kind == "date":
        parts = re.findall(r"[A-Za-z]{3,}|\d+", said)
        numbers = sorted((int(part) for part in parts if part.isdigit()), reverse=True)
        months = [part[:3].lower() for part in parts if part[:3].lower() in _MONTHS]
        if months:
            return "-".join(map(str, (numbers[0], _MONTHS.index(months[0]) + 1, *numbers[1:])))
        return "-".join(str(int(part)) for part in parts)
    if kind in ("money", "measure", "number", "percent"):
        folded = said.lower().replace(",", "")
        first, *rest = re.split(r"(?<=\d)[ -]?(?=[a-z])|[ -]", folded)
        number = str(_NUMBER_WORDS.index(first)) if first in _NUMBER_WORDS else first
        return " ".join((number, *rest))
    return " ".join(words(said)) or fold(said)


def _less_openers(said: str) -> str:
    """A name without leading words that are not part of it; empty for a day or a month alone."""
    first, _, rest = said.partition(" ")
    while first.lower() in _OPENERS:
        said = rest
        first, _, rest = said.partition(" ")
    return "" if len(said) < 2 or set(words(said)) <= _DAYS else said
