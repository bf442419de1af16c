"""Games that were not played yet, or that the KG lacks, by the tables of other games."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from models.kg import run
from tests.models.kg.cases import SOON, Answering


def table(games: Sequence[str], month: str) -> dict[str, dict[str, Any]]:
    """The soccer games of a month, as the API returns them.

    A game is written as "DAY TEAM OPPONENT KEY=VALUE…". Unless it says otherwise, it was won 2:1 at
    home in England's league.
    """
    columns: dict[str, dict[str, Any]] = {}
    for game in games:
        day, team, opponent, *settings = game.split()
        if not day.startswith(month):
            continue
        row = {
            "date": day,
            "opponent": opponent,
            "venue": "Home",
            "result": "W",
            "GF": "2",
            "GA": "1",
            "round": "",
            "league": "England",
        }
        row.update(setting.split("=") for setting in settings)
        row_key = str((row.pop("league"), "2324", team, f"{day} game"))
        for key, value in row.items():
            columns.setdefault(key, {})[row_key] = value or None
    return columns


def result_of(program: str, games: Sequence[str]) -> tuple[list[Any], bool]:
    """A program's values on 15 March 2024, and whether the KG is complete."""
    client = Answering(lambda call: table(games, str(call.params["date"])))
    (outcome,) = run(program, client, datetime(2024, 3, 15), SOON).outcomes
    assert not outcome.errors
    return list(outcome.values), outcome.complete


WON = "2024-03-09 Northport Easton"
UNKNOWN = "2024-03-09 Easton Northport result= GF= GA="


@pytest.mark.parametrize(
    ("games", "key", "value"),
    [
        # a game with a row of the opponent alone is seen from the other side
        ([WON], "venue", "Away"),
        ([WON], "opponent", "Northport"),
        # the opponent's row has what the team's row lacks
        ([WON, UNKNOWN], "score", "1–2"),
        ([WON, UNKNOWN], "result", "L"),
        ([WON, "2024-03-09 Easton Westham result= GF= GA="], "score", None),  # another game
        ([f"{WON} GA=", "2024-03-09 Easton Northport GF=3 GA="], "score", "3–2"),
    ],
)
def test_the_last_game_is_read_from_the_rows_of_both_teams(
    games: list[str], key: str, value: Any
) -> None:
    values, _ = result_of(f'get_soccer_last_game("Easton")["{key}"]', games)
    assert values == ([] if value is None else [value])


TEAM_GAMES = ["2024-03-09 Northport Easton round=28", "2024-03-30 Northport Westham round=30"]
ROUND_BETWEEN = "2024-03-17 Weston Sur round=29"


@pytest.mark.parametrize(
    ("which", "games", "opponent"),
    [
        ("next", TEAM_GAMES, "Westham"),
        ("next", [*TEAM_GAMES, ROUND_BETWEEN], None),  # the KG lacks the team's game of that round
        (
            "next",
            [*TEAM_GAMES, ROUND_BETWEEN, "2024-04-24 Northport Sur round=29"],
            "Westham",
        ),  # postponed
        ("last", ["2024-03-01 Northport Easton"], "Easton"),
        ("last", ["2024-03-01 Northport Easton", "2024-03-09 Weston Sur"], None),
    ],
)
def test_a_next_or_last_game_is_unknown_if_the_kg_lacks_a_nearer_one(
    which: str, games: list[str], opponent: str | None
) -> None:
    values, _ = result_of(f'get_soccer_{which}_game("Northport")["opponent"]', games)
    assert values == ([] if opponent is None else [opponent])


@pytest.mark.parametrize(
    ("when", "days_in_england", "days_in_spain", "result"),
    [  # the days in March on which the two leagues play; the values, and whether all are known
        ("2024-03-26", (17, 30), (17, 29), ([], True)),
        ("2024-03-18 to 2024-03-24", (17, 30), (17, 30), ([], True)),
        ("2024-03-16", (17, 30), (17, 30), ([], False)),
        ("2024-03-17", (17, 30), (17, 30), (["Sur"], False)),
        ("2024-03-26", (17, 24), (17, 30), ([], False)),
        ("2024-03-26", (17, 30), (22, 29), ([], False)),
        ("2024-03-26", (), (17, 30), ([], False)),  # one league alone may lack rows
        ("2024-03-26", (17,), (17,), ([], False)),  # no later game is known
    ],
)
def test_a_period_is_complete_if_the_leagues_pause(
    when: str,
    days_in_england: Sequence[int],
    days_in_spain: Sequence[int],
    result: tuple[list[str], bool],
) -> None:
    games = [f"2024-03-{day} Northport X" for day in days_in_england]
    games += [f"2024-03-{day} Sur X league=Spain" for day in days_in_spain]
    assert result_of(f'get_soccer_on_date("Sur", "{when}")["team"]', games) == result
