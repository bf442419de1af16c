"""Answers that are a date: dates in text, of any granularity, and whether they say the same."""

import calendar
import re
from dataclasses import dataclass, replace
from functools import lru_cache

from evaluation.judge.normalize import CharSpan, Text, tokenize
from evaluation.judge.protocol import Judgement, wrong
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.values import Agreement, StatedValue, new_words, weigh

_MONTHS = {
    name.lower(): i
    for names in (calendar.month_name, calendar.month_abbr)
    for i, name in enumerate(names)
    if name
} | {"sept": 9}
_M = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?(?![\d:%]|\.\d)"
_DAYS = rf"(?P<days>{_DAY}(?:\s*(?:,|and|&|-|to|, and)\s*(?:the )?{_DAY})*)"
_YEAR = r"(?P<year>[12]\d{3})(?!\d)"
# In order: what one has read is not read again.
_PATTERNS = tuple(
    map(
        re.compile,
        (
            r"(?<!\d)(?P<year>[12]\d{3})[-/.](?P<number>\d{1,2})[-/.](?P<days>\d{1,2})(?!\d)",
            r"(?<![\d/.$-])(?P<number>\d{1,2})(?P<mark>[-/.])(?P<days>\d{1,2})(?P=mark)"
            r"(?P<year>\d{4}|\d{2})(?![\d/])",
            rf"\b{_M}\s+(?:the )?{_DAYS}(?:\s*,?\s*(?:of )?{_YEAR})?",
            rf"(?<![\d.,$/-]){_DAYS}\s+(?:of )?{_M}(?:\s*,?\s*(?:of )?{_YEAR})?",
            rf"\b{_M}\s*,?\s*(?:of )?{_YEAR}",
            r"(?<![\d.,$€£/\w])(?P<year>1\d{3}|20\d{2})(?![\d%]|[.,]\d|'?s\b| (?:million|billion"
            r"|feet|miles|km|meters|metres|usd|dollars|people|points|pounds|ft)\b)",
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Date(StatedValue):
    """What is said of a date; None where it is left open. A year below 100 has no century."""

    year: int | None
    month: int | None
    day: int | None


@lru_cache(maxsize=8192)
def dates(text: str) -> tuple[Date, ...]:
    """The dates of folded `text`, left to right, years alone among them."""
    out: list[Date] = []
    taken: list[CharSpan] = []
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            if not any(a < found.end() and found.start() < b for a, b in taken):
                taken.append(found.span())
                out.extend(_read(found))
    return tuple(sorted(out, key=lambda date: date.start))


def _read(found: re.Match[str]) -> list[Date]:
    """The dates of one match: several for "may 4 and 5"."""
    groups = found.groupdict()
    year = int(groups["year"]) if groups.get("year") else None
    days = [int(day) for day in re.findall(r"\d+", groups.get("days") or "")]
    month = _MONTHS.get(groups.get("month") or "")
    month = int(groups["number"]) if groups.get("number") else month
    if month and month > 12 and days and days[0] <= 12:  # 31/12/1999
        month, days = days[0], [month]
    if len(days) == 2 and days[0] < days[1] and re.search(r"-|\bto\b", groups["days"]):
        days = list(range(days[0], days[1] + 1))
    named: list[int | None] = [*days] or [None]
    return [Date(year, month, day, start=found.start(), end=found.end()) for day in named]


def compare(gold: Date, other: Date) -> Agreement:
    """NO where a part differs; MAYBE where `other` leaves open what `gold` says; else YES."""
    if gold.year is not None and other.year is not None:
        whole = min(gold.year, other.year) >= 100
        if (gold.year != other.year) if whole else (gold.year % 100 != other.year % 100):
            return Agreement.NO
    if not (_agree(gold.month, other.month) and _agree(gold.day, other.day)):
        return Agreement.NO
    # A day without its year is how people answer; a year without its day says less.
    less = (gold.day is not None and other.day is None) or other.month is None is not gold.month
    return Agreement.MAYBE if less else Agreement.YES


def _agree(a: int | None, b: int | None) -> bool:
    return a is None or b is None or a == b


# -- the verdict --------------------------------------------------------------------------------


def judge_date(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` is a date, or holds one that the question asks for, else None."""
    text = tokenize(gold)
    asked = dates(question.text.folded)
    found = dates(text.folded)
    wanted = [date for date in found if not _known(date, asked)] or list(found)
    if not wanted:
        return None
    few = 2 * len(wanted) if question.dated else 0
    if new_words(text, wanted, question) > few:
        return None
    if not question.dated and not any(date.month for date in wanted):
        return None
    if question.yearly and all(date.year for date in wanted):
        wanted = [replace(date, month=None, day=None) for date in wanted]
    every = dates(reply.folded)
    new = [date for date in every if not _known(date, asked)]
    said = [date for date in new if date.month is not None] or new or list(every)
    if not said:
        return wrong("gives no date")
    return weigh(wanted, said, compare, "dates", question, reply)


def _known(date: Date, others: tuple[Date, ...]) -> bool:
    """Whether `date` says nothing that is not in `others`."""
    return any(compare(date, other) is Agreement.YES for other in others)
