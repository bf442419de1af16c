"""Days without a game, as far as the tables of games, or the NBA's calendar, show it."""

import calendar
from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta

from models.kg.days import Period

DAY = timedelta(days=1)
# Leagues play every week. Where several of them at once do not for so long, national teams play:
# then clubs rest, from their cups too.
_BREAK = timedelta(days=10)
BREAK_SEEN = timedelta(days=21)  # so far around a day its break is looked for
_LEAGUES = 2
# The last finals and summer leagues are over, and the first games before a season not yet played.
_NBA_SUMMER = ((7, 25), (9, 25))
_NBA_LATE = frozenset((2020, 2021))  # years whose season ended in or after July
_NBA_FIRST = date(1946, 11, 1)
_NBA_OFF_AT_THANKSGIVING = 2011  # since that season
_NBA_OFF_ON_CHRISTMAS_EVE = 1990  # for longer than that, to be sure


def leagues_pause(games: Iterable[tuple[str, date]], period: Period) -> bool:
    """Whether the leagues, by their (league, day) games before and after, pause over `period`."""
    days: dict[str, list[date]] = defaultdict(list)
    for league, day in games:
        days[league].append(day)
    pausing = 0
    for played in days.values():
        before = max((day for day in played if day < period.first), default=None)
        after = min((day for day in played if day >= period.first), default=None)
        if before is None or after is None:
            continue
        if after <= period.last or after - before < _BREAK:
            return False
        pausing += 1
    return pausing >= _LEAGUES


def nba_rests(period: Period) -> bool:
    """Whether the NBA plays on no day of `period`, by its calendar."""
    count = (period.last - period.first).days + 1
    return all(_no_nba(period.first + i * DAY) for i in range(min(count, 366)))


def _no_nba(day: date) -> bool:
    first, last = _NBA_SUMMER
    if day < _NBA_FIRST:
        return True
    if first <= (day.month, day.day) <= last:
        return day.year not in _NBA_LATE
    if (day.month, day.day) == (12, 24):
        return day.year >= _NBA_OFF_ON_CHRISTMAS_EVE
    return day == _thanksgiving(day.year) and day.year >= _NBA_OFF_AT_THANKSGIVING


def _thanksgiving(year: int) -> date:
    """The fourth Thursday of November."""
    first = date(year, 11, 1)
    return first + ((calendar.THURSDAY - first.weekday()) % 7 + 21) * DAY
