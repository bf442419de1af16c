"""Games of soccer and of the NBA: of a period, or those around the day of the question."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from models.kg.days import Period
from models.kg.fetch.sports import soccer_games, table_rows
from models.kg.teams import same_team
from models.subtasks.kg_trees.protocol import Fact, Growing, Lookup, day_of, spans
from utils.crag_api import Call

_SOCCER, _NBA = "/sports/soccer/get_games_on_date", "/sports/nba/get_games_on_date"
_PLAYS = "/sports/nba/get_play_by_play_data_by_game_ids"
_AROUND = timedelta(days=31)
_NEAREST = 3  # games before and after the day of the question
_GAMES = 12
_LAST_PLAYS = 5
Row = Mapping[str, Any]


def tree(lookup: Lookup) -> Growing:
    """The team's games in the period asked for; without one, those nearest to the question."""
    period = lookup.period
    if period is None:
        if lookup.now is None:
            return []
        today = lookup.now.date()
        around = Period(today - _AROUND, today + _AROUND)
        rows = yield from _rows(lookup, around)
        before = [row for row in rows if row["day"] < today][-_NEAREST:]
        rows = [*before, *[row for row in rows if row["day"] >= today][:_NEAREST]]
    else:
        rows = yield from _rows(lookup, period)
        rows = [row for row in rows if period.holds(row["day"])]
    rows = rows[:_GAMES]
    facts = [_fact(row, lookup) for row in rows]
    if "plays" in lookup.wanted and len(rows) == 1 and rows[0].get("game_id"):
        facts += yield from _plays(rows[0])
    return facts


def _rows(lookup: Lookup, period: Period) -> Any:
    """The games of the team, or all where none is named, in order, each with its `day`."""
    soccer = lookup.kind == "soccer"
    tables = yield [Call(_SOCCER if soccer else _NBA, {"date": at}) for at in spans(period)]
    found = soccer_games(tables) if soccer else [row for t in tables for _, row in table_rows(t)]
    dated = [{**row, "day": day_of(row.get("date" if soccer else "game_date"))} for row in found]
    sides = ("team",) if soccer else ("team_name_home", "team_name_away")
    kept = [
        row
        for row in dated
        if row["day"] is not None
        and (not lookup.name or any(same_team(lookup.name, str(row.get(s))) for s in sides))
    ]
    return sorted(kept, key=lambda row: str(row["day"]))


def _fact(row: Row, lookup: Lookup) -> Fact:
    if lookup.kind == "soccer":
        score = f"{row.get('GF')}-{row.get('GA')} ({row.get('result')})"
        played = score if row.get("GF") is not None else "not played yet"
        where = f"{row.get('league')}, {row.get('venue')}"
        return Fact(
            str(row["team"]), f"game of {row['day']}", f"{row.get('opponent')}: {played}; {where}"
        )
    home, away = row.get("team_name_home"), row.get("team_name_away")
    points = f"{_whole(row.get('pts_home'))}-{_whole(row.get('pts_away'))}"
    return Fact("NBA", f"game of {row['day']}", f"{home} (home) {points} {away} (away)")


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
