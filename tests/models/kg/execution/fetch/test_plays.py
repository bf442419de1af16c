"""Plays of an NBA game: what happened, and the points of a play."""

from typing import Any

import pytest

from models.kg.execution.outcome import Outcome
from tests.models.kg.execution.test_execute import FakeClient, run

PLAYS = (  # side, what happened, player
    ("neutral", "Start of 1st Period (7:00 PM EST)", None),
    ("home", "Moss 24' 3PT Jump Shot (3 PTS) (Lind 1 AST)", "Ada Moss"),
    ("visitor", "MISS Rook 12' Jump Shot", "Bo Rook"),
    ("home", "Moss REBOUND (Off:0 Def:1)", "Ada Moss"),
    ("home", "Moss Driving Layup (5 PTS)", "Ada Moss"),
    ("visitor", "Rook Free Throw 1 of 2 (1 PTS)", "Bo Rook"),
    ("visitor", "MISS Rook Free Throw 2 of 2", "Bo Rook"),
    ("visitor", "Rook 15' Jump Shot (3 PTS)", "Bo Rook"),
    ("home", "Moss Free Throw Technical (6 PTS)", "Ada Moss"),
    ("home", "GULLS Timeout: Regular (Full 1 Short 0)", None),
)


def table() -> dict[str, dict[str, Any]]:
    """The plays by column, as the API returns them; one has a text for both sides."""
    columns: dict[str, dict[str, Any]] = {"player1_name": {}}
    for side in ("home", "visitor", "neutral"):
        columns[f"{side}description"] = {}
    for number, (side, text, player) in enumerate(PLAYS):
        for name in columns:
            columns[name][str(number)] = text if name == f"{side}description" else None
        columns["player1_name"][str(number)] = player
    columns["visitordescription"]["4"] = "Rook late to help"
    return columns


def outcome_of(program: str) -> Outcome:
    endpoint = "/sports/nba/get_play_by_play_data_by_game_ids"
    (outcome,) = run(program, FakeClient({endpoint: {"['7']": table(), "['8']": None}}))
    return outcome


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ('SUM get_nba_play_by_play("7", eq(player1_name, "ada moss"))["points"]', [6]),
        ('SUM get_nba_play_by_play("7", eq(player1_name, "bo rook"))["points"]', [3]),
        ('SUM get_nba_play_by_play("7")["points"]', [9]),
        (
            'SUM get_nba_play_by_play("7", [eq(player1_name, "bo rook"),'
            ' contains(description, "free throw")])["points"]',
            [1],
        ),
        (
            'get_nba_play_by_play("7", [contains(description, "jump shot"), gt(points, 0)])["len"]',
            [2],
        ),
        (
            'ALL get_nba_play_by_play("7", contains(description, "driving layup"))["description"]',
            ["Moss Driving Layup (5 PTS); Rook late to help"],
        ),
        # the KG has all plays of a game, so a player without plays scored nothing
        ('SUM get_nba_play_by_play("7", eq(player1_name, "cy tern"))["points"]', [0]),
        (
            'get_nba_play_by_play("7", [eq(player1_name, "ada moss"),'
            ' contains(description, "dunk")])["len"]',
            [0],
        ),
        # of an unknown game, nothing is known
        ('SUM get_nba_play_by_play("8", eq(player1_name, "ada moss"))["points"]', []),
        ('get_nba_play_by_play("8", eq(player1_name, "ada moss"))["len"]', []),
    ],
)
def test_plays_are_counted_by_their_description_and_points(query: str, values: list[Any]) -> None:
    outcome = outcome_of(query)
    assert list(outcome.values) == values
    assert not outcome.notes
