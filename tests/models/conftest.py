"""A KG API made of a dict; the tiny model and each engine over it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.models.engines import engine, hf, openai, server, servers, tiny, vllm
from tests.models.example_kg import example_kg
from utils.crag_api import Call
from utils.deadline import Deadline
from utils.errors import ApiError, ApiUnavailable

__all__ = ["engine", "example_kg", "hf", "openai", "server", "servers", "tiny", "vllm"]


class FakeClient:
    """Answers what it was given, None to the rest; an exception as an answer is a failed call."""

    def __init__(self, replies: Mapping[tuple[str, Any], Any]) -> None:
        self.replies = dict(replies)
        self.calls: list[tuple[str, Any]] = []

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        if deadline.expired:
            return [ApiUnavailable("no time left")] * len(calls)
        return [self._reply(call) for call in calls]

    def _reply(self, call: Call) -> Any:
        key = (call.endpoint, call.params.get("query", call.params.get("date")))
        self.calls.append(key)
        return self.replies.get(key, self.replies.get((call.endpoint, "*")))


def columns(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Rows by key, as the API gives a table: a column at a time."""
    names = next(iter(rows.values()))
    return {name: {key: row[name] for key, row in rows.items()} for name in names}


def soccer_row(date: str, opponent: str, goals: str, venue: str = "Home") -> dict[str, Any]:
    return {
        "date": f"{date}T00:00:00.000",
        "venue": venue,
        "result": "W",
        "GF": goals,
        "opponent": opponent,
        "Captain": "Ann Other",
    }


@pytest.fixture
def client() -> FakeClient:
    """A small KG: two films of one name, a company, a singer, a song, a club, a nuclear plant."""
    film = {
        "title": "The Glass Harbour",
        "release_date": "2001-05-04",
        "budget": 1500000,
        "revenue": 0,
        "original_language": "fi",
        "crew": [{"job": "Director", "name": "Aino Virta"}, {"job": "Editor", "name": "B. C."}],
        "cast": [{"name": "One"}, {"name": "Two"}],
    }
    twins = [
        {"title": "Twin", "release_date": "1990-01-01", "original_language": "en"},
        {"title": "Twin", "release_date": "2010-01-01", "original_language": "en"},
    ]
    soccer = columns(
        {
            "('ENG-Premier League', '2324', 'Northport', '2024-03-09 A')": soccer_row(
                "2024-03-09", "Easton", "2"
            ),
            "('ENG-Premier League', '2324', 'Northport', '2024-03-16 B')": soccer_row(
                "2024-03-16", "Weston", "0", "Away"
            ),
            "('ESP-La Liga', '2324', 'Sur', '2024-03-02 C')": soccer_row(
                "2024-03-02", "Norte", "1"
            ),
        }
    )
    nba = columns(
        {
            "0": {
                "team_name_home": "Harbor City Gulls",
                "team_name_away": "Mountain Bears",
                "pts_home": 101.0,
                "pts_away": 99.0,
                "wl_home": "W",
                "wl_away": "L",
            }
        }
    )
    return FakeClient(
        {
            ("/movie/get_movie_info", "*"): [film, *twins],
            ("/movie/get_person_info", "*"): [{"name": "Aino Virta", "birthday": "1960-02-03"}],
            ("/finance/get_company_name", "*"): ["Acme Widgets Inc. Common Stock"],
            ("/finance/get_ticker_by_name", "Acme Widgets Inc. Common Stock"): "ACMW",
            ("/finance/get_market_capitalization", "ACMW"): 1234567.5,
            ("/finance/get_pe_ratio", "ACMW"): 12.5,
            ("/finance/get_pe_ratio", "XYZ"): 7.0,
            ("/finance/get_dividends_history", "ACMW"): {
                "2023-08-01 00:00:00 EST": 0.2,
                "2024-02-01 00:00:00 EST": 0.25,
            },
            ("/finance/get_price_history", "ACMW"): {
                "2024-03-07 00:00:00 EST": {"Open": 9.5, "Close": 10.25, "Volume": 1000},
                "2024-03-08 00:00:00 EST": {"Open": 10.0, "Close": 11.0, "Volume": 2000},
            },
            ("/music/search_artist_entity_by_name", "*"): ["Marja K\u00e4ki", "The Gale"],
            ("/music/get_artist_birth_date", "Marja K\u00e4ki"): "1980-01-02",
            ("/music/get_members", "The Gale"): ["A. One", "B. Two"],
            ("/music/search_song_entity_by_name", "*"): ["Salt Road"],
            ("/music/get_song_author", "Salt Road"): "Marja K\u00e4ki",
            ("/music/grammy_get_best_artist_by_year", 2010): ["Some Singer"],
            ("/sports/soccer/get_games_on_date", "2024-03"): soccer,
            ("/sports/nba/get_games_on_date", "2024-03-01"): nba,
            ("/open/search_entity_by_name", "*"): ["Loviisa Plant", "Loviisa"],
            ("/open/get_entity", "Loviisa Plant"): {
                "summary_structured": {
                    "owner": "[[Fortum]],,",
                    "cooling_source": "Gulf of Finland,<br/>",
                    "birth_date": "{{birth date and age df=yes 1977 2 9}}",
                    "status": "{{flag O}}",
                    "empty": "",
                }
            },
        }
    )


@pytest.fixture
def dead_client() -> FakeClient:
    endpoints = (
        "/movie/get_movie_info",
        "/movie/get_person_info",
        "/finance/get_company_name",
        "/music/search_artist_entity_by_name",
        "/music/search_song_entity_by_name",
        "/open/search_entity_by_name",
    )
    return FakeClient({(name, "*"): ApiUnavailable("down") for name in endpoints})
