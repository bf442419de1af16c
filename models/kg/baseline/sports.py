"""Soccer and NBA games: of a period, or near the day of the question."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from models.kg.baseline.protocol import Fact, Growing, Lookup
from models.kg.fetch.protocol import Arguments, Asking
from models.kg.fetch.sports import get_nba_on_date, get_soccer_on_date, soccer_games, table_rows
from utils.crag_api import Call

# Keys of a soccer game beyond its score, and their labels.
DETAILS = {
    "round": "round",
    "kick_off": "time",
    "attendance": "Attendance",
    "referee": "Referee",
    "captain": "Captain",
    "formation": "Formation",
    "possession": "Poss",
    "expected_goals": "xG",
    "expected_goals_conceded": "xGA",
}
SOCCER = ("games", "record", *DETAILS)
_SOCCER = "/sports/soccer/get_games_on_date"
_PLAYS = "/sports/nba/get_play_by_play_data_by_game_ids"
_AROUND = timedelta(days=31)
_NEAREST = 3  # games before and after the day of the question
_GAMES = 12
_LAST_PLAYS = 5
Row = Mapping[str, Any]


def tree(lookup: Lookup) -> Growing:
    """The team's games in the requested period; without one, those nearest to the question."""
    when, today = lookup.time, lookup.now.date() if lookup.now else None
    if lookup.period is None:
        if today is None:
            return []
        when = f"{today - _AROUND} to {today + _AROUND}"
    rows = yield from (_soccer if lookup.kind == "soccer" else _nba)(lookup, when)
    if lookup.period is None:
        before = [row for row in rows if str(row["date"]) < str(today)]
        rows = [*before[-_NEAREST:], *rows[len(before) :][:_NEAREST]]
    facts = [_fact(row, lookup) for row in rows[:_GAMES]]
    if "plays" in lookup.wanted and len(rows) == 1 and rows[0].get("game_id"):
        facts += yield from _plays(rows[0])
    return [*_record(rows, lookup), *facts]


def _soccer(lookup: Lookup, when: str) -> Asking[Sequence[Row]]:
    """The team's games in order; without a team, all games of a single past day."""
    if lookup.name:
        return (yield from get_soccer_on_date(Arguments((lookup.name, when), lookup.now))).rows
    period = lookup.period
    if period is None or period.first != period.last:
        return []
    if lookup.now is not None and period.first > lookup.now.date():
        return []
    return soccer_games((yield [Call(_SOCCER, {"date": period.first.isoformat()})]))


def _nba(lookup: Lookup, when: str) -> Asking[Sequence[Row]]:
    """The team's games in order, or all games without a team."""
    return (yield from get_nba_on_date(Arguments((lookup.name or None, when), lookup.now))).rows


def _record(rows: Sequence[Row], lookup: Lookup) -> Iterator[Fact]:
    """A team's record over the games of a period."""
    played = [row for row in rows if row.get("score") is not None]
    if lookup.name and lookup.period and len(played) > 1:
        results = Counter(row.get("result") for row in played)
        own, other = ("goals", "opponent_goals") if lookup.kind == "soccer" else (
            "points", "opponent_points")  # fmt: skip
        scored, conceded = (sum(row[key] for row in played) for key in (own, other))
        said = f"{results['W']} won, {results['D']} drawn, {results['L']} lost"
        yield Fact(str(played[0]["team"]), f"record of {len(played)} games known in {lookup.time}",
                   f"{said}; {own} {scored}, conceded {conceded}")  # fmt: skip


def _fact(row: Row, lookup: Lookup) -> Fact:
    if lookup.kind == "soccer":
        score = f"{row.get('GF')}-{row.get('GA')} ({row.get('result')})"
        parts = [
            f"{row.get('opponent')}: {score if row.get('GF') is not None else 'not played yet'}",
            f"{row.get('league')}, {row.get('venue')}",
            *(f"{what.replace('_', ' ')} {row[key]}" for what, key in DETAILS.items()
              if what in lookup.wanted and row.get(key) is not None),
        ]  # fmt: skip
        return Fact(str(row["team"]), f"game of {row['date']}", "; ".join(parts))
    home, away = row.get("team_name_home"), row.get("team_name_away")
    points = f"{_whole(row.get('pts_home'))}-{_whole(row.get('pts_away'))}"
    return Fact("NBA", f"game of {row['date']}", f"{home} (home) {points} {away} (away)")


def _plays(game: Row) -> Growing:
    """How a game ended, by its last plays."""
    (table,) = yield [Call(_PLAYS, {"game_ids": [str(game["game_id"])]})]
    plays = [row for _, row in table_rows(table)][-_LAST_PLAYS:]
    return [
        Fact(f"NBA game {game['game_id']}", f"play at {play.get('pctimestring')}", said)
        for play in plays
        if (said := _said(play))
    ]


def _said(play: Row) -> str:
    parts: Sequence[Any] = (
        play.get("homedescription"),
        play.get("neutraldescription"),
        play.get("visitordescription"),
    )
    return "; ".join(str(part) for part in parts if part)


def _whole(points: Any) -> str:
    return str(int(points)) if isinstance(points, int | float) else "?"
