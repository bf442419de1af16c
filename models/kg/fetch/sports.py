"""Rows about soccer and NBA games: one a game and team, or one a play."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from models.kg.fetch.protocol import Arguments, Fetch, Fetched, Function, Row, Source, ask
from models.kg.periods import Period, PeriodError, resolve
from utils.crag_api import Call
from utils.text import words

_ROW_KEY = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_MONTHS_SEARCHED = 3
_MOST_DAYS = 62  # of a period, asked for day by day


def same_team(asked: str, team: str) -> bool:
    """Whether two names mean one team: in full, or by the nickname, which comes last."""
    left, right = team_words(asked), team_words(team)
    return bool(left) and (left == right or left == right[-len(left) :])


def team_words(name: str) -> list[str]:
    """The words of a team's name, as two spellings of it share them."""
    return ["united" if word == "utd" else word for word in words(name) if word != "fc"]


def table_rows(table: Any) -> list[tuple[str, Row]]:
    """The rows of a table that the API gives as columns: {column: {row key: value}}."""
    if not isinstance(table, dict):
        return []
    keys = dict.fromkeys(name for column in table.values() for name in column)
    return [(name, {title: column.get(name) for title, column in table.items()}) for name in keys]


def _soccer_rows(tables: Sequence[Any], team: str) -> list[Row]:
    rows = []
    for table in tables:
        for name, row in table_rows(table):
            parts = ["".join(part) for part in _ROW_KEY.findall(name)]
            if len(parts) >= 3 and same_team(team, parts[2]):
                keys = {"league": parts[0], "season": parts[1], "team": parts[2], "game": parts[3:]}
                rows.append({**row, **keys, "date": str(row["date"])[:10]})
    return sorted(rows, key=lambda row: str(row["date"]))


def _months(from_day: date, *, ahead: bool) -> list[str]:
    months, month = [], from_day
    for _ in range(_MONTHS_SEARCHED):
        months.append(month.isoformat()[:7])
        month = (month.replace(day=1) + timedelta(days=32 if ahead else -1)).replace(day=1)
    return months


def _nearest_game(*, ahead: bool) -> Function:
    def fetch(arguments: Arguments) -> Fetch:
        """The team's next or last game, seen from the question's day; the nearest first."""
        team = arguments.text(0)
        if team is None:
            return Fetched()
        if arguments.now is None:
            raise PeriodError("a last or next game counts from the time of the question: unknown")
        today = arguments.now.date()
        tables = yield [
            Call("/sports/soccer/get_games_on_date", {"date": month})
            for month in _months(today, ahead=ahead)
        ]
        rows = [
            row
            for row in _soccer_rows(tables, team)
            if (row["date"] >= today.isoformat()) == ahead
        ]
        rows = rows if ahead else rows[::-1]
        return Fetched(tuple(rows), tuple(dict.fromkeys(row["team"] for row in rows)))

    return fetch


def _days(period: Period) -> list[str]:
    """What to ask for: a year or month as such, else the days one by one."""
    first, last = period.first, period.last
    if (first.day, first.month, last.day, last.month) == (1, 1, 31, 12):
        return [str(first.year)]
    if first.day == 1 and (last + timedelta(days=1)).day == 1 and first.month == last.month:
        return [first.isoformat()[:7]]
    count = min((last - first).days + 1, _MOST_DAYS)
    return [(first + timedelta(days=i)).isoformat() for i in range(count)]


def get_soccer_on_date(arguments: Arguments) -> Fetch:
    """The team's games in a period."""
    team, when = arguments.text(0), arguments.text(1)
    if team is None or when is None:
        return Fetched()
    days = _days(resolve(when, arguments.now))
    tables = yield [Call("/sports/soccer/get_games_on_date", {"date": day}) for day in days]
    rows = _soccer_rows(tables, team)
    return Fetched(tuple(rows), tuple(dict.fromkeys(row["team"] for row in rows)))


def get_nba_on_date(arguments: Arguments) -> Fetch:
    """The team's games in a period; all games where no team is named."""
    team, when = arguments.text(0), arguments.text(1)
    if when is None:
        return Fetched()
    days = _days(resolve(when, arguments.now))
    tables = yield [Call("/sports/nba/get_games_on_date", {"date": day}) for day in days]
    rows = [
        row
        for table in tables
        for _, row in table_rows(table)
        if team is None
        or same_team(team, str(row.get("team_name_home")))
        or same_team(team, str(row.get("team_name_away")))
    ]
    return Fetched(tuple(rows), (team,) if team and rows else ())


def get_nba_play_by_play(arguments: Arguments) -> Fetch:
    """The plays of a game, in order."""
    games = list(arguments.names(0))
    if not games:
        return Fetched()
    table = yield from ask("/sports/nba/get_play_by_play_data_by_game_ids", game_ids=games)
    return Fetched(tuple(row for _, row in table_rows(table)), tuple(games))


_SOCCER, _NBA = "/sports/soccer/get_games_on_date", "/sports/nba/get_games_on_date"
_PLAYS = "/sports/nba/get_play_by_play_data_by_game_ids"

SOURCES: dict[str, Source] = {
    "get_soccer_next_game": Source(_nearest_game(ahead=True), (_SOCCER,)),
    "get_soccer_last_game": Source(_nearest_game(ahead=False), (_SOCCER,)),
    "get_soccer_on_date": Source(get_soccer_on_date, (_SOCCER,)),
    "get_nba_on_date": Source(get_nba_on_date, (_NBA,)),
    "get_nba_play_by_play": Source(get_nba_play_by_play, (_PLAYS,)),
}
