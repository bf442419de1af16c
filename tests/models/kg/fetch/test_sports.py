"""What tables of games show about games that were not played, or that the KG does not know."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

import pytest

from models.kg import run
from models.kg.days import Period
from models.kg.fetch.sports_calendar import leagues_pause, nba_rests
from utils.crag_api import Call
from utils.deadline import Deadline

SOON = Deadline(10.0, lambda: 0.0)
ENGLAND, SPAIN = "ENG-Premier League", "ESP-La Liga"


def days(*played: str) -> list[tuple[str, date]]:
    """(league, day) of each "league day"."""
    return [(text.split()[0], date.fromisoformat(text.split()[1])) for text in played]


@pytest.mark.parametrize(
    ("played", "pause"),
    [
        (("a 2024-03-17", "a 2024-03-30", "b 2024-03-17", "b 2024-03-29"), True),
        (("a 2024-03-17", "a 2024-03-30"), False),  # one league alone may lack rows
        (("a 2024-03-17", "a 2024-03-30", "b 2024-03-17", "b 2024-03-24"), False),
        (("a 2024-03-17", "a 2024-03-30", "b 2024-03-22", "b 2024-03-29"), False),
        (("a 2024-03-17", "b 2024-03-17"), False),  # nothing is known of what came after
    ],
)
def test_leagues_pause_where_several_do_not_play_for_long(
    played: tuple[str, ...], pause: bool
) -> None:
    assert leagues_pause(days(*played), Period(date(2024, 3, 26), date(2024, 3, 26))) is pause


@pytest.mark.parametrize(
    ("day", "rests"),
    [
        ("2023-08-12", True),
        ("2020-08-12", False),  # that season ended in October
        ("2022-12-24", True),
        ("2022-12-25", False),
        ("2023-11-23", True),  # Thanksgiving
        ("2023-11-24", False),
        ("1930-01-01", True),
    ],
)
def test_nba_rests(day: str, rests: bool) -> None:
    asked = date.fromisoformat(day)
    assert nba_rests(Period(asked, asked)) is rests


class Tables:
    """Soccer games, as the API gives them for a month."""

    def __init__(self, *rows: Mapping[str, Any]) -> None:
        self._rows = rows

    def call_many(self, calls: Any, *, deadline: Deadline) -> list[Any]:
        return [self._table(call) for call in calls]

    def _table(self, call: Call) -> dict[str, dict[str, Any]]:
        table: dict[str, dict[str, Any]] = {}
        for row in self._rows:
            if str(row["date"]).startswith(str(call.params["date"])):
                name = str((row["league"], "2324", row["team"], f"{row['date']} game"))
                for key in ("date", "round", "opponent", "venue", "result", "GF", "GA"):
                    table.setdefault(key, {})[name] = row.get(key)
        return table


def game(
    day: str, team: str, opponent: str, matchweek: int | None = None, league: str = ENGLAND
) -> dict[str, Any]:
    played = {"venue": "Home", "result": "W", "GF": "2", "GA": "1"}
    number = f"Matchweek {matchweek}" if matchweek else None
    return {
        "date": day,
        "team": team,
        "opponent": opponent,
        "league": league,
        "round": number,
        **played,
    }


def asked(program: str, *rows: Mapping[str, Any]) -> tuple[list[Any], bool]:
    """What it gives on 15 March 2024, and whether the KG is complete there."""
    (outcome,) = run(program, Tables(*rows), datetime(2024, 3, 15), SOON).outcomes
    assert not outcome.errors
    return list(outcome.values), outcome.complete


def test_a_game_that_stands_there_for_the_opponent_alone_is_turned_round() -> None:
    rows = (game("2024-03-09", "Northport", "Easton"),)
    for key, value in (("GF", 1), ("result", "L"), ("venue", "Away"), ("opponent", "Northport")):
        assert asked(f'get_soccer_last_game("Easton")["{key}"]', *rows)[0] == [value]


def test_what_a_team_s_row_lacks_is_in_the_opponent_s() -> None:
    unknown = dict.fromkeys(("result", "GF", "GA"))
    rows = (
        game("2024-03-09", "Northport", "Easton"),
        game("2024-03-09", "Easton", "Northport") | unknown,
    )
    for key, value in (("goals", 1), ("score", "1–2"), ("result", "L")):
        assert asked(f'get_soccer_last_game("Easton")["{key}"]', *rows)[0] == [value]


def test_a_row_is_completed_by_the_same_game_only() -> None:
    unknown = dict.fromkeys(("result", "GF", "GA"))
    rows = (
        game("2024-03-09", "Northport", "Easton"),
        game("2024-03-09", "Easton", "Westham") | unknown,
    )
    assert asked('get_soccer_last_game("Easton")["score"]', *rows)[0] == []
    partly = (
        game("2024-03-09", "Northport", "Easton") | {"GA": None},
        game("2024-03-09", "Easton", "Northport") | {"GF": "3", "GA": None},
    )
    assert asked('get_soccer_last_game("Easton")["score"]', *partly)[0] == ["3–2"]


def test_the_next_known_game_is_not_the_next_one_where_a_round_lies_between() -> None:
    program = 'get_soccer_next_game("Northport")["opponent"]'
    own = (game("2024-03-09", "Northport", "Easton", 28), game("2024-03-30", "Northport", "W", 30))
    others = game("2024-03-17", "Weston", "Sur", 29)
    assert asked(program, *own)[0] == ["W"]
    assert asked(program, *own, others)[0] == []
    put_off = game("2024-04-24", "Northport", "Sur", 29)
    assert asked(program, *own, others, put_off)[0] == ["W"]


def test_the_last_known_game_is_not_the_last_one_where_a_round_has_passed() -> None:
    program = 'get_soccer_last_game("Northport")["opponent"]'
    own = game("2024-03-01", "Northport", "Easton")
    assert asked(program, own)[0] == ["Easton"]
    assert asked(program, own, game("2024-03-09", "Weston", "Sur"))[0] == []


def test_a_day_on_which_the_leagues_pause_is_complete() -> None:
    rows = [
        game(day, team, "X", league=league)
        for team, league in (("Northport", ENGLAND), ("Sur", SPAIN))
        for day in ("2024-03-17", "2024-03-30")
    ]
    assert asked('get_soccer_on_date("Sur", "2024-03-26")["GF"]', *rows) == ([], True)
    assert asked('get_soccer_on_date("Sur", "2024-03-18 to 2024-03-24")["GF"]', *rows)[1]
    assert asked('get_soccer_on_date("Sur", "2024-03-16")["GF"]', *rows) == ([], False)
    assert asked('get_soccer_on_date("Sur", "2024-03-17")["team"]', *rows) == (["Sur"], False)
