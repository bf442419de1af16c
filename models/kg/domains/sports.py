"""The one game of a team that a question means: soccer leagues and the NBA."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from models.kg.dates import find_day
from models.kg.fetch.sports import table_rows, team_words
from models.kg.linking import Asked, Client, Linked, Linker
from models.kg.schema import Attribute, Read, Says, ask, key, may, number, plain
from models.records import Domain
from utils.deadline import Deadline
from utils.text import find_run

_LAST = re.compile(
    r"\b(?:last|latest|previous|most recent)\s+(?:\S+\s+){0,3}?"
    r"(?:game|match|appearance|outing|contest)\b",
    re.I,
)
_NEXT = re.compile(
    r"\b(?:next|upcoming)\b(?:\s+(?:\S+\s+){0,3}?(?:game|match|contest)\b)?", re.I
)
_LEAGUES = ("ENG-Premier League", "ESP-La Liga", "FRA-Ligue 1", "GER-Bundesliga", "ITA-Serie A")
_LEAGUE = re.compile(
    "|".join(rf"(?P<_{i}>\b(?:{n[:4]})?{n[4:]}\b)" for i, n in enumerate(_LEAGUES)), re.I
)
_LEAGUE_KEY = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_MONTHS_SEARCHED = 2

Row = dict[str, Any]


def _soccer_game(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
    """A team's last or next game seen from the question's time, or its game on a date."""
    if asked.at is None:
        return []
    today = asked.at.date()
    league = _LEAGUE.search(asked.text)
    if league:
        asked = asked.without(*league.span())
    when = find_day(asked.text, today)
    last, coming = _LAST.search(asked.text), _NEXT.search(asked.text)
    phrase = last or coming
    if when:
        asked, month = asked.without(when.start, when.end), when.exact or today
    elif phrase:
        asked, month = asked.without(*phrase.span()), today
    else:
        return []
    rows = _soccer_rows(client, deadline, month, ahead=when is None and last is None)
    if league:
        wanted = _LEAGUES[int(str(league.lastgroup)[1:])]
        rows = [row for row in rows if row["league"] == wanted]
    rows = _rows_of_team(rows, asked)
    if when:
        day = when.pick([row["day"] for row in rows])
    else:
        days = [row["day"] for row in rows if (row["day"] < today) == bool(last)]
        day = (max if last else min)(days, default=None)
    return [
        Linked(f"{row['team']} on {day}", {**row, "day_given": when is not None})
        for row in rows
        if row["day"] == day
    ]


def _nba_game(asked: Asked, client: Client, deadline: Deadline) -> list[Linked]:
    """A team's game on a date, as that team sees it."""
    when = find_day(asked.text, asked.at.date()) if asked.at else None
    if when is None or when.exact is None:
        return []
    day = when.exact.isoformat()
    table = client.call("/sports/nba/get_games_on_date", deadline=deadline, date=day)
    sides = [
        {
            "team": row.get(f"team_name_{own}"),
            "opponent": row.get(f"team_name_{other}"),
            "GF": row.get(f"pts_{own}"),
            "GA": row.get(f"pts_{other}"),
            "result": row.get(f"wl_{own}"),
        }
        for _, row in table_rows(table)
        for own, other in (("home", "away"), ("away", "home"))
    ]
    found = _rows_of_team(sides, asked.without(when.start, when.end))
    return [Linked(f"{row['team']} on {day}", row) for row in found]


def _soccer_rows(client: Client, deadline: Deadline, month: date, *, ahead: bool) -> list[Row]:
    """The soccer games of a month and the one before (or, `ahead`, after) it."""
    rows = []
    for _ in range(_MONTHS_SEARCHED):
        table = client.call(
            "/sports/soccer/get_games_on_date", deadline=deadline, date=month.isoformat()[:7]
        )
        for name, row in table_rows(table):
            parts = ["".join(part) for part in _LEAGUE_KEY.findall(name)]
            if len(parts) >= 3:
                day = date.fromisoformat(str(row["date"])[:10])
                rows.append({**row, "league": parts[0], "team": parts[2], "day": day})
        month = (month.replace(day=1) + timedelta(days=32 if ahead else -1)).replace(day=1)
    return rows


def _rows_of_team(rows: Sequence[Row], asked: Asked) -> list[Row]:
    """The rows whose team the question names; where it names both, those of the first named."""
    asked_words = team_words(asked.text)
    found: list[tuple[int, Row]] = []
    for row in rows:
        start, rest = _cut_team(str(row["team"] or ""), asked_words)
        if start < 0:
            continue
        against, rest_of_both = _cut_team(str(row["opponent"] or ""), rest)
        if not asked.unexplained(rest_of_both if against >= 0 else rest):
            found.append((start, {**row, "opponent_given": against >= 0}))
    first = min((start for start, _ in found), default=0)
    return [row for start, row in found if start == first]


def _cut_team(team: str, asked_words: Sequence[str]) -> tuple[int, list[str]]:
    """Where a team stands in the question, in full or by its nickname (the last word), and what
    else stands there; -1 where it does not."""
    run = team_words(team)
    for name in (run, run[-1:]):
        start = find_run(name, list(asked_words))
        if start >= 0:
            return start, [*asked_words[:start], *asked_words[start + len(name) :]]
    return -1, list(asked_words)


def _opponent(game: Mapping[str, Any]) -> str | None:
    return None if game["opponent_given"] else plain(game.get("opponent"))


def _date(game: Mapping[str, Any]) -> str | None:
    return None if game["day_given"] else plain(str(game["date"])[:10])


def _scoreline(game: Mapping[str, Any]) -> str | None:
    own, other = game.get("GF"), game.get("GA")
    if own in (None, "") or other in (None, ""):
        return None
    return f"{int(float(str(own)))}-{int(float(str(other)))}"


_PLAYING = may(
    "against contest end ended face faced final finish have hosted play played playing playoff"
    " score scored scoring versus visit visited vs"
)


def _of(
    link: Linker, name: str, read: Read, *asks: str, extra: str = "", says: Says = Says.OTHER
) -> Attribute:
    beside = _PLAYING | may(extra)
    return Attribute(Domain.SPORTS, name, ask(*asks), link, read, may=beside, says=says)


_OPPONENT = (
    "who/which/what/whom play/played",
    "who/which/what/whom face/faced",
    "who/which/what/whom against",
    "opponent/opponents",
)
_SCORELINE = (
    "score end/ended/vs/versus/against/hosted/game/match/final",
    "what/how end/ended/finish",
)

ATTRIBUTES = (
    _of(_soccer_game, "opponent", _opponent, *_OPPONENT, says=Says.PERSON),
    _of(
        _soccer_game,
        "goals",
        key("GF"),
        "many goals",
        "goal total/count",
        "goals total/scored",
        extra="get number past put",
        says=Says.NUMBER,
    ),
    _of(_soccer_game, "scoreline", _scoreline, *_SCORELINE),
    _of(
        _soccer_game,
        "result",
        key("result"),
        "outcome/result",
        "win/won lose/lost",
    ),
    _of(_soccer_game, "venue", key("venue"), "home away"),
    Attribute(
        Domain.SPORTS,
        "captain",
        ask("captain/captained", "leader/led"),
        _soccer_game,
        key("Captain"),
        may=may("against"),
        says=Says.PERSON,
    ),
    _of(_soccer_game, "date", _date, "when/date/day", extra="have kick off"),
    _of(_nba_game, "nba_opponent", _opponent, *_OPPONENT, says=Says.PERSON),
    _of(
        _nba_game,
        "nba_points",
        number("{:.0f}", "GF"),
        "many points",
        "score what",
        extra="put up",
        says=Says.NUMBER,
    ),
    _of(_nba_game, "nba_scoreline", _scoreline, "score vs/versus/against", "what end/ended/finish"),
)
