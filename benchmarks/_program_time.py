"""Times of programs as days, in a form that is the same for times that select the same rows."""

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from models.kg.english.days import (
    DAY,
    KnownDay,
    is_trading_day,
    trading_day_before,
    trading_day_from,
)
from models.kg.english.periods import PeriodError, resolve
from utils.text import words

_CLOCK = re.compile(r"\d:\d\d")


@dataclass(frozen=True, slots=True)
class Days:
    """From `first` to `last`, both included."""

    first: date
    last: date

    @property
    def is_one(self) -> bool:
        return self.first == self.last


Time = Days | KnownDay | str  # the text of a phrase that is not understood, or has a time of day


def time_of(phrases: Sequence[str], now: datetime, *, foreseen: bool) -> Time:
    """The days from the first phrase to the last.

    Args:
        foreseen: the KG may have rows of days to come, such as games.
    """
    text = " to ".join(" ".join(words(phrase)) for phrase in phrases)
    if any(_CLOCK.search(phrase) for phrase in phrases):
        return text
    try:
        periods = [resolve(phrase, now) for phrase in phrases]
    except PeriodError:
        return text
    for period in periods:
        if period.edge is not None:
            return period.edge if len(periods) == 1 else text
    days = Days(periods[0].first, periods[-1].last)
    return until_today(from_sunday(days, now.date()), now.date(), foreseen=foreseen)


def from_sunday(days: Days, today: date) -> Days:
    """A week from Monday, to Sunday, to Friday or as far as it has passed, as a week from Sunday.

    Nothing says whether a week begins on Sunday or on Monday, and exchanges are closed on both ends
    of it.
    """
    if days.first.weekday() != calendar.MONDAY or days.is_one:
        return days
    saturday = days.first + 5 * DAY
    if days.last in (saturday - DAY, saturday + DAY):
        return Days(days.first - DAY, saturday)
    if days.last < saturday and days.last in (today, today - DAY):
        return Days(days.first - DAY, days.last)
    return days


def until_today(days: Days, today: date, *, foreseen: bool) -> Days:
    """A range that ends yesterday or later, ended today: the figures of today are not known yet,
    and those of later days only where they are `foreseen`."""
    if days.is_one or days.first >= today or days.last < today - DAY:
        return days
    if foreseen and days.last > today:
        return days
    return Days(days.first, today)


def price_day(time: Time, today: date) -> Time:
    """A day on which exchanges are closed, as the day whose price the KG gives for it: the next
    open one, or the one before if that is still to come."""
    if not isinstance(time, Days) or not time.is_one or is_trading_day(time.first):
        return time
    day = trading_day_from(time.first)
    if day >= today > time.first:
        day = trading_day_before(time.first)
    return Days(day, day)


def edge_day(days: Days, today: date, *, last: bool) -> Days:
    """The first or the last trading day of a range, before today."""
    if last:
        day = trading_day_before(min(days.last + DAY, today))
    else:
        day = trading_day_from(days.first)
    return Days(day, day)
