"""The rows of the sports domain: games as one team sees them, and the plays of a game.

In a row of a game every figure is the named team's own; `opponent_` before a key is the other
side's. db3's names for both sports are aliases (`GF`, `GA`).
"""

from dataclasses import replace

from models.kg.language.functions import Entity, Function, Key, Type
from models.kg.language.rows import DATE, NUMBER, hidden, key, keys, take
from models.records import Domain

_TEAM = take("team", "team_name name club", entity=Entity.TEAM)
_DAY = take("date", "day game_date", DATE)

_GAME = (
    key("date", DATE, "day_of_game", "game_date", label="date of the game"),
    key("opponent", Type.TEXT, "rival against", label="opponent", entity=Entity.TEAM),
    key("venue", Type.TEXT, "home_or_away home_away", label="venue of the game", codes="venue"),
    key("result", Type.TEXT, "outcome wl", label="result of the game", codes="result"),
    key("score", Type.TEXT, "final_score", label="score of the game"),
)
_SOCCER = (
    *_GAME,
    key("goals", NUMBER, "goals_for goals_scored points scored", "GF", label="number of goals"),
    key("opponent_goals", NUMBER, "goals_against goals_conceded", "GA",
        label="number of goals conceded"),
    key("team", Type.TEXT, "", "team_name", entity=Entity.TEAM),
    *keys("league season round"),
    key("time", label="time of kick-off"),
    key("day", label="day of the week"),
    key("Captain", Type.TEXT, "captain leader"),
    key("Formation"),
    key("Referee"),
    key("Attendance", NUMBER, "spectators"),
    key("Poss", NUMBER, "possession", label="possession", unit="%"),
    key("xG", NUMBER, "", label="number of expected goals"),
    key("xGA", NUMBER, "", label="number of expected goals conceded"),
    *hidden("match_report Notes game"),
)  # fmt: skip
# The figures of a side of an NBA game: the API's name, and what English calls it.
FIGURES = {
    "pts": "number of points",
    "reb": "number of rebounds",
    "ast": "number of assists",
    "stl": "number of steals",
    "blk": "number of blocks",
    "tov": "number of turnovers",
    "pf": "number of fouls",
    "fgm": "number of field goals made",
    "fga": "number of field goals tried",
    "fg_pct": "field goal percentage",
    "fg3m": "number of three-pointers made",
    "fg3a": "number of three-pointers tried",
    "fg3_pct": "three-point percentage",
    "ftm": "number of free throws made",
    "fta": "number of free throws tried",
    "ft_pct": "free throw percentage",
    "oreb": "number of offensive rebounds",
    "dreb": "number of defensive rebounds",
    "plus_minus": "plus-minus",
}
_NAMES = {
    "reb": "rebounds",
    "ast": "assists",
    "stl": "steals",
    "blk": "blocks",
    "tov": "turnovers",
    "pf": "fouls personal_fouls",
}
_TEXTS = "team_id team_abbreviation team_name matchup wl"
_SIDES = ("home", "away")


def _unit(name: str) -> str:
    return "fraction" if name.endswith("_pct") else ""


def _of_side(name: str, side: str, kind: Type) -> Key:
    label = FIGURES.get(name, name.replace("_", " "))
    return replace(hidden(f"{name}_{side}", kind, f"{label} ({side} team)")[0], unit=_unit(name))


def _figure(name: str) -> Key:
    if name == "pts":
        return key("points", NUMBER, "points_scored", "pts GF", label=FIGURES[name])
    return key(name, NUMBER, _NAMES.get(name, ""), unit=_unit(name), label=FIGURES[name])


_NBA = (
    *_GAME,
    *(_figure(name) for name in FIGURES),
    key("opponent_points", NUMBER, "points_against", "opponent_pts GA",
        label="number of the opponent's points"),
    key("team", Type.TEXT, "", "team_name", entity=Entity.TEAM),
    key("season_type", label="kind of season"),
    key("game_id", entity=Entity.GAME),
    *hidden(" ".join(f"opponent_{name}" for name in FIGURES if name != "pts"), NUMBER),
    *(_of_side(name, side, NUMBER) for side in _SIDES for name in FIGURES),
    *(_of_side(name, side, Type.TEXT) for side in _SIDES for name in _TEXTS.split()),
    *hidden("season_id min video_available_home video_available_away"),
)  # fmt: skip


def _player(number: int) -> tuple[Key, ...]:
    rest = "id team_id team_city team_abbreviation"
    return (
        key(f"player{number}_name", label="player"),
        key(f"player{number}_team_nickname", label="team"),
        *hidden(" ".join(f"player{number}_{name}" for name in rest.split())),
        *hidden(f"person{number}type", NUMBER),
    )


_PLAYS = (
    key("period", NUMBER, "quarter"),
    key("pctimestring", Type.TEXT, "clock", label="time left in the period"),
    key("homedescription", label="play of the home team"),
    key("visitordescription", label="play of the visitors"),
    key("neutraldescription", label="play"),
    key("score"),
    key("scoremargin", NUMBER, label="margin"),
    *_player(1),
    *_player(2),
    *_player(3),
    *hidden("game_id wctimestring"),
    *hidden("eventnum eventmsgtype eventmsgactiontype video_available_flag", NUMBER),
)
_ABOUT_A_GAME = ("{team}", "on {date}", "against {opponent}", "{venue}", "{score}")

SPORTS = (
    Function(
        "get_soccer_next_game",
        Domain.SPORTS,
        (_TEAM,),
        _SOCCER,
        row="game",
        about=_ABOUT_A_GAME,
        synonyms=("get_next_game", "get_soccer_next"),
    ),
    Function(
        "get_soccer_last_game",
        Domain.SPORTS,
        (_TEAM,),
        _SOCCER,
        row="game",
        about=_ABOUT_A_GAME,
        synonyms=("get_last_game", "get_soccer_last", "get_soccer_previous_game"),
    ),
    Function(
        "get_soccer_on_date",
        Domain.SPORTS,
        (_TEAM, _DAY),
        _SOCCER,
        row="game",
        about=_ABOUT_A_GAME,
        synonyms=("get_soccer_game", "get_soccer_games_on_date", "get_soccer"),
        complete="the days on which the leagues pause",
    ),
    Function(
        "get_nba_on_date",
        Domain.SPORTS,
        (_TEAM, _DAY),
        _NBA,
        row="game",
        about=_ABOUT_A_GAME,
        synonyms=("get_nba_game", "get_nba_games_on_date", "get_nba"),
        complete="the days on which the NBA's calendar has no game",
    ),
    Function(
        "get_nba_play_by_play",
        Domain.SPORTS,
        (take("game_id", "game_ids id", shared=True, entity=Entity.GAME),),
        _PLAYS,
        row="play",
        about=("{pctimestring} left in period {period}", "score {score}"),
        synonyms=("get_nba_plays", "get_play_by_play"),
    ),
)
