"""Questions about the example KG, read by the reader of their domain: what is answered.

Cases are data (`cases/DOMAIN.jsonl`): `question`, `answer` (null: "i don't know"), and `now` where
it is not the usual time.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from mock_api.app import make_app
from mock_api.cache import ready_file
from mock_api.store import Store
from models.kg import run
from models.kg.english.names import Names
from models.kg.english.question import Asked
from models.kg.language.parser import parse
from models.records import Answer, Domain, Question, Task
from models.subtasks.answer_kg import ComposedAnswer
from models.subtasks.write_query import READERS
from utils.crag_api import Call
from utils.deadline import Deadline
from utils.errors import ApiError

HERE = Path(__file__).parent
EXAMPLE_KG = HERE.parents[3] / "example_data" / "kg"
NOW = "2024-02-28T08:25:51"
SOON = Deadline(10.0, lambda: 0.0)
CASES = [
    (path.stem, json.loads(line))
    for path in sorted((HERE / "cases").glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").splitlines()
]


class StoreClient:
    """The mock API over the example KG, without a network."""

    def __init__(self, http: TestClient) -> None:
        self._http = http

    def call_many(self, calls: Sequence[Call], *, deadline: Deadline) -> list[Any | ApiError]:
        return [
            self._http.post(call.endpoint, json=dict(call.params)).json().get("result")
            for call in calls
        ]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreClient]:
    cache = tmp_path_factory.mktemp("cache")
    with TestClient(make_app(Store(ready_file(EXAMPLE_KG, lambda _: None, cache=cache)))) as http:
        yield StoreClient(http)


@pytest.mark.parametrize(("domain", "case"), CASES, ids=[f"{d}: {c['question']}" for d, c in CASES])
def test_case(domain: str, case: dict[str, Any], client: StoreClient) -> None:
    now = datetime.fromisoformat(case.get("now", NOW))
    question = Question("q", case["question"], now, Task.KG_WEB)
    answer = Answer()
    for reading in READERS[Domain(domain)](Asked.of(question.text, now), Names(client, SOON)):
        assert not parse(reading.program, strict=True).repairs
        result = run(reading.program, client, now, SOON)
        answer = ComposedAnswer().answer(question, reading, result)
        if answer.known:
            break
    assert (answer.text if answer.known else None) == case["answer"]


def test_every_domain_has_cases() -> None:
    assert {domain for domain, _ in CASES} == {str(domain) for domain in Domain}
