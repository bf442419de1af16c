"""Days and ranges of days: calendar units, and the days on which US exchanges are open."""

import calendar
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from functools import lru_cache

import holidays
from dateutil.relativedelta import relativedelta

DAY = timedelta(days=1)


class Edge(StrEnum):
    """One end of all known days, such as the first or the latest price."""

    FIRST = "first"
    LATEST = "latest"


@dataclass(frozen=True, slots=True)
class Period:
    """From `first` to `last`, both included; a single day if they are equal.

    Attributes:
        edge: only the first or the latest known day in the period is meant.
    """

    first: date
    last: date
    edge: Edge | None = None

    def holds(self, day: date) -> bool:
        return self.first <= day <= self.last


@lru_cache(maxsize=64)
def _closed(year: int) -> frozenset[date]:
    return frozenset(holidays.financial_holidays("NYSE", years=[year]))


def is_trading_day(day: date) -> bool:
    """Whether US exchanges are open on `day`."""
    return day.weekday() < calendar.SATURDAY and day not in _closed(day.year)


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
    return Period(day, day)


def month_of(year: int, month: int) -> Period:
    return Period(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def quarter_of(year: int, number: int) -> Period:
    return Period(date(year, 3 * number - 2, 1), month_of(year, 3 * number).last)


def year_of(year: int) -> Period:
    return Period(date(year, 1, 1), date(year, 12, 31))


def unit_around(unit: str, day: date) -> Period:
    """The week, weekend, month, quarter or year that contains a day. Weeks begin on Monday."""
    monday = day - timedelta(days=day.weekday())
    match unit:
        case "week":
            return Period(monday, monday + 6 * DAY)
        case "weekend":
            return Period(monday + 5 * DAY, monday + 6 * DAY)
        case "month":
            return month_of(day.year, day.month)
        case "quarter":
            return quarter_of(day.year, (day.month + 2) // 3)
    return year_of(day.year)


def shifted(day: date, unit: str, count: int) -> date:
    match unit:
        case "quarter":
            return day + relativedelta(months=3 * count)
        case "weekend":
            return day + relativedelta(weeks=count)
    return day + relativedelta(**{f"{unit}s": count})  # type: ignore[arg-type]
