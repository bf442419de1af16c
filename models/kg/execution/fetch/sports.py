"""Rows about soccer and NBA games: one per game and team, or one per play."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from models.english.days import KnownDay, Period, shifted
from models.english.periods import PeriodError, resolve
from models.english.quantities import as_number
from models.kg.execution.fetch.protocol import (
    Arguments,
    CallGenerator,
    Fetched,
    Fetcher,
    FetchFunction,
    FetchSteps,
    Row,
    ask,
)
from models.kg.names.teams import same_team
from utils.crag_api import ApiCall

_SOCCER = "/sports/soccer/get_games_on_date"
_NBA = "/sports/nba/get_games_on_date"
_PLAYS = "/sports/nba/get_play_by_play_data_by_game_ids"

# The API's names of a side's statistics in an NBA game.
_STATISTICS = (
    "pts reb ast stl blk tov pf fgm fga fg_pct fg3m fg3a fg3_pct ftm fta ft_pct oreb dreb"
    " plus_minus"
).split()
_ROW_KEY = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_ROUND_LASTS = timedelta(days=4)  # from Friday to Monday, plus a day
# Leagues play every week. If several of them pause at once for this long, national teams play, and
# clubs rest, in their cups, too.
_BREAK = timedelta(days=10)
_PAUSING_LEAGUES = 2
_BREAK_SEEN = timedelta(days=21)  # the range around a day in which its break is detected
_MONTHS_AROUND = 2  # in which a team's next or last game is looked for
_MOST_DAYS = 10  # of a period that is queried by day; a longer one is queried by month
_MOST_DAYS_OF_MONTHS = 200  # of a period that is queried by month; a longer one is queried by year
_DAY_LENGTH = len("2024-03-09")
_MONTH_LENGTH = len("2024-03")
_YEAR_LENGTH = len("2024")

# What happened in a play stands in the key of one side, or of both ("turnover", "steal").
_SIDES_OF_PLAY = ("homedescription", "visitordescription", "neutraldescription")
_SCORED = "PTS)"
_POINTS_BY_CUE = {"Free Throw": 1, "3PT": 3}  # other shots are 2

# The goals of a side, as tables of results write them: "2", "1 (4)" with those of a shoot-out,
# "(3) 1", "2 (aet)".
_GOALS = re.compile(
    r"(?:[(\[](?P<before>\d+)[)\]]\s*)?(?P<scored>\d+)(?:\.0+)?"
    r"(?:\s*[(\[]\s*(?P<behind>\d+)(?:\s*(?:p|pens?|pso)\.?)?\s*[)\]])?"
    r"(?:\s*[(\[]?(?:a\.?\s?e\.?\s?t\.?|after extra time|e\.?t\.?|o\.?t\.?)[)\]]?)?",
    re.I,
)
# A soccer game has one row per side: the other side's keys and words for this side's.
_OTHER_SIDE = {
    "GF": "GA",
    "GA": "GF",
    "xG": "xGA",
    "xGA": "xG",
    "opponent_Captain": "Captain",
    "opponent_Formation": "Formation",
}
_OTHER_WORD = {"Home": "Away", "Away": "Home", "W": "L", "L": "W", "D": "D"}
_SAME_FOR_BOTH = (
    "date",
    "time",
    "round",
    "day",
    "Attendance",
    "Referee",
    "league",
    "season",
    "game",
)
# Keys that are unknown before a game is played.
_UNKNOWN_BEFORE = frozenset(
    [
        *"GF GA goals opponent_goals result score xG xGA points opponent_points".split(),
        *_STATISTICS,
        *(f"opponent_{name}" for name in _STATISTICS),
        *(f"{name}_home" for name in (*_STATISTICS, "wl")),
        *(f"{name}_away" for name in (*_STATISTICS, "wl")),
    ]
)


# --- rows of tables


def table_rows(table: Any) -> list[tuple[str, Row]]:
    """The rows of a table that the API returns by column: {column: {row key: value}}."""
    if not isinstance(table, dict):
        return []
    keys: dict[str, None] = {}
    for column in table.values():
        keys.update(dict.fromkeys(column))
    return [(key, {title: column.get(key) for title, column in table.items()}) for key in keys]


def _dates_to_query(first: date, last: date, *, days: bool) -> list[str]:
    """The days (if `days`, and there are few), months or years that cover a period, to be queried
    one by one."""
    count = (last - first).days + 1
    if days and count <= _MOST_DAYS:
        length = _DAY_LENGTH
    elif count <= _MOST_DAYS_OF_MONTHS:
        length = _MONTH_LENGTH
    else:
        length = _YEAR_LENGTH
    dates: dict[str, None] = {}
    for number in range(count):
        day = first + timedelta(days=number)
        dates[day.isoformat()[:length]] = None
    return list(dates)


def _period_of_games(phrase: str, arguments: Arguments) -> Period:
    """The days of a phrase; for "latest", the past year, to search for the last game."""
    period = resolve(phrase, arguments.now)
    if period.edge is KnownDay.FIRST:
        raise PeriodError(f'"{phrase}": the first game of all is not known')
    if period.edge is KnownDay.LATEST:
        if arguments.now is None:
            raise PeriodError(f'"{phrase}" depends on the time of the question: unknown')
        return replace(period, first=period.last - timedelta(days=365))
    return period


def _games_in_period(rows: Sequence[Row], period: Period, now: datetime | None) -> list[Row]:
    """The rows of a period; of games after `now`, only what was known before they were played."""
    games = [row for row in rows if str(period.first) <= str(row["date"]) <= str(period.last)]
    if period.edge is KnownDay.LATEST:
        return games[-1:]
    if now is None:
        return games
    today = str(now.date())
    return [_before_the_game(row) if str(row["date"]) > today else row for row in games]


def _before_the_game(row: Row) -> Row:
    """A game's row without what is known only once it is played."""
    return {key: None if key in _UNKNOWN_BEFORE else value for key, value in row.items()}


def _teams_in_rows(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row["team"] for row in rows))


def _rounded_number(value: Any) -> int | None:
    number = as_number(value)
    return None if number is None else round(number)


def _score_text(points: int | None, opponent_points: int | None) -> str | None:
    if points is None or opponent_points is None:
        return None
    return f"{points}–{opponent_points}"


# --- soccer


def soccer_games(tables: Sequence[Any]) -> list[Row]:
    """The rows of soccer tables, one per game and side, with the values in their row keys."""
    rows = []
    for table in tables:
        for key, row in table_rows(table):
            parts = ["".join(part) for part in _ROW_KEY.findall(key)]
            if len(parts) < 3:
                continue
            league, season, team, *game = parts
            row_key = {"league": league, "season": season, "team": team, "game": game}
            rows.append(_with_score({**row, **row_key, "date": str(row["date"])[:_DAY_LENGTH]}))
    return rows


@dataclass(frozen=True, slots=True)
class _Goals:
    """What a side scored, and its goals of a shoot-out after a draw."""

    scored: int
    in_shoot_out: int | None = None


def _goals_of(value: Any) -> _Goals | None:
    """The goals that a cell states; None for one that states none, such as "w.o."."""
    match = _GOALS.fullmatch(str(value).strip())
    if match is None:
        return None
    shoot_out = match["before"] or match["behind"]
    return _Goals(int(match["scored"]), int(shoot_out) if shoot_out else None)


def _with_score(row: Row) -> Row:
    """A row of soccer with its goals as numbers, and its score; where they are none ("w.o.",
    "postp."), the score is what the KG says."""
    goals = _goals_of(row.get("GF"))
    opponent_goals = _goals_of(row.get("GA"))
    score = None
    if goals is None and opponent_goals is None:
        cells = [row.get("GF"), row.get("GA")]
        remarks = dict.fromkeys(str(cell) for cell in cells if cell is not None)
        score = "–".join(remarks) or None
    elif goals and opponent_goals:
        score = _score_text(goals.scored, opponent_goals.scored)
        shoot_out = _score_text(goals.in_shoot_out, opponent_goals.in_shoot_out)
        if shoot_out:
            score = f"{score} ({shoot_out} on penalties)"
    return {
        **row,
        "goals": goals.scored if goals else None,
        "opponent_goals": opponent_goals.scored if opponent_goals else None,
        "score": score,
    }


def _soccer_rows_of(team: str, games: Sequence[Row]) -> list[Row]:
    """The team's rows by date. The row of the opponent adds what the team's row lacks, and stands
    for it where there is none."""
    team_rows = [row for row in games if same_team(team, row["team"])]
    opponent_rows = []  # from the team's perspective
    for row in games:
        if same_team(team, str(row.get("opponent") or "")):
            opponent_rows.append(_from_other_side(row))
    dates = {row["date"] for row in team_rows}
    rows = [row for row in opponent_rows if row["date"] not in dates]
    for row in team_rows:
        known = {key: value for key, value in row.items() if value is not None}
        rows.append(_with_score({**_same_game_in(opponent_rows, row), **known}))
    return sorted(rows, key=lambda row: str(row["date"]))


def _same_game_in(opponent_rows: Sequence[Row], row: Row) -> Row:
    """The row of the same game that is made of the opponent's row; empty if there is none."""
    opponent = str(row.get("opponent") or "")
    for other in opponent_rows:
        if row["date"] == other["date"] and same_team(opponent, str(other["opponent"])):
            return other
    return {}


def _from_other_side(row: Row) -> Row:
    """A game from the perspective of the row's opponent, as far as known."""
    turned = {key: row.get(key) for key in _SAME_FOR_BOTH}
    for key, other_key in _OTHER_SIDE.items():
        turned[key] = row.get(other_key)
    for key in ("venue", "result"):
        turned[key] = _OTHER_WORD.get(str(row.get(key)))
    turned["team"] = row["opponent"]
    turned["opponent"] = row["team"]
    return _with_score(turned)


def _nearest_game(*, ahead: bool) -> FetchFunction:
    """The team's next or last games relative to the question's day; the nearest first. None if the
    KG lacks a nearer one."""

    def fetch(arguments: Arguments) -> FetchSteps:
        team = arguments.text(0)
        if team is None:
            return Fetched()
        if arguments.now is None:
            raise PeriodError("the last or next game depends on the question's time: unknown")
        today = arguments.now.date()
        games = yield from _games_around(today, _MONTHS_AROUND if ahead else -_MONTHS_AROUND)
        team_rows = _soccer_rows_of(team, games)
        if ahead:
            later = [row for row in team_rows if row["date"] >= today.isoformat()]
            rows = [_before_the_game(row) for row in later]
        else:
            rows = [row for row in team_rows if row["date"] < today.isoformat()]
            rows.reverse()
        if rows:
            nearest = date.fromisoformat(rows[0]["date"])
            first = today if ahead else nearest
            last = nearest if ahead else today - _ROUND_LASTS
            if _lacks_a_game(games, team_rows, first, last):
                return Fetched()
        return Fetched(tuple(rows), _teams_in_rows(rows))

    return fetch


def _games_around(today: date, months: int) -> CallGenerator[list[Row]]:
    """The soccer games from a day to so many months later, or earlier for a negative number."""
    other_end = shifted(today, "month", months)
    dates = _dates_to_query(min(today, other_end), max(today, other_end), days=False)
    tables = yield [ApiCall(_SOCCER, {"date": month}) for month in dates]
    return soccer_games(tables)


def _lacks_a_game(games: Sequence[Row], team_rows: Sequence[Row], first: date, last: date) -> bool:
    """Whether the team's league played a round between `first` and `last` in which the KG lacks the
    team's game: there is none near that day, nor was it postponed."""
    leagues = {row["league"] for row in team_rows}
    rounds = {row.get("round") for row in team_rows} - {None}
    days = [date.fromisoformat(row["date"]) for row in team_rows]
    for row in games:
        day = date.fromisoformat(row["date"])
        is_of_league = row["league"] in leagues and row.get("round") not in rounds
        if is_of_league and first <= day <= last:
            if all(abs(day - played) > _ROUND_LASTS for played in days):
                return True
    return False


def get_soccer_on_date(arguments: Arguments) -> FetchSteps:
    """The team's games in a period; all games of a day, from the home teams' perspective, without a
    team. Complete if the leagues pause during all of it."""
    team = arguments.text(0)
    when = arguments.text(1)
    if when is None:
        return Fetched()
    period = _period_of_games(when, arguments)
    if team is None:
        if period.first != period.last:
            return Fetched()
        tables = yield [ApiCall(_SOCCER, {"date": str(period.first)})]
        home_rows = [row for row in soccer_games(tables) if row.get("venue") == "Home"]
        return Fetched(tuple(_games_in_period(home_rows, period, arguments.now)))
    # a break during the period is detected in the months around it
    months = _dates_to_query(period.first - _BREAK_SEEN, period.last + _BREAK_SEEN, days=False)
    tables = yield [ApiCall(_SOCCER, {"date": month}) for month in months]
    games = soccer_games(tables)
    rows = _games_in_period(_soccer_rows_of(team, games), period, arguments.now)
    return Fetched(tuple(rows), _teams_in_rows(rows), _leagues_pause(games, period))


def _leagues_pause(games: Sequence[Row], period: Period) -> bool:
    """Whether the leagues pause during `period`, by their games before and after."""
    days_by_league: dict[str, list[date]] = defaultdict(list)
    for row in games:
        days_by_league[str(row["league"])].append(date.fromisoformat(row["date"]))
    pausing_leagues = 0
    for days in days_by_league.values():
        before = max((day for day in days if day < period.first), default=None)
        after = min((day for day in days if day >= period.first), default=None)
        if before is None or after is None:
            continue
        if after <= period.last or after - before < _BREAK:
            return False
        pausing_leagues += 1
    return pausing_leagues >= _PAUSING_LEAGUES


# --- NBA


def get_nba_on_date(arguments: Arguments) -> FetchSteps:
    """The team's games in a period; all games without a team."""
    team = arguments.text(0)
    when = arguments.text(1)
    if when is None:
        return Fetched()
    period = _period_of_games(when, arguments)
    dates = _dates_to_query(period.first, period.last, days=True)
    tables = yield [ApiCall(_NBA, {"date": day}) for day in dates]
    rows = []
    for table in tables:
        for _, game in table_rows(table):
            row = nba_row(game, team)
            if team is None or same_team(team, str(row["team"])):
                rows.append(row)
    rows.sort(key=lambda row: str(row["date"]))
    rows = _games_in_period(rows, period, arguments.now)
    names = tuple(dict.fromkeys(str(row["team"]) for row in rows)) if team else ()
    return Fetched(tuple(rows), names)


def nba_row(game: Row, team: str | None) -> Row:
    """A game from a team's perspective; from the home team's without a team."""
    side = "home"
    other_side = "away"
    if team is not None and same_team(team, str(game.get("team_name_away"))):
        side = "away"
        other_side = "home"
    row = dict(game)
    for name in _STATISTICS:
        row[name] = game.get(f"{name}_{side}")
    for name in _STATISTICS:
        row[f"opponent_{name}"] = game.get(f"{name}_{other_side}")
    points = _rounded_number(row["pts"])
    opponent_points = _rounded_number(row["opponent_pts"])
    row.update(
        {
            "date": str(game.get("game_date") or "")[:_DAY_LENGTH],
            "team": game.get(f"team_name_{side}"),
            "opponent": game.get(f"team_name_{other_side}"),
            "venue": side.title(),
            "result": game.get(f"wl_{side}"),
            "points": points,
            "opponent_points": opponent_points,
            "score": _score_text(points, opponent_points),
        }
    )
    return row


def get_nba_play_by_play(arguments: Arguments) -> FetchSteps:
    """The plays of a game, in order; the KG has all plays of a game that it has."""
    game_ids = list(arguments.names(0))
    if not game_ids:
        return Fetched()
    table = yield from ask(_PLAYS, game_ids=game_ids)
    rows = tuple(_play_row(row) for _, row in table_rows(table))
    name = "the game" if len(game_ids) == 1 else "the games"
    return Fetched(rows, (name,), complete=bool(rows))


def _play_row(row: Row) -> Row:
    """A play with what happened in one text, and the points that `player1_name` scored in it."""
    sides = [row.get(key) for key in _SIDES_OF_PLAY]
    description = "; ".join(str(side) for side in sides if side)
    return {**row, "description": description, "points": _points_of_play(description)}


def _points_of_play(description: str) -> int:
    """The points of a play: a shot that went in says how many its player now has, "(12 PTS)"."""
    if _SCORED not in description:
        return 0
    return next((points for cue, points in _POINTS_BY_CUE.items() if cue in description), 2)


FETCHERS: dict[str, Fetcher] = {
    "get_soccer_next_game": Fetcher(_nearest_game(ahead=True), (_SOCCER,)),
    "get_soccer_last_game": Fetcher(_nearest_game(ahead=False), (_SOCCER,)),
    "get_soccer_on_date": Fetcher(get_soccer_on_date, (_SOCCER,)),
    "get_nba_on_date": Fetcher(get_nba_on_date, (_NBA,)),
    "get_nba_play_by_play": Fetcher(get_nba_play_by_play, (_PLAYS,)),
}
