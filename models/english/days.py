"""Days and ranges of days: calendar units, and the days on which US exchanges are open."""

import calendar
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from functools import lru_cache

from dateutil.relativedelta import relativedelta

DAY = timedelta(days=1)


class KnownDay(StrEnum):
    """One end of all known days, such as the first or the latest price."""

    FIRST = "first"
    LATEST = "latest"


class CalendarUnit(StrEnum):
    """A unit in which days are counted, as a time phrase names it."""

    DAY = "day"
    TRADING_DAY = "trading day"
    WEEK = "week"
    WEEKEND = "weekend"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Period:
    """From `first` to `last`, both included; a single day if they are equal.

    Attributes:
        edge: only the first or the latest known day in the period is meant.
    """

    first: date
    last: date
    edge: KnownDay | None = None

    def holds(self, day: date) -> bool:
        """Whether `day` is in the period."""
        return self.first <= day <= self.last


@lru_cache(maxsize=64)
def _exchange_holidays(year: int) -> frozenset[date]:
    import holidays

    return frozenset(holidays.financial_holidays("NYSE", years=[year]))


def is_trading_day(day: date) -> bool:
    """Whether US exchanges are open on `day`."""
    return day.weekday() < calendar.SATURDAY and day not in _exchange_holidays(day.year)


def trading_day_before(day: date, count: int = 1) -> date:
    """The `count`-th trading day before `day`."""
    for _ in range(count):
        day -= DAY
        while not is_trading_day(day):
            day -= DAY
    return day


def trading_day_from(day: date) -> date:
    """The first trading day on or after `day`."""
    while not is_trading_day(day):
        day += DAY
    return day


def one_day(day: date) -> Period:
    """The period of one day."""
    return Period(day, day)


def month_of(year: int, month: int) -> Period:
    """The days of a month, 1 to 12."""
    days_in_month = calendar.monthrange(year, month)[1]
    return Period(date(year, month, 1), date(year, month, days_in_month))


def quarter_of(year: int, number: int) -> Period:
    """The days of a quarter, 1 to 4."""
    last_month = 3 * number
    return Period(date(year, last_month - 2, 1), month_of(year, last_month).last)


def year_of(year: int) -> Period:
    """The days of a year."""
    return Period(date(year, 1, 1), date(year, 12, 31))


def unit_around(unit: CalendarUnit, day: date) -> Period:
    """The week, weekend, month, quarter or year that contains a day; of a day before a weekend, the
    weekend after it. Weeks begin on Sunday, as in the US, and a weekend is Saturday and Sunday."""
    sunday = day - timedelta(days=day.isoweekday() % 7)
    monday = day - timedelta(days=day.weekday())
    match unit:
        case CalendarUnit.WEEK:
            return Period(sunday, sunday + 6 * DAY)
        case CalendarUnit.WEEKEND:
            return Period(monday + 5 * DAY, monday + 6 * DAY)
        case CalendarUnit.MONTH:
            return month_of(day.year, day.month)
        case CalendarUnit.QUARTER:
            return quarter_of(day.year, (day.month + 2) // 3)
        case CalendarUnit.YEAR:
            return year_of(day.year)
    return one_day(day)


def shifted(day: date, unit: str, count: int) -> date:
    """The day `count` units later; earlier if it is negative.

    Args:
        unit: the name of a `CalendarUnit`, except "trading day".

    Raises:
        ValueError: it is no such unit, or the day is out of the calendar's range.
        OverflowError: the day is out of the calendar's range.
    """
    match CalendarUnit(unit):
        case CalendarUnit.DAY:
            return day + relativedelta(days=count)
        case CalendarUnit.WEEK | CalendarUnit.WEEKEND:
            return day + relativedelta(weeks=count)
        case CalendarUnit.MONTH:
            return day + relativedelta(months=count)
        case CalendarUnit.QUARTER:
            return day + relativedelta(months=3 * count)
        case CalendarUnit.YEAR:
            return day + relativedelta(years=count)
    raise ValueError(f"{unit}s cannot be added to a day")
