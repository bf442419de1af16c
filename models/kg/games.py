"""From a question to the one game of a team that it means."""

import re
from datetime import date, timedelta
from typing import Any

from models.kg.dates import find_day
from models.kg.linking import KIND_WORDS, Asked, Client, Linked
from utils.deadline import Deadline
from utils.text import FUNCTION_WORDS, find_run, words

_LAST = re.compile(
    r"\b(?:last|latest|previous|most recent)\s+(?:\S+\s+){0,3}?(?:game|match|appearance|outing)\b"
)
_NEXT = re.compile(r"\b(?:next|upcoming)\b(?:\s+(?:\S+\s+){0,3}?(?:game|match)\b)?")
_LEAGUES = {
    "eng-premier league": "ENG-Premier League",
    "esp-la liga": "ESP-La Liga",
    "fra-ligue 1": "FRA-Ligue 1",
    "ger-bundesliga": "GER-Bundesliga",
    "ita-serie a": "ITA-Serie A",
}
_LEAGUE = re.compile("|".join(rf"(?:in (?:the )?)?\b{name}\b" for name in _LEAGUES))
_PLAY_WORDS = frozenset("face faced play played playing score scored scoring".split())
_MONTHS_SEARCHED = 2


def link_soccer_game(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
    """A team's last or next game seen from the question's time, or its game on a date."""
    if asked.at is None:
        return []
    text, today = asked.text.lower(), asked.at.date()
    league = _LEAGUE.search(text)
    if league:
        text = text.replace(league.group(), " ")
    when = find_day(text, today)
    last, coming = _LAST.search(text), _NEXT.search(text)
    phrase = last or coming
    if when:
        text = text[: when.start] + " " + text[when.end :]
    elif phrase:
        text = text[: phrase.start()] + " " + text[phrase.end() :]
    else:
        return []
    rows = _soccer_rows(client, deadline, today, ahead=bool(coming and not when))
    if league:
        wanted = _LEAGUES[re.sub(r"^in (?:the )?", "", league.group())]
        rows = [row for row in rows if row["league"] == wanted]
    rows = _team_rows(rows, "team", text)
    if when:
        chosen = [row for row in rows if row["day"] == when.pick({row["day"] for row in rows})]
    else:
        days = [row["day"] for row in rows if (row["day"] < today) == bool(last)]
        chosen = [
            row for row in rows if days and row["day"] == (max(days) if last else min(days))
        ]
    return [Linked(f"{row['team']} on {row['day']}", row) for row in chosen]


def link_nba_game(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
    """A team's game on a date; the record is seen from that team: own and opponent's side."""
    when = find_day(asked.text, asked.at.date()) if asked.at else None
    if when is None or when.exact is None:
        return []
    day = when.exact.isoformat()
    table = client.call("/sports/nba/get_games_on_date", deadline=deadline, date=day)
    rest = asked.text[: when.start] + " " + asked.text[when.end :]
    games = []
    for row in _table_rows(table):
        for own, other in (("home", "away"), ("away", "home")):
            games.append(
                {
                    "team": row.get(f"team_name_{own}"),
                    "opponent": row.get(f"team_name_{other}"),
                    "points": row.get(f"pts_{own}"),
                    "result": row.get(f"wl_{own}"),
                }
            )
    found = _team_rows(games, "team", rest)
    return [Linked(f"{row['team']} on {day}", row) for row in found]


def _soccer_rows(
    client: Client, deadline: Deadline, today: date, *, ahead: bool
) -> list[dict[str, Any]]:
    """The soccer games of this month and the one before (or, `ahead`, after) it."""
    months, month = [], today.replace(day=1)
    for _ in range(_MONTHS_SEARCHED):
        months.append(month.isoformat()[:7])
        step = timedelta(days=32 if ahead else -1)
        month = (month + step).replace(day=1)
    rows = []
    for name in months:
        table = client.call("/sports/soccer/get_games_on_date", deadline=deadline, date=name)
        for key, row in _table_items(table):
            parts = re.findall(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", key)
            if len(parts) < 3:
                continue
            league, _, team = ("".join(part) for part in parts[:3])
            day = date.fromisoformat(str(row["date"])[:10])
            rows.append({**row, "league": league, "team": team, "day": day})
    return rows


def _table_items(table: Any) -> list[tuple[str, dict[str, Any]]]:
    """The rows of a table that the API gives as columns: {column: {row key: value}}."""
    if not isinstance(table, dict):
        return []
    keys = dict.fromkeys(key for column in table.values() for key in column)
    return [(key, {name: column.get(key) for name, column in table.items()}) for key in keys]


def _table_rows(table: Any) -> list[dict[str, Any]]:
    return [row for _, row in _table_items(table)]


def _team_rows(rows: list[dict[str, Any]], key: str, text: str) -> list[dict[str, Any]]:
    """The rows whose team `text` names, in full or (for a city and a nickname) by its last word."""
    asked = words(text)
    found = []
    for row in rows:
        name = words(str(row[key] or ""))
        for run in (name, name[-1:]):
            start = find_run(run, asked)
            if start >= 0:
                rest = asked[:start] + asked[start + len(run) :]
                if not set(rest) - FUNCTION_WORDS - KIND_WORDS - _PLAY_WORDS:
                    found.append(row)
                break
    return found
