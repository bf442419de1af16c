"""The rows of the sports domain. Its keys are those of the API's own tables."""

from models.kg.language.functions import Function, Key, Parameter, Type
from models.kg.language.rows import DATE, NUMBER, key, keys, take
from models.records import Domain

_TEAM = take("team", "team_name name club")
_DAY = take("date", "day game_date", DATE)

_SOCCER = (
    *keys("league season team game"),
    key("date", DATE, "day_of_game game_date"),
    *keys("time round day venue"),
    key("result", Type.TEXT, "outcome"),
    key("GF", NUMBER, "goals_for goals goals_scored", label="goals scored"),
    key("GA", NUMBER, "goals_against goals_conceded", label="goals conceded"),
    key("opponent", Type.TEXT, "rival against"),
    *keys("xG xGA", NUMBER),
    key("Poss", NUMBER, "possession"),
    *keys("Attendance", NUMBER),
    *keys("Captain Formation Referee match_report Notes"),
)


def _nba_side(side: str) -> tuple[Key, ...]:
    shots = "fgm fga fg_pct fg3m fg3a fg3_pct ftm fta ft_pct oreb dreb reb ast stl blk tov pf pts"
    numbers = f"{shots} plus_minus video_available".split()
    texts = "team_id team_abbreviation team_name matchup wl".split()
    synonyms = {"team_name": f"{side}_team", "pts": f"{side}_points {side}_score points_{side}"}
    return tuple(
        key(f"{name}_{side}", kind, synonyms.get(name, ""))
        for names, kind in ((texts, Type.TEXT), (numbers, NUMBER))
        for name in names
    )


def _nba_player(number: int) -> tuple[Key, ...]:
    names = "id name team_id team_city team_nickname team_abbreviation".split()
    kind = Key(f"person{number}type", NUMBER)
    return (kind, *(Key(f"player{number}_{name}") for name in names))


_NBA = (
    *keys("season_id game_id"),
    key("game_date", DATE, "day", "date"),
    *_nba_side("home"),
    *_nba_side("away"),
    key("min", NUMBER, "minutes"),
    key("season_type"),
)
_PLAYS = (
    *keys("game_id"),
    *keys("eventnum eventmsgtype eventmsgactiontype", NUMBER),
    key("period", NUMBER, "quarter"),
    *keys("wctimestring pctimestring homedescription neutraldescription visitordescription"),
    *keys("score scoremargin video_available_flag"),
    *_nba_player(1),
    *_nba_player(2),
    *_nba_player(3),
)

SPORTS = (
    Function(
        "get_soccer_next_game",
        Domain.SPORTS,
        (_TEAM,),
        _SOCCER,
        synonyms=("get_next_game", "get_soccer_next"),
    ),
    Function(
        "get_soccer_last_game",
        Domain.SPORTS,
        (_TEAM,),
        _SOCCER,
        synonyms=("get_last_game", "get_soccer_last", "get_soccer_previous_game"),
    ),
    Function(
        "get_soccer_on_date",
        Domain.SPORTS,
        (_TEAM, _DAY),
        _SOCCER,
        synonyms=("get_soccer_game", "get_soccer_games_on_date", "get_soccer"),
        complete="the days on which the leagues pause",
    ),
    Function(
        "get_nba_on_date",
        Domain.SPORTS,
        (_TEAM, _DAY),
        _NBA,
        synonyms=("get_nba_game", "get_nba_games_on_date", "get_nba"),
        complete="the days on which the NBA's calendar has no game",
    ),
    Function(
        "get_nba_play_by_play",
        Domain.SPORTS,
        (Parameter("game_id", synonyms=("game_ids", "id"), several=True),),
        _PLAYS,
        synonyms=("get_nba_plays", "get_play_by_play"),
    ),
)
