"""A game as one of its teams sees it, and what may be asked of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from models.kg.fetch.protocol import Row
from models.kg.operators import as_number
from models.kg.teams import same_team

_RESULTS = {"W": "win", "L": "loss", "D": "draw"}
_POINTS = {"W": 3, "D": 1, "L": 0}  # of a league of soccer
_REGULAR_MINUTES = 240  # five players' of an NBA game without overtime


@dataclass(frozen=True, slots=True)
class Game:
    """A game as `team` sees it: its own score and the other's; None where the KG does not know."""

    team: str
    opponent: str | None
    day: str | None
    home: bool | None
    own: float | None
    other: float | None
    result: str | None
    row: Row
    side: str = ""  # of an NBA row: "home" or "away"

    @property
    def margin(self) -> float | None:
        return None if self.own is None or self.other is None else self.own - self.other

    @property
    def nba(self) -> bool:
        return bool(self.side)


def seen_by(team: str, row: Row) -> Game:
    """A row of a table of soccer or NBA games, from the side of `team`."""
    if "team_name_home" not in row:
        own, other = as_number(row.get("GF")), as_number(row.get("GA"))
        venue = {"Home": True, "Away": False}.get(str(row.get("venue")))
        result = row.get("result") or None
        return Game(team, _text(row, "opponent"), _day(row, "date"), venue, own, other, result, row)
    home = same_team(team, str(row.get("team_name_home")))
    side, across = ("home", "away") if home else ("away", "home")
    own, other = as_number(row.get(f"pts_{side}")), as_number(row.get(f"pts_{across}"))
    result = _text(row, f"wl_{side}")
    if result is None and (turned := _text(row, f"wl_{across}")):
        result = {"W": "L", "L": "W"}.get(turned)
    opponent = _text(row, f"team_name_{across}")
    return Game(team, opponent, _day(row, "game_date"), home, own, other, result, row, side)


def _text(row: Row, key: str) -> str | None:
    value = row.get(key)
    return None if value in (None, "") else str(value)


def _day(row: Row, key: str) -> str | None:
    text = _text(row, key)
    return text[:10] if text else None


def _score(game: Game) -> str | None:
    if game.own is None or game.other is None:
        return None
    return f"{game.own:.0f}-{game.other:.0f}"


def _winner(*, loser: bool = False) -> Callable[[Game], str | None]:
    def of(game: Game) -> str | None:
        if game.result == "D":
            return "it was a draw"
        if game.result not in ("W", "L"):
            return None
        return game.team if (game.result == "L") == loser else game.opponent

    return of


def _weekday(game: Game) -> str | None:
    return date.fromisoformat(game.day).strftime("%A") if game.day else None


def _venue(game: Game) -> str | None:
    return None if game.home is None else "home" if game.home else "away"


def _of_row(key: str) -> Callable[[Game], str | float | None]:
    return lambda game: game.row.get(key)


def _stat(name: str) -> Callable[[Game], str | float | None]:
    return lambda game: game.row.get(f"{name}_{game.side}") if game.nba else None


def _time(game: Game) -> str | None:
    text = _text(game.row, "time")
    return text[:5] if text else None


def _whether(holds: Callable[[Game], bool | None]) -> Callable[[Game], str | None]:
    def of(game: Game) -> str | None:
        holding = holds(game)
        return None if holding is None else "yes" if holding else "no"

    return of


def _result(*wanted: str) -> Callable[[Game], bool | None]:
    return lambda game: None if game.result is None else game.result in wanted


def _at(*, home: bool) -> Callable[[Game], bool | None]:
    return lambda game: None if game.home is None else game.home == home


def _within(nba: float, soccer: float, *, more: bool = False) -> Callable[[Game], bool | None]:
    """Whether the scores were so near to each other; `more`: so far apart."""

    def holds(game: Game) -> bool | None:
        if game.margin is None:
            return None
        bound = nba if game.nba else soccer
        return abs(game.margin) >= bound if more else abs(game.margin) <= bound

    return holds


def _kind(*wanted: str) -> Callable[[Game], bool | None]:
    def holds(game: Game) -> bool | None:
        kind = _text(game.row, "season_type")
        return kind in wanted if kind else None

    return holds


def _overtime(game: Game) -> bool | None:
    minutes = as_number(game.row.get("min")) if game.nba else None
    return None if not minutes else minutes > _REGULAR_MINUTES


def _total(game: Game) -> float | None:
    return None if game.own is None or game.other is None else game.own + game.other


def _margin(game: Game) -> float | None:
    return None if game.margin is None else abs(game.margin)


STATS = "fgm fga fg_pct fg3m fg3a fg3_pct ftm fta ft_pct oreb dreb reb ast stl blk tov pf".split()
# What may be asked of a game.
FACTS: Mapping[str, Callable[[Game], str | float | None]] = {
    "opponent": lambda game: game.opponent,
    "date": lambda game: game.day,
    "weekday": _weekday,
    "time": _time,
    "own": lambda game: game.own,
    "other": lambda game: game.other,
    "total": _total,
    "margin": _margin,
    "score": _score,
    "result": lambda game: _RESULTS.get(game.result or ""),
    "league points": lambda game: _POINTS.get(game.result or ""),
    "winner": _winner(),
    "loser": _winner(loser=True),
    "venue": _venue,
    "host": lambda game: None if game.home is None else game.team if game.home else game.opponent,
    "captain": _of_row("Captain"),
    "formation": _of_row("Formation"),
    "referee": _of_row("Referee"),
    "attendance": _of_row("Attendance"),
    "possession": _of_row("Poss"),
    "xg": _of_row("xG"),
    "xga": _of_row("xGA"),
    "round": _of_row("round"),
    "won?": _whether(_result("W")),
    "lost?": _whether(_result("L")),
    "drew?": _whether(_result("D")),
    "home?": _whether(_at(home=True)),
    "away?": _whether(_at(home=False)),
    "scored?": _whether(lambda game: None if game.own is None else game.own > 0),
    "clean sheet?": _whether(lambda game: None if game.other is None else game.other == 0),
    "played?": lambda game: "yes",
    **{name: _stat(name) for name in STATS},
}
# What a question may take for granted of a game.
PREMISES: Mapping[str, Callable[[Game], bool | None]] = {
    "won": _result("W"),
    "lost": _result("L"),
    "drew": _result("D"),
    "home": _at(home=True),
    "away": _at(home=False),
    "close": _within(19, 3),
    "lopsided": _within(4, 2, more=True),
    "goalless": lambda game: None if _total(game) is None else _total(game) == 0,
    "overtime": _overtime,
    "playoffs": _kind("Playoffs"),
    "regular season": _kind("Regular Season"),
    "preseason": _kind("Pre Season"),
}
# Where the KG does not tell these, the answer stands all the same.
ASIDE = frozenset(("close", "lopsided", "overtime", "playoffs", "regular season", "preseason"))
