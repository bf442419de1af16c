"""Finds time phrases in a question: runs of words that `models/kg/english/periods.py` resolves."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from models.kg.english.days import DAY, Edge, Period, is_trading_day, trading_day_before
from models.kg.english.periods import PeriodError, resolve
from models.kg.english.question import QuestionText, WordSpan

_LONGEST = 9  # words in a time phrase
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues?|wed|thur?s?|fri"
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
# A time phrase contains one of these; other runs of words are skipped.
_HINT = re.compile(
    rf"\d|\b(?:{_DAYS}|{_MONTHS}|to-?day|now|yesterday|tomorrow|ago|date|[ymqw]td|q[1-4]|days?"
    r"|eve|sessions?|weeks?|months?|quarters?|years?|morning|tonight|weekend|ipo)\b"
)
_ALONE = frozenset(
    "may mar march sat sun fri wed mon last this recent latest first final end".split()
)
_BEFORE, _DIGIT = re.compile(r"\b(?:before|previous|prior|preceding)\b"), re.compile(r"\d")
_JOINS = frozenset("and to through until till".split())
_NUMBER = re.compile(r"[$€£]?\d{1,3}(?:[.,]\d+)*%?|\d+(?:st|nd|rd|th)")


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """A time phrase and its days."""

    span: WordSpan
    period: Period

    @property
    def is_day(self) -> bool:
        return self.period.first == self.period.last or self.period.edge is not None

    @property
    def year(self) -> int | None:
        """The year, if it is a whole one."""
        first, last = self.period.first, self.period.last
        whole = (first, last) == (date(first.year, 1, 1), date(first.year, 12, 31))
        return first.year if whole else None

    def until(self, today: date) -> Period:
        """The period without today and later days, if earlier ones remain: the figures of a day are
        known after it ends."""
        period = self.period
        if self.is_day or period.last < today or period.first >= today:
            return period
        return Period(period.first, today - DAY)


def arguments(period: Period) -> tuple[str, ...]:
    """A period as arguments of a call: one day, or its first and last."""
    if period.edge is not None:
        return ("first ever trading day" if period.edge is Edge.FIRST else "latest",)
    first, last = period.first.isoformat(), period.last.isoformat()
    return (first,) if first == last else (first, last)


def trading_days(period: Period) -> tuple[str, ...]:
    """The days of a period on which US exchanges are open."""
    count = (period.last - period.first).days + 1
    days = (period.first + n * DAY for n in range(count))
    return tuple(day.isoformat() for day in days if is_trading_day(day))


def find_times(asked: QuestionText) -> list[TimePhrase]:
    """The time phrases, in order, the longest of overlapping ones; none if the question's own time
    is unknown."""
    found: list[TimePhrase] = []
    start, count = 0, len(asked.words)
    while start < count and asked.at is not None:
        ends = range(min(count, start + _LONGEST), start, -1)
        time = next(filter(None, (_read(asked, WordSpan(start, end)) for end in ends)), None)
        found += [time, *_ends(asked, time)] if time else []
        start = time.span.last if time else start + 1
    return list(_days_before(asked, found))


def _days_before(asked: QuestionText, found: list[TimePhrase]) -> Iterator[TimePhrase]:
    """The times, with "the day before" as that before another day that the question names."""
    texts = [asked.spelled(time.span).lower() for time in found]
    dated = [t for t, text in zip(found, texts, strict=True) if t.is_day and _DIGIT.search(text)]
    for time, text in zip(found, texts, strict=True):
        if dated and _BEFORE.search(text) and not _DIGIT.search(text):
            day = trading_day_before(dated[0].period.first, 1)
            time = replace(time, period=Period(day, day))
        yield time


def _ends(asked: QuestionText, time: TimePhrase) -> list[TimePhrase]:
    """The two days of a range: "between February 1 and February 2, 2024"."""
    start, end = time.span.first, time.span.last
    for at in (i for i in range(start + 1, end - 1) if asked.words[i].text in _JOINS):
        last = _read(asked, WordSpan(at + 1, end))
        if last and last.is_day:
            return [
                TimePhrase(WordSpan(start, at), Period(time.period.first, time.period.first)),
                last,
            ]
    return []


def _read(asked: QuestionText, span: WordSpan) -> TimePhrase | None:
    text = asked.spelled(span).lower()
    if not _HINT.search(text) or text in _ALONE or _NUMBER.fullmatch(text):
        return None
    try:
        period = resolve(text, asked.at)
    except PeriodError:
        return None
    return TimePhrase(span, period)
