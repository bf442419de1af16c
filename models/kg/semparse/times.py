"""Finds time phrases in a question: runs of words that `models/kg/periods.py` resolves."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from models.kg.days import DAY, Edge, Period, is_trading_day, trading_day_before
from models.kg.linking.question import Asked, Span
from models.kg.periods import PeriodError, resolve

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
class Time:
    """A time phrase and its days."""

    span: Span
    period: Period
    phrase: str

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
        return Period(period.first, today - DAY, period.trading, period.edge)


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


def find_times(asked: Asked) -> list[Time]:
    """The time phrases, in order, the longest of overlapping ones; none if the question's own time
    is unknown."""
    found: list[Time] = []
    start, count = 0, len(asked.words)
    while start < count and asked.at is not None:
        for end in range(min(count, start + _LONGEST), start, -1):
            time = _read(asked, Span(start, end))
            if time is not None:
                found += [time, *_ends(asked, time.span)]
                start = end
                break
        else:
            start += 1
    return [_day_before(time, found) for time in found]


def _day_before(time: Time, others: Sequence[Time]) -> Time:
    """ "The day before": before another day that the question names, if it names one."""
    named = [t.period.first for t in others if t.is_day and _DIGIT.search(t.phrase)]
    if not named or _DIGIT.search(time.phrase) or not _BEFORE.search(time.phrase):
        return time
    day = trading_day_before(named[0], 1)
    return replace(time, period=Period(day, day))


def _ends(asked: Asked, span: Span) -> list[Time]:
    """The two days of a range: "between February 1 and February 2, 2024"."""
    for at in range(span.first + 1, span.last - 1):
        if asked.words[at].text not in _JOINS:
            continue
        first = span.first + (asked.words[span.first].text in ("between", "from"))
        last = _read(asked, Span(at + 1, span.last))
        begin = _read(asked, Span(first, at)) if first < at else None
        if last and begin and last.is_day and begin.is_day:
            try:
                same_year = begin.period.first.replace(year=last.period.first.year)
            except ValueError:  # February 29
                continue
            return [replace(begin, period=Period(same_year, same_year)), last]
    return []


def _read(asked: Asked, span: Span) -> Time | None:
    text = asked.spelled(span).lower()
    if not _HINT.search(text) or text in _ALONE or _NUMBER.fullmatch(text):
        return None
    try:
        period = resolve(text, asked.at)
    except PeriodError:
        return None
    return Time(span, period, text)
