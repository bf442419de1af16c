"""A KG API made of a dict, and the example KG; the tiny model and each engine over it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from mock_api.cache import ready_file
from mock_api.local import LocalClient
from tests.models.engines import (
    engine,
    engine_name,
    hf,
    openai,
    real,
    real_llamacpp,
    server,
    servers,
    tiny,
    vllm,
)
from utils.crag_api import ApiCall
from utils.deadline import Deadline
from utils.errors import ApiError, ApiUnavailable

__all__ = [
    "engine",
    "engine_name",
    "hf",
    "openai",
    "real",
    "real_llamacpp",
    "server",
    "servers",
    "tiny",
    "vllm",
]
EXAMPLE_KG = Path(__file__).parents[2] / "example_data" / "kg"


@pytest.fixture(scope="session")
def example_kg(tmp_path_factory: pytest.TempPathFactory) -> LocalClient:
    cache = tmp_path_factory.mktemp("cache")
    return LocalClient(ready_file(EXAMPLE_KG, lambda _: None, cache=cache))


class FakeClient:
    """Answers what it was given, None to the rest; an exception as an answer is a failed call."""

    def __init__(self, replies: Mapping[tuple[str, Any], Any]) -> None:
        self.replies = dict(replies)
        self.calls: list[tuple[str, Any]] = []

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any | ApiError]:
        if deadline.expired:
            return [ApiUnavailable("no time left")] * len(calls)
        return [self._reply(call) for call in calls]

    def _reply(self, call: ApiCall) -> Any:
        key = (call.endpoint, call.params.get("query", call.params.get("date")))
        self.calls.append(key)
        return self.replies.get(key, self.replies.get((call.endpoint, "*")))


@pytest.fixture
def client() -> FakeClient:
    """A small KG: a film, its director, a company, a nuclear plant."""
    film = {
        "title": "The Glass Harbour",
        "release_date": "2001-05-04",
        "budget": 1500000,
        "crew": [{"job": "Director", "name": "Aino Virta"}, {"job": "Editor", "name": "B. C."}],
        "cast": [{"name": "One"}, {"name": "Two"}],
    }
    return FakeClient(
        {
            ("/movie/get_movie_info", "*"): [film],
            ("/movie/get_person_info", "*"): [{"name": "Aino Virta", "birthday": "1960-02-03"}],
            ("/finance/get_company_name", "*"): ["Acme Widgets Inc. Common Stock"],
            ("/finance/get_ticker_by_name", "Acme Widgets Inc. Common Stock"): "ACMW",
            ("/finance/get_market_capitalization", "ACMW"): 1234567.5,
            ("/open/search_entity_by_name", "*"): ["Loviisa Plant", "Loviisa"],
            ("/open/get_entity", "Loviisa Plant"): {
                "summary_structured": {"owner": "[[Fortum]],,"}
            },
        }
    )


@pytest.fixture
def dead_client(monkeypatch: pytest.MonkeyPatch) -> FakeClient:
    client = FakeClient({})
    monkeypatch.setattr(client, "_reply", lambda call: ApiUnavailable("down"))
    return client
