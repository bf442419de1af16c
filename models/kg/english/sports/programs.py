"""The programs that fetch the games that a question about sports means."""

from collections.abc import Sequence
from datetime import timedelta

from models.kg.english.sports.question import Parts
from models.kg.english.sports.stats import STAT_NAMES
from models.kg.english.sports.when import LAST
from models.kg.language.printer import quoted
from models.kg.linking.teams import Sport, Team

_DAY = timedelta(days=1)
# The keys that a fact is read from; both sides' in the NBA, where a game has one row.
_SOCCER_KEYS = {
    "opponent": "opponent",
    "date": "date",
    "weekday": "date",
    "time": "time",
    "own": "GF",
    "other": "GA",
    "venue": "venue",
    "host": "venue opponent",
    "home?": "venue",
    "away?": "venue",
    "captain": "Captain",
    "formation": "Formation",
    "referee": "Referee",
    "attendance": "Attendance",
    "possession": "Poss",
    "xg": "xG",
    "xga": "xGA",
    "round": "round",
    "score": "GF GA",
    "total": "GF GA",
    "margin": "GF GA",
    "scored?": "GF",
    "clean sheet?": "GA",
    "winner": "result opponent",
    "loser": "result opponent",
    "played?": "game",
    "": "game",
}
_NBA_KEYS = {
    **dict.fromkeys(
        ("opponent", "venue", "host", "home?", "away?"), "team_name_home team_name_away"
    ),
    **dict.fromkeys(("result", "won?", "lost?", "winner", "loser"), "wl_home wl_away"),
    **dict.fromkeys(("date", "weekday"), "game_date"),
    **dict.fromkeys(("played?", ""), "game_id"),
    **{name: f"{name}_home {name}_away" for name in STAT_NAMES},
}


def statements(parts: Parts, team: Team, fact: str, conditions: Sequence[str] = ()) -> list[str]:
    """One statement for each key of a fact and each time in which the game may have been."""
    if team.sport is Sport.NBA:
        keys = _NBA_KEYS.get(fact, "pts_home pts_away")
    else:
        keys = _SOCCER_KEYS.get(fact, "result")
    return [text for key in keys.split() for text in for_key(parts, team, key, conditions)]


def for_key(parts: Parts, team: Team, key: str, conditions: Sequence[str] = ()) -> list[str]:
    """Statements for one key of the rows, one a time in which the game may have been."""
    texts = []
    for call, own in _calls(parts, team):
        where = [*own, *conditions]
        if len(where) > 1:
            call += f", [{', '.join(where)}]"
        elif where:
            call += f", {where[0]}"
        texts.append(f"ALL {call})[{quoted(key)}]")
    return texts


def _calls(parts: Parts, team: Team) -> list[tuple[str, list[str]]]:
    """Calls that lack their end, each with its own conditions."""
    name, when = quoted(team.name), parts.when
    if when.near is None:
        sport = "nba" if team.sport is Sport.NBA else "soccer"
        return [(f"get_{sport}_on_date({name}, {quoted(time)}", []) for time in when.periods]
    if team.sport is Sport.SOCCER:
        return [(f"get_soccer_{'last' if when.near == LAST else 'next'}_game({name}", [])]
    # the NBA's last or next game is looked for in this month and the one beside it
    first = parts.at.replace(day=1)
    back = when.near == LAST
    beside = first - _DAY if back else first + 32 * _DAY
    condition = f"{'lt' if back else 'ge'}(game_date, {quoted(parts.at.isoformat())})"
    return [
        (f"get_nba_on_date({name}, {quoted(day.isoformat()[:7])}", [condition])
        for day in (first, beside)
    ]
