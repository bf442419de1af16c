"""Finds time phrases in a question: runs of words that `models/english/periods.py` resolves."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime

from models.english.calendar_words import MONTHS, WEEKDAYS
from models.english.days import DAY, KnownDay, Period, is_trading_day, trading_day_before
from models.english.periods import PeriodError, resolve
from models.english.quantity_words import ORDINAL_ENDING, any_of
from models.english.question import QuestionText, WordSpan

_LONGEST = 9  # words in a time phrase
_WEEKDAY_HINTS = WEEKDAYS.keys() - {"sat", "sun", "weds"}  # these are more often other words
# A time phrase contains one of these; other runs of words are skipped.
_HINT = re.compile(
    rf"\d|\b(?:{any_of(_WEEKDAY_HINTS)}|{any_of(MONTHS)}|to-?day|now|yesterday|tomorrow|ago|date"
    r"|[ymqw]td|q[1-4]|days?|eve|sessions?|weeks?|months?|quarters?|years?|morning|tonight|weekend"
    r"|ipo)\b"
)
# A run of one of these words alone is no time phrase.
_AMBIGUOUS = frozenset(
    "may mar march sat sun fri wed mon last this recent latest first final end".split()
)
_BEFORE = re.compile(r"\b(?:before|previous|prior|preceding)\b")
_DIGIT = re.compile(r"\d")
_RANGE_WORDS = frozenset("and to through until till".split())
# Amounts and ordinals alone are no time phrases either.
_NO_TIME = re.compile(rf"[$€£]?\d{{1,3}}(?:[.,]\d+)*%?|\d+{ORDINAL_ENDING}")


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """A time phrase and its days."""

    span: WordSpan
    period: Period

    @property
    def is_day(self) -> bool:
        """Whether it is a single day, or the first or latest known one."""
        return self.period.first == self.period.last or self.period.edge is not None

    @property
    def year(self) -> int | None:
        """The year, if it is a whole one."""
        first = self.period.first
        begins = first == date(first.year, 1, 1)
        ends = self.period.last == date(first.year, 12, 31)
        return first.year if begins and ends else None

    def until(self, today: date) -> Period:
        """The period without today and later days, if earlier ones remain: the figures of a day are
        known after it ends."""
        period = self.period
        if self.is_day or period.last < today or period.first >= today:
            return period
        return Period(period.first, today - DAY)


def time_arguments(period: Period) -> tuple[str, ...]:
    """A period as arguments of a call: one day, or its first and last."""
    if period.edge is KnownDay.FIRST:
        return ("first ever trading day",)
    if period.edge is KnownDay.LATEST:
        return ("latest",)
    first = period.first.isoformat()
    last = period.last.isoformat()
    return (first,) if first == last else (first, last)


def trading_days(period: Period) -> tuple[str, ...]:
    """The days of a period on which US exchanges are open."""
    count = (period.last - period.first).days + 1
    days = (period.first + n * DAY for n in range(count))
    return tuple(day.isoformat() for day in days if is_trading_day(day))


def find_times(question: QuestionText) -> list[TimePhrase]:
    """The time phrases, in order, the longest of overlapping ones; only absolute ones if the
    question's own time is unknown."""
    times: list[TimePhrase] = []
    start = 0
    while start < len(question.words):
        time = _longest_time_from(question, start)
        if time is None:
            start += 1
            continue
        times.append(time)
        times += _ends_of_range(question, time)
        start = time.span.end
    return list(_with_days_before(question, times))


def with_dates(text: str, asked_at: datetime | None) -> str:
    """A question with the days of its relative time phrases behind it, for a prompt.

    >>> from datetime import datetime
    >>> with_dates("who played in easton yesterday?", datetime(2024, 3, 5))
    'who played in easton yesterday? ("yesterday" is March 4, 2024)'
    """
    if asked_at is None:
        return text
    question = QuestionText.of(text, asked_at)
    notes: dict[str, None] = {}
    for time in find_times(question):
        phrase = question.spelled(time.span)
        if _DIGIT.search(phrase) or time.period.edge is not None:
            continue
        first = _in_words(time.period.first)
        last = _in_words(time.period.last)
        days = f"is {first}" if first == last else f"is from {first} to {last}"
        notes[f'"{phrase}" {days}'] = None
    return f"{text} ({'; '.join(notes)})" if notes else text


def _in_words(day: date) -> str:
    return f"{day:%B} {day.day}, {day.year}"


def _longest_time_from(question: QuestionText, start: int) -> TimePhrase | None:
    """The longest time phrase that begins with the word at `start`."""
    longest_end = min(len(question.words), start + _LONGEST)
    for end in range(longest_end, start, -1):
        time = _time_phrase(question, WordSpan(start, end))
        if time is not None:
            return time
    return None


def _with_days_before(question: QuestionText, times: list[TimePhrase]) -> Iterator[TimePhrase]:
    """The times, with "the day before" as that before another day that the question names."""
    texts = [question.spelled(time.span).lower() for time in times]
    has_digits = [_DIGIT.search(text) is not None for text in texts]
    dates = [time for time, dated in zip(times, has_digits, strict=True) if time.is_day and dated]
    for time, text, dated in zip(times, texts, has_digits, strict=True):
        if dates and not dated and _BEFORE.search(text):
            day = trading_day_before(dates[0].period.first, 1)
            time = replace(time, period=Period(day, day))
        yield time


def _ends_of_range(question: QuestionText, time: TimePhrase) -> list[TimePhrase]:
    """The two days of a range: "between February 1 and February 2, 2024"."""
    start = time.span.first
    end = time.span.end
    for index in range(start + 1, end - 1):
        if question.words[index].text not in _RANGE_WORDS:
            continue
        last = _time_phrase(question, WordSpan(index + 1, end))
        if last and last.is_day:
            first_day = Period(time.period.first, time.period.first)
            return [TimePhrase(WordSpan(start, index), first_day), last]
    return []


def _time_phrase(question: QuestionText, span: WordSpan) -> TimePhrase | None:
    """The words of a span as a time; None if they are none."""
    text = question.spelled(span).lower()
    if not _HINT.search(text) or text in _AMBIGUOUS or _NO_TIME.fullmatch(text):
        return None
    try:
        period = resolve(text, question.asked_at)
    except PeriodError:
        return None
    return TimePhrase(span, period)
