"""Games by date and team, and names that would be SQL if they were not data."""

from collections.abc import Callable
from typing import Any

import pytest

Ask = Callable[..., Any]
SOCCER = "/sports/soccer/get_games_on_date"
NBA = "/sports/nba/get_games_on_date"
PLAYS = "/sports/nba/get_play_by_play_data_by_game_ids"


@pytest.mark.parametrize("date", ["2024-03-09", "2024-03", "2024"])
def test_soccer_games_of_a_day_month_and_year(ask: Ask, date: str) -> None:
    found = ask(SOCCER, date=date)
    names = [
        "('X-Liga', '2324', 'Ost FC', \"2024-03-09 Ost FC-O'Moss\")",
        "('X-Liga', '2324', \"O'Moss\", \"2024-03-09 Ost FC-O'Moss\")",
    ]
    assert found["date"] == dict.fromkeys(names, "2024-03-09T00:00:00.000")
    assert found["GF"] == dict(zip(names, ["2", "0"], strict=True))
    assert found["xG"] == dict(zip(names, [1.1, None], strict=True))
    assert "team" not in found


def test_soccer_games_of_one_team(ask: Ask) -> None:
    assert list(ask(SOCCER, date="2024", team_name="O'Moss")["GF"].values()) == ["0"]
    assert ask(SOCCER, date="2024", team_name="Lost FC") is None, "no league: not served"


def test_nba_games_come_by_column_and_number(ask: Ask) -> None:
    found = ask(NBA, date="2022-10", team_name="Ferns")
    assert found["game_id"] == {"0": "01"}
    assert found["fg_pct_home"] == {"0": 0.412}, "ten decimals, as pandas writes"
    assert list(ask(NBA, date="2022")["min"].values()) == [240.0, None]
    assert list(ask(NBA, date="a-b-c-d")["game_id"].values()) == ["01", "02"], "no restriction"
    assert list(ask(NBA, date="2022", team_name="Ferns")["game_id"].values()) == ["01", "02"]


@pytest.mark.parametrize(
    ("team", "games"),
    [
        ("O'Kites", ["01"]),
        ("O''Kites", ["01"]),
        ("x' or '1'='1", ["01", "02"]),
        ("x' OR '1'='2' or 'a'='a", ["01", "02"]),
        ("Mosses' or '1'='2", ["02"]),
        ("x' or '1'='2", None),
        ("x'; DROP TABLE nba_games; --", None),
        ("x' UNION SELECT * FROM nba_games --", None),
        ("'", None),
        ("%", None),
        ("", None),
    ],
)
def test_a_team_name_is_data(ask: Ask, team: str, games: list[str] | None) -> None:
    """Kept: what a name that closes its quote selects. Departed from: how; nothing of it is run."""
    found = ask(NBA, date="2022", team_name=team)
    assert (list(found["game_id"].values()) if found else None) == games
    assert ask(NBA, date="2022") is not None


def test_plays_of_games(ask: Ask) -> None:
    found = ask(PLAYS, game_ids=["01", "01"])
    assert found["eventnum"] == {"0": 1, "1": 2}
    assert found["score"] == {"0": None, "1": "2 - 0"}
    assert list(ask(PLAYS, game_ids=["02", "01"])["game_id"].values()) == ["01", "01", "02"]


def test_more_ids_than_sqlite_takes_parameters(ask: Ask) -> None:
    assert ask(PLAYS, game_ids=[str(i) for i in range(40_000)] + ["02"])["eventnum"] == {"0": 1}
