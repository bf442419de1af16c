"""Days without a game, according to the tables of games, or to the NBA's calendar."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta

from dateutil.relativedelta import TH, relativedelta

from models.kg.days import DAY, Period

# Leagues play every week. If several of them pause at once for this long, national teams play, and
# clubs rest, in their cups, too.
_BREAK = timedelta(days=10)
BREAK_SEEN = timedelta(days=21)  # the range around a day in which its break is detected
_LEAGUES = 2
# After the last finals and summer leagues, before the first games of the next season.
_NBA_SUMMER = ((7, 25), (9, 25))
_NBA_LATE = frozenset((2020, 2021))  # years whose season ended in or after July
_NBA_FIRST = date(1946, 11, 1)
_NBA_OFF_AT_THANKSGIVING = 2011  # since that season
_NBA_OFF_ON_CHRISTMAS_EVE = 1990  # this season is a safe lower bound


def leagues_pause(games: Iterable[tuple[str, date]], period: Period) -> bool:
    """Whether the leagues pause during `period`, by their (league, day) games before and after."""
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
    """Whether the NBA's calendar has no game on any day of `period`."""
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
    thanksgiving = date(day.year, 11, 1) + relativedelta(weekday=TH(4))
    return day == thanksgiving and day.year >= _NBA_OFF_AT_THANKSGIVING
