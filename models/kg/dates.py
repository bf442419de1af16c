"""The day that a phrase of a question means, seen from the time at which it was asked."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from dateutil import parser as date_parser

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_TRADING_DAY = r"(?:trading|business|market)\s+(?:day|session)"


_LONGEST_CLOSURE = timedelta(days=5)  # a weekend with a holiday on either side
# Before a day, these mean another day, or more than one.
_ANOTHER = re.compile(
    r"\b(?:after|before|between|from|not|prior to|since|till|until|week of)\s+(?:on\s+|the\s+)?$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class When:
    """A stretch of a text that means one day: `exact`, or, where that is None, the last before."""

    start: int
    end: int
    exact: date | None
    before: date

    def pick(self, known: Iterable[date]) -> date | None:
        """The day meant, out of the days that are known; None where it is not among them."""
        if self.exact is None:
            last = max((day for day in known if day < self.before), default=None)
            return last if last and self.before - last <= _LONGEST_CLOSURE else None
        return self.exact if self.exact in set(known) else None


def find_day(text: str, asked: date) -> When | None:
    """The first phrase of `text` that means one day; None where there is none or it is unclear.

    Understood are dates in full, "yesterday", "today", a weekday ("last friday", unless it could
    mean this week's or the last one's), and "the last trading day", which is the last known day
    before the question was asked.
    """
    for pattern, read in _PHRASES:
        match = pattern.search(text)
        if match and _ANOTHER.search(text[: match.start()]):
            return None
        if match:
            try:
                return When(match.start(), match.end(), read(match, asked), asked)
            except (ValueError, OverflowError):
                return None
    return None


def _full_date(match: re.Match[str], asked: date) -> date:
    return date_parser.parse(match.group("date")).date()


def _yesterday(match: re.Match[str], asked: date) -> date:
    return asked - timedelta(days=1)


def _today(match: re.Match[str], asked: date) -> date:
    return asked


def _weekday(match: re.Match[str], asked: date) -> date:
    back = (asked.weekday() - WEEKDAYS.index(match.group("weekday").lower())) % 7 or 7
    if back <= asked.weekday():
        raise ValueError("this week's or the last one's")
    return asked - timedelta(days=back)


def _last_known(match: re.Match[str], asked: date) -> None:
    return None


_PHRASES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], date | None]], ...] = (
    (
        re.compile(
            r"(?:\b(?:on|for)\s+)?(?P<date>\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}/\d{1,2}/\d{4}\b"
            rf"|\b{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}\b"
            rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\.?,?\s+\d{{4}}\b)",
            re.I,
        ),
        _full_date,
    ),
    (re.compile(r"\byesterday(?:'s)?|\bthe (?:previous|prior) day\b", re.I), _yesterday),
    (re.compile(r"\btoday(?:'s)?\b", re.I), _today),
    (
        re.compile(
            rf"\b(?:on\s+)?(?:the\s+)?(?:last|past|previous|most recent)\s+"
            rf"(?P<weekday>{'|'.join(WEEKDAYS)})\b",
            re.I,
        ),
        _weekday,
    ),
    (
        re.compile(
            rf"\b(?:on\s+|during\s+|for\s+)?(?:the\s+)?(?:last|latest|previous|most recent|final)"
            rf"\s+{_TRADING_DAY}\b",
            re.I,
        ),
        _last_known,
    ),
)
