"""Rows about soccer and NBA games: one per game and team, or one per play."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from models.kg.english.days import Edge, Period, shifted
from models.kg.english.periods import PeriodError, resolve
from models.kg.english.quantities import as_number
from models.kg.english.teams import same_team
from models.kg.execution.fetch.protocol import (
    Arguments,
    Fetched,
    Fetcher,
    FetchFunction,
    FetchSteps,
    Row,
    ask,
)
from utils.crag_api import ApiCall

# The API's names of a side's statistics in an NBA game.
_FIGURES = (
    "pts reb ast stl blk tov pf fgm fga fg_pct fg3m fg3a fg3_pct ftm fta ft_pct oreb dreb"
    " plus_minus"
).split()
_ROW_KEY = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_ROUND_LASTS = timedelta(days=4)  # from Friday to Monday, plus a day
# Leagues play every week. If several of them pause at once for this long, national teams play, and
# clubs rest, in their cups, too.
_BREAK, _PAUSING = timedelta(days=10), 2
_BREAK_SEEN = timedelta(days=21)  # the range around a day in which its break is detected
_MOST_DAYS = 10  # of a period that is queried by day; a longer one is queried by month
_MOST_DAYS_OF_MONTHS = 200  # of a period that is queried by month; a longer one is queried by year
# A game has one row per side: the other side's keys and words for this side's.
_OTHER_SIDE = {
    "GF": "GA", "GA": "GF", "xG": "xGA", "xGA": "xG",
    "opponent_Captain": "Captain", "opponent_Formation": "Formation",
}  # fmt: skip
_OTHER_WORD = {"Home": "Away", "Away": "Home", "W": "L", "L": "W", "D": "D"}
# Keys that are unknown before a game is played.
_NOT_PLAYED = dict.fromkeys(
    "GF GA goals opponent_goals result score xG xGA points opponent_points".split()
    + [f"{side}{name}" for side in ("", "opponent_") for name in _FIGURES]
    + [f"{name}_{side}" for side in ("home", "away") for name in (*_FIGURES, "wl")]
)
_SHARED = ("date", "time", "round", "day", "Attendance", "Referee", "league", "season", "game")


def table_rows(table: Any) -> list[tuple[str, Row]]:
    """The rows of a table that the API returns by column: {column: {row key: value}}."""
    if not isinstance(table, dict):
        return []
    keys = dict.fromkeys(name for column in table.values() for name in column)
    return [(name, {title: column.get(name) for title, column in table.items()}) for name in keys]


def soccer_games(tables: Sequence[Any]) -> list[Row]:
    """The rows of soccer tables, one per game and side, with the values in their row keys."""
    rows = []
    for table in tables:
        for name, row in table_rows(table):
            parts = ["".join(part) for part in _ROW_KEY.findall(name)]
            if len(parts) >= 3:
                keys = {"league": parts[0], "season": parts[1], "team": parts[2], "game": parts[3:]}
                rows.append(_scored({**row, **keys, "date": str(row["date"])[:10]}))
    return rows


def _scored(row: Row) -> Row:
    """A row of soccer with its goals as numbers, and its score."""
    own, other = _count(row.get("GF")), _count(row.get("GA"))
    return {**row, "goals": own, "opponent_goals": other, "score": _score(own, other)}


def _count(value: Any) -> int | None:
    number = as_number(value)
    return None if number is None else round(number)


def _score(own: int | None, other: int | None) -> str | None:
    return None if own is None or other is None else f"{own}–{other}"


def _soccer_rows(games: Sequence[Row], team: str) -> list[Row]:
    """The team's rows by date. The row of the opponent adds what the team's own row lacks, and
    stands for it where there is none."""
    own = [row for row in games if same_team(team, row["team"])]
    dates = {row["date"] for row in own}
    seen = [_other_side(r) for r in games if same_team(team, str(r.get("opponent") or ""))]
    rows = [row for row in seen if row["date"] not in dates]
    for row in own:
        other = next((each for each in seen if _same_game(row, each)), {})
        rows.append(_scored(other | {key: v for key, v in row.items() if v is not None}))
    return sorted(rows, key=lambda row: str(row["date"]))


def _same_game(row: Row, seen: Row) -> bool:
    """Whether a team's row and one made of its opponent's row are of one game."""
    opponent = str(row.get("opponent") or "")
    return row["date"] == seen["date"] and same_team(opponent, str(seen["opponent"]))


def _other_side(row: Row) -> Row:
    """A game from the perspective of the row's opponent, as far as known."""
    shared = {key: row.get(key) for key in _SHARED}
    swapped = {key: row.get(other) for key, other in _OTHER_SIDE.items()}
    turned = {key: _OTHER_WORD.get(str(row.get(key))) for key in ("venue", "result")}
    teams = {"team": row["opponent"], "opponent": row["team"]}
    return _scored({**shared, **swapped, **turned, **teams})


def _lacks_a_game(games: Sequence[Row], own: Sequence[Row], first: date, last: date) -> bool:
    """Whether the team's league played a round between `first` and `last` in which the KG lacks the
    team's game: there is none near that day, nor was it postponed."""
    leagues = {row["league"] for row in own}
    rounds = {row.get("round") for row in own} - {None}
    days = [date.fromisoformat(row["date"]) for row in own]
    for row in games:
        day = date.fromisoformat(row["date"])
        if row["league"] in leagues and first <= day <= last and row.get("round") not in rounds:
            if all(abs(day - played) > _ROUND_LASTS for played in days):
                return True
    return False


def _nearest_game(*, ahead: bool) -> FetchFunction:
    def fetch(arguments: Arguments) -> FetchSteps:
        """The team's next or last game relative to the question's day; the nearest first. None if
        the KG lacks a nearer one."""
        team = arguments.text(0)
        if team is None:
            return Fetched()
        if arguments.now is None:
            raise PeriodError("the last or next game depends on the question's time: unknown")
        today = arguments.now.date()
        first, last = sorted((today, shifted(today, "month", 2 if ahead else -2)))
        months = _covering(first, last, days=False)
        tables = yield [ApiCall(_SOCCER, {"date": month}) for month in months]
        games = soccer_games(tables)
        known = _soccer_rows(games, team)
        rows = [row for row in known if (row["date"] >= today.isoformat()) == ahead]
        rows = [_unplayed(row) for row in rows] if ahead else rows[::-1]
        if rows:
            nearest = date.fromisoformat(rows[0]["date"])
            between = (today, nearest) if ahead else (nearest, today - _ROUND_LASTS)
            if _lacks_a_game(games, known, *between):
                return Fetched()
        return Fetched(tuple(rows), tuple(dict.fromkeys(row["team"] for row in rows)))

    return fetch


def _covering(first: date, last: date, *, days: bool) -> list[str]:
    """The days (if `days`, and there are few), months or years that cover a period, to be queried
    one by one."""
    count = (last - first).days + 1
    length = 10 if days and count <= _MOST_DAYS else 7 if count <= _MOST_DAYS_OF_MONTHS else 4
    every = ((first + timedelta(days=i)).isoformat()[:length] for i in range(count))
    return list(dict.fromkeys(every))


def _period(phrase: str, arguments: Arguments) -> Period:
    """The days of a phrase; for "latest", the past year, to search for the last game."""
    period = resolve(phrase, arguments.now)
    if period.edge is Edge.FIRST:
        raise PeriodError(f'"{phrase}": the first game of all is not known')
    if period.edge is Edge.LATEST:
        if arguments.now is None:
            raise PeriodError(f'"{phrase}" depends on the time of the question: unknown')
        return replace(period, first=period.last - timedelta(days=365))
    return period


def _in_period(rows: Sequence[Row], period: Period, now: datetime | None) -> list[Row]:
    """The rows of a period; of games after `now`, only what was known before they were played."""
    kept = [row for row in rows if str(period.first) <= str(row["date"]) <= str(period.last)]
    if period.edge is Edge.LATEST:
        return kept[-1:]
    today = str(now.date()) if now else "9"
    return [_unplayed(row) if str(row["date"]) > today else row for row in kept]


def _unplayed(row: Row) -> Row:
    return {key: None if key in _NOT_PLAYED else value for key, value in row.items()}


def get_soccer_on_date(arguments: Arguments) -> FetchSteps:
    """The team's games in a period; all games of a day, from the home teams' perspective, without a
    team. Complete if the leagues pause during all of it."""
    team, when = arguments.text(0), arguments.text(1)
    if when is None:
        return Fetched()
    period = _period(when, arguments)
    if team is None:
        if period.first != period.last:
            return Fetched()
        tables = yield [ApiCall(_SOCCER, {"date": str(period.first)})]
        home = [row for row in soccer_games(tables) if row.get("venue") == "Home"]
        return Fetched(tuple(_in_period(home, period, arguments.now)))
    # a break during the period is detected in the months around it
    months = _covering(period.first - _BREAK_SEEN, period.last + _BREAK_SEEN, days=False)
    tables = yield [ApiCall(_SOCCER, {"date": each}) for each in months]
    games = soccer_games(tables)
    rows = _in_period(_soccer_rows(games, team), period, arguments.now)
    days = [(str(row["league"]), date.fromisoformat(row["date"])) for row in games]
    teams = tuple(dict.fromkeys(row["team"] for row in rows))
    return Fetched(tuple(rows), teams, _leagues_pause(days, period))


def _leagues_pause(games: Iterable[tuple[str, date]], period: Period) -> bool:
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
    return pausing >= _PAUSING


def get_nba_on_date(arguments: Arguments) -> FetchSteps:
    """The team's games in a period; all games without a team."""
    team, when = arguments.text(0), arguments.text(1)
    if when is None:
        return Fetched()
    period = _period(when, arguments)
    days = _covering(period.first, period.last, days=True)
    tables = yield [ApiCall(_NBA, {"date": day}) for day in days]
    rows = [nba_row(row, team) for table in tables for _, row in table_rows(table)]
    rows = [row for row in rows if team is None or same_team(team, str(row["team"]))]
    rows = _in_period(sorted(rows, key=lambda row: str(row["date"])), period, arguments.now)
    names = tuple(dict.fromkeys(str(row["team"]) for row in rows)) if team else ()
    return Fetched(tuple(rows), names)


def nba_row(game: Row, team: str | None) -> Row:
    """A game from a team's perspective; from the home team's without a team."""
    away = team is not None and same_team(team, str(game.get("team_name_away")))
    own, other = ("away", "home") if away else ("home", "away")
    figures = {name: game.get(f"{name}_{own}") for name in _FIGURES}
    others = {f"opponent_{name}": game.get(f"{name}_{other}") for name in _FIGURES}
    points, against = _count(figures["pts"]), _count(others["opponent_pts"])
    return {
        **game,
        **figures,
        **others,
        "date": str(game.get("game_date") or "")[:10],
        "team": game.get(f"team_name_{own}"),
        "opponent": game.get(f"team_name_{other}"),
        "venue": own.title(),
        "result": game.get(f"wl_{own}"),
        "points": points,
        "opponent_points": against,
        "score": _score(points, against),
    }


def get_nba_play_by_play(arguments: Arguments) -> FetchSteps:
    """The plays of a game, in order."""
    games = list(arguments.names(0))
    if not games:
        return Fetched()
    table = yield from ask(_PLAYS, game_ids=games)
    rows = tuple(row for _, row in table_rows(table))
    return Fetched(rows, ("the game" if len(games) == 1 else "the games",))


_SOCCER, _NBA = "/sports/soccer/get_games_on_date", "/sports/nba/get_games_on_date"
_PLAYS = "/sports/nba/get_play_by_play_data_by_game_ids"

FETCHERS: dict[str, Fetcher] = {
    "get_soccer_next_game": Fetcher(_nearest_game(ahead=True), (_SOCCER,)),
    "get_soccer_last_game": Fetcher(_nearest_game(ahead=False), (_SOCCER,)),
    "get_soccer_on_date": Fetcher(get_soccer_on_date, (_SOCCER,)),
    "get_nba_on_date": Fetcher(get_nba_on_date, (_NBA,)),
    "get_nba_play_by_play": Fetcher(get_nba_play_by_play, (_PLAYS,)),
}
