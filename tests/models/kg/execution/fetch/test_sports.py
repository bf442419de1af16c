"""What tables of games show about games that were not played, or that the KG does not know."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from models.kg import run
from tests.models.kg.cases import SOON, Answering


def table(games: Sequence[str], month: str) -> dict[str, dict[str, Any]]:
    """The soccer games of a month, as the API gives them. "DAY TEAM OPPONENT KEY=VALUE…" each: won
    2:1 at home in England's league, unless it says otherwise."""
    found: dict[str, dict[str, Any]] = {}
    for game in games:
        day, team, opponent, *more = game.split()
        row = {"date": day, "opponent": opponent, "venue": "Home", "result": "W", "GF": "2"}
        row |= {"GA": "1", "round": "", "league": "England"}
        row |= dict(each.split("=") for each in more)
        if day.startswith(month):
            name = str((row.pop("league"), "2324", team, f"{day} game"))
            for key, value in row.items():
                found.setdefault(key, {})[name] = value or None
    return found


def asked(program: str, games: Sequence[str]) -> tuple[list[Any], bool]:
    """What it gives on 15 March 2024, and whether the KG is complete there."""
    client = Answering(lambda call: table(games, str(call.params["date"])))
    (outcome,) = run(program, client, datetime(2024, 3, 15), SOON).outcomes
    assert not outcome.errors
    return list(outcome.values), outcome.complete


WON = "2024-03-09 Northport Easton"
UNKNOWN = "2024-03-09 Easton Northport result= GF= GA="


@pytest.mark.parametrize(
    ("games", "key", "value"),
    [
        # a game that stands there for the opponent alone is turned round
        ([WON], "venue", "Away"),
        ([WON], "opponent", "Northport"),
        # what a team's row lacks is in the opponent's
        ([WON, UNKNOWN], "score", "1–2"),
        ([WON, UNKNOWN], "result", "L"),
        ([WON, "2024-03-09 Easton Westham result= GF= GA="], "score", None),  # another game
        ([f"{WON} GA=", "2024-03-09 Easton Northport GF=3 GA="], "score", "3–2"),
    ],
)
def test_the_last_game_by_its_two_rows(games: list[str], key: str, value: Any) -> None:
    found, _ = asked(f'get_soccer_last_game("Easton")["{key}"]', games)
    assert found == ([] if value is None else [value])


OWN = ["2024-03-09 Northport Easton round=28", "2024-03-30 Northport Westham round=30"]
ROUND_BETWEEN = "2024-03-17 Weston Sur round=29"


@pytest.mark.parametrize(
    ("which", "games", "opponent"),
    [
        ("next", OWN, "Westham"),
        ("next", [*OWN, ROUND_BETWEEN], None),  # the KG lacks the team's game of that round
        ("next", [*OWN, ROUND_BETWEEN, "2024-04-24 Northport Sur round=29"], "Westham"),  # put off
        ("last", ["2024-03-01 Northport Easton"], "Easton"),
        ("last", ["2024-03-01 Northport Easton", "2024-03-09 Weston Sur"], None),
    ],
)
def test_a_nearest_game_may_be_unknown(which: str, games: list[str], opponent: str | None) -> None:
    found, _ = asked(f'get_soccer_{which}_game("Northport")["opponent"]', games)
    assert found == ([] if opponent is None else [opponent])


@pytest.mark.parametrize(
    ("when", "here", "in_spain", "found"),
    [  # the days in March on which the two leagues play
        ("2024-03-26", (17, 30), (17, 29), ([], True)),
        ("2024-03-18 to 2024-03-24", (17, 30), (17, 30), ([], True)),
        ("2024-03-16", (17, 30), (17, 30), ([], False)),
        ("2024-03-17", (17, 30), (17, 30), (["Sur"], False)),
        ("2024-03-26", (17, 24), (17, 30), ([], False)),
        ("2024-03-26", (17, 30), (22, 29), ([], False)),
        ("2024-03-26", (), (17, 30), ([], False)),  # one league alone may lack rows
        ("2024-03-26", (17,), (17,), ([], False)),  # nothing is known of what came after
    ],
)
def test_a_day_is_complete_if_the_leagues_do_not_play_for_long(
    when: str, here: Sequence[int], in_spain: Sequence[int], found: tuple[list[str], bool]
) -> None:
    games = [f"2024-03-{day} Northport X" for day in here]
    games += [f"2024-03-{day} Sur X league=Spain" for day in in_spain]
    assert asked(f'get_soccer_on_date("Sur", "{when}")["team"]', games) == found
