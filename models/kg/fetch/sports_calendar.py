"""Days without a game, according to the tables of games."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta

from models.kg.days import Period

# Leagues play every week. If several of them pause at once for this long, national teams play, and
# clubs rest, in their cups, too.
_BREAK = timedelta(days=10)
BREAK_SEEN = timedelta(days=21)  # the range around a day in which its break is detected
_LEAGUES = 2


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
