"""The example KG through the mock API's own app, without a network."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from mock_api.app import make_app
from mock_api.cache import ready_file
from mock_api.store import Store
from utils.crag_api import Call
from utils.deadline import Deadline
from utils.errors import ApiError

EXAMPLE_KG = Path(__file__).parents[2] / "example_data" / "kg"


class StoreClient:
    """A client of the mock API's app."""

    def __init__(self, http: TestClient) -> None:
        self._http = http

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        return [
            self._http.post(call.endpoint, json=dict(call.params)).json().get("result")
            for call in calls
        ]


@pytest.fixture(scope="session")
def example_kg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreClient]:
    cache = tmp_path_factory.mktemp("cache")
    with TestClient(make_app(Store(ready_file(EXAMPLE_KG, lambda _: None, cache=cache)))) as http:
        yield StoreClient(http)
