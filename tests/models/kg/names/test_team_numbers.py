"""A number beside a team's name is part of it."""

import pytest

from models.english.question import QuestionText
from models.kg.names.teams import Sport, find_teams, same_team


@pytest.mark.parametrize(
    ("text", "teams"),
    [
        ("when does mainz play next?", ["Mainz 05"]),
        ("when does mainz 05 play next?", ["Mainz 05"]),
        ("how many goals did mainz score in 2023?", ["Mainz 05"]),
        ("did mainz 3 goals ahead win?", ["Mainz 05"]),
        ("when does mainz 04 play next?", []),
        ("when does mainz 06 play next?", []),
        ("when does 1860 mainz play next?", []),
    ],
)
def test_a_team_with_another_number_is_another_team(text: str, teams: list[str]) -> None:
    found = find_teams(QuestionText.of(text), Sport.SOCCER, frozenset())
    assert [mention.name for mention in found] == teams


@pytest.mark.parametrize(
    ("name", "is_same"),
    [("mainz 05", True), ("mainz", True), ("mainz 04", False), ("05", False), ("mainz 5", False)],
)
def test_the_number_of_a_team_is_exact(name: str, is_same: bool) -> None:
    assert same_team(name, "Mainz 05") is is_same
