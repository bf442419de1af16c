"""The arithmetic over all games of a month, on invented games."""

from datetime import datetime
from typing import Any

import pytest

from models.kg import run
from models.kg.english.names import Names
from models.kg.english.sports.reader import read
from models.kg.linking.question import Asked
from utils.deadline import Deadline

_HEAT, _CELTICS = "Miami Heat", "Boston Celtics"
_BULLS, _NUGGETS = "Chicago Bulls", "Denver Nuggets"
_NOW = datetime(2024, 3, 15, 16)
# Home team, away team, their points.
_GAMES = (
    (_HEAT, _CELTICS, 100, 90),
    (_HEAT, _CELTICS, 95, 99),
    (_HEAT, _BULLS, 80, 90),
    (_HEAT, _BULLS, 81, 91),
    (_NUGGETS, _HEAT, 100, 105),
    (_NUGGETS, _HEAT, 100, 106),
    (_CELTICS, _HEAT, 110, 100),
    (_CELTICS, _HEAT, 90, 98),
    (_CELTICS, _BULLS, 100, 90),
    (_CELTICS, _BULLS, 100, 90),
    (_CELTICS, _BULLS, 100, 90),
)


class _Month:
    """A client whose table of December 2022 has these games, and no other table any."""

    def __init__(self) -> None:
        self._table: dict[str, dict[str, Any]] = {}
        for index, (home, away, own, other) in enumerate(_GAMES):
            row = {
                "game_id": str(index),
                "game_date": f"2022-12-{index + 1:02} 00:00:00",
                "season_type": "Regular Season",
                "team_name_home": home,
                "team_name_away": away,
                "pts_home": own,
                "pts_away": other,
                "ast_home": 20,
                "ast_away": 21,
                "wl_home": "W" if own > other else "L",
                "wl_away": "L" if own > other else "W",
            }
            for key, value in row.items():
                self._table.setdefault(key, {})[str(index)] = value

    def call_many(self, calls: Any, *, deadline: Deadline) -> list[Any]:
        return [self._table if c.params.get("date") == "2022-12" else None for c in calls]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how many games did the heat win in december 2022?", "4"),
        ("how many times did the heat lose as the home team during 2022-12?", "3"),
        ("how many games did the heat play in december 2022?", "8"),
        ("which teams were able to beat the heat in 2022-12?", "Boston Celtics, Chicago Bulls"),
        ("who did the heat beat in december 2022?", "Boston Celtics, Denver Nuggets"),
        ("what was the heat's total point haul in 2022-12?", "765"),
        ("what was the heat's average points per game in december 2022?", "95.63"),
        ("how many assists did the heat have in december 2022?", "164"),
        ("how many points did the heat allow in december 2022?", "770"),
        ("what was the celtics' record in 2022-12?", "5-2"),
        ("in 2022-12, who had more wins, the heat or the celtics?", "Boston Celtics"),
        ("did the heat score more points than the celtics in 2022-12?", "yes"),
        # the KG has too few of its games to know the month as a whole
        ("how many games did the nuggets win in december 2022?", None),
        ("how many games did the heat win in november 2022?", None),
    ],
)
def test_games_of_a_month_are_counted_and_summed(question: str, answer: str | None) -> None:
    client, deadline = _Month(), Deadline.after(60)
    said = None
    for reading in read(Asked.of(question, _NOW), Names(client, deadline)):
        outcomes = run(reading.program, client, _NOW, deadline).outcomes
        said = said or reading.compose(outcomes)
    assert said == answer
