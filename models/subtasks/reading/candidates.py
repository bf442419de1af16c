"""The spans of a sentence that have the form of an answer."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from models.subtasks.reading.asked import Asked, Kind
from utils.text import stem, words

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?"
)
_DATE = re.compile(
    rf"\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH},? \d{{4}}\b"
    r"|\b\d{4}-\d\d-\d\d\b"
)
_MONTH_YEAR = re.compile(rf"\b{_MONTH} \d{{4}}\b")
_YEAR = re.compile(r"(?<![\d,.$/-])(?:1[5-9]|20)\d\d(?!\d|,\d|%|\.\d|-\d\d\b)")
NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
        " fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
}
_COUNTED = re.compile(
    r"(?<![\d,.$/#-])(?P<span>\d[\d,]*(?:\.\d+)?(?: (?:thousand|million|billion))?|"
    + "|".join(NUMBER_WORDS)
    + r")(?![\d%]|\.\d|-\d|(?:st|nd|rd|th)\b)(?P<after>(?:[ -][\w'\u2019-]+){0,4})",
    re.I,
)
_MONEY = re.compile(
    r"(?:US)?[$\u20ac\u00a3]\s?\d[\d,]*(?:\.\d+)?"
    r"(?:[ -](?:thousand|million|billion|trillion)| ?[MBK]\b)?"
    r"|(?<![\w,.])\d[\d,]*(?:\.\d+)? (?:(?:thousand|million|billion|trillion) )?"
    r"(?:dollars|euros|pounds)\b",
    re.I,
)
_MEASURE = re.compile(
    r"(?<![\w,.])\d[\d,]*(?:\.\d+)?\s?(?:(?:thousand|million|billion)\s)?"
    r"(?:f(?:ee|oo)?t|inch(?:es)?|miles?|yards?"
    r"|met(?:re|er)s?|m|km|kilomet(?:re|er)s?|cm|centimet(?:re|er)s?|acres?|hectares?"
    r"|kg|kilograms?|tonn?e?s?|pounds|lbs?|minutes?|hours?|days?|weeks?|months?|years?|degrees?)\b",
    re.I,
)
_CAPITAL = r"[A-Z\u00c0-\u00de][\w'\u2019&.-]{0,40}[\w'\u2019&]|[A-Z]\."
_PERSON = re.compile(
    rf"(?<!\w)(?:{_CAPITAL})"
    rf"(?: (?:(?:de|da|del|van|von|der|le|la|bin|al) ){{0,2}}(?:{_CAPITAL})){{1,3}}"
)
_PLACE = re.compile(
    rf"\b(?:in|at|near|from|to) (?:the )?(?P<span>(?:{_CAPITAL})(?: (?:{_CAPITAL}))*"
    rf"(?:, (?:{_CAPITAL})(?: (?:{_CAPITAL}))*)*)"
)
_OPENERS = frozenset(
    """
    a after all also although an and as at because before but by during each for from he her here
    his how however if in into it its list many most my no not of on one only or our over read see
    she since so some that the their then there these they this those to top under until we what
    when where which while who why with you your new more home page search sign share
    """.split()
)
_MONTHS = frozenset(
    """january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday""".split()
)


class Candidate(NamedTuple):
    """A span of a sentence: what is said, the key by which equal answers meet, where it stands."""

    text: str
    key: str
    start: int
    end: int


def candidates(sentence: str, asked: Asked) -> Iterator[Candidate]:
    """The spans of `sentence` that have the form of what is asked."""
    if asked.kind is Kind.COUNT:
        yield from _counts(sentence, asked.noun)
    elif asked.kind in (Kind.DATE, Kind.YEAR):
        yield from _dates(sentence, asked.kind)
    elif asked.kind in (Kind.MONEY, Kind.MEASURE):
        pattern = _MONEY if asked.kind is Kind.MONEY else _MEASURE
        for match in pattern.finditer(sentence):
            yield _candidate(match.group(), match.start(), match.group().lower().replace(",", ""))
    elif asked.kind is Kind.PLACE:
        for match in _PLACE.finditer(sentence):
            yield _candidate(match["span"], match.start("span"))
    elif asked.kind is Kind.PERSON:
        yield from _persons(sentence)


def _candidate(text: str, start: int, key: str = "") -> Candidate:
    said = text.strip(" ,.-'\u2019")
    return Candidate(said, key or " ".join(words(said)), start, start + len(text))


def _counts(sentence: str, noun: str) -> Iterator[Candidate]:
    if not noun:
        return
    for match in _COUNTED.finditer(sentence):
        near = [stem(word) for word in words(match["after"])]
        if noun in near:
            said = match["span"].lower()
            value = str(NUMBER_WORDS.get(said, said.replace(",", "")))
            yield Candidate(match["span"], value, match.start(), match.end("span"))


def _dates(sentence: str, kind: Kind) -> Iterator[Candidate]:
    if kind is Kind.DATE:
        for match in _DATE.finditer(sentence):
            yield _candidate(match.group(), match.start(), _day(match.group()))
        if _DATE.search(sentence):
            return
        for match in _MONTH_YEAR.finditer(sentence):
            yield _candidate(match.group(), match.start(), match.group().lower())
        if _MONTH_YEAR.search(sentence):
            return
    for match in _YEAR.finditer(sentence):
        yield _candidate(match.group(), match.start())


def _day(text: str) -> str:
    """Day, month and year in one order, so that spellings of one day meet."""
    parts = re.findall(r"[A-Za-z]{3,}|\d+", text.replace("of ", ""))
    if len(parts) == 3 and all(part.isdigit() for part in parts):
        names = "jan feb mar apr may jun jul aug sep oct nov dec".split()
        month = int(parts[1])
        return f"{int(parts[2])} {names[month - 1]} {parts[0]}" if 1 <= month <= 12 else text
    month_name = next((part[:3].lower() for part in parts if part.isalpha()), "")
    numbers = sorted(int(part) for part in parts if part.isdigit())
    return f"{numbers[0]} {month_name} {numbers[-1]}" if len(numbers) == 2 else text.lower()


def _persons(sentence: str) -> Iterator[Candidate]:
    for match in _PERSON.finditer(sentence):
        text, start = match.group(), match.start()
        first = text.split()[0]
        while first.lower() in _OPENERS and " " in text:
            start += len(first) + 1
            text = text[len(first) + 1 :]
            first = text.split()[0]
        said = words(text)
        if len(said) < 2 or len("".join(said)) < 3 or first.lower() in _OPENERS:
            continue
        if set(said) <= _MONTHS:
            continue
        yield _candidate(text, start)
