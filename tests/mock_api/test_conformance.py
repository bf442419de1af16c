"""Every recorded request of the official server, answered alike over both forms of the same facts.

Kept from the records: statuses, bodies, nulls, the order of fuzzy search. Departed from: a year out
of range is a 422 with a reason here and a 500 there; a team's name there is run as SQL; pydantic's
`url` in a refusal is left out; where the order there is arbitrary, sets are compared.
"""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from mock_api.app import make_app
from mock_api.cache import ready_file
from mock_api.store import Store

pytestmark = pytest.mark.crag_data


@pytest.fixture(scope="module", params=["kg", "cragkg"])
def client(
    request: pytest.FixtureRequest, crag_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TestClient]:
    folder = crag_data / request.param
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}")
    cache = tmp_path_factory.mktemp("cache")
    store = Store(ready_file(folder, lambda _: None, cache=cache))
    with TestClient(make_app(store)) as client:
        yield client


def test_every_record_is_answered_alike(client: TestClient, crag_data: Path) -> None:
    path = crag_data / "mock_api_conformance.jsonl"
    if not path.is_file():
        pytest.skip(f"no file {path}")
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    differences = []
    for number, record in enumerate(records, 1):
        reason = difference(client, record)
        if reason:
            body = str(record["body"])[:80]
            differences.append(f"line {number}: {record['endpoint']} {body}: {reason}")
    summary = f"{len(differences)} of {len(records)} differ:\n" + "\n".join(differences[:20])
    assert not differences, summary


def difference(client: TestClient, record: dict[str, Any]) -> str:
    """What is unlike the record; empty where nothing is."""
    body = record["body"]
    content: dict[str, Any] = {"json": body}  # None: no body
    if isinstance(body, dict) and "__raw__" in body:
        content = {"content": body["__raw__"].encode()}
    answer = client.request(record.get("method", "POST"), record["endpoint"], **content)
    if record["status"] == 500:
        if answer.status_code == 422 and "Year" in answer.json()["detail"][0]["msg"]:
            return ""
        return f"a year out of range got {answer.status_code}"
    if answer.status_code != record["status"]:
        return f"status {answer.status_code}, recorded {record['status']}"
    actual = answer.json()
    expected = without_urls(record["response"])
    if "' or '" in str(body):
        expected = {"result": None}
    if "tie_groups" in record and record["status"] == 200:
        actual = by_score(actual["result"], record)
        expected = by_score(expected["result"], record)
    elif record.get("compare") == "set" and isinstance(expected.get("result"), list):
        actual = sorted(actual["result"])
        expected = sorted(expected["result"])
    if text(actual) == text(expected):
        return ""
    return f"got {str(actual)[:120]}, recorded {str(expected)[:120]}"


def by_score(results: list[Any], record: dict[str, Any]) -> list[Any]:
    """The results in groups of equal scores, in which the order is arbitrary.

    Of a last group that the limit of ten cut, only its size counts.
    """
    remaining = iter(results)
    groups: list[Any] = []
    for size in record["tie_groups"]:
        groups.append(sorted(map(text, islice(remaining, size))))
    if record["cut_in_tie"]:
        groups[-1] = len(groups[-1])
    return [*groups, *remaining]


def text(value: Any) -> str:
    """JSON, in which 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True)


def without_urls(response: Any) -> Any:
    if isinstance(response, dict) and isinstance(response.get("detail"), list):
        details = []
        for detail in response["detail"]:
            details.append({key: value for key, value in detail.items() if key != "url"})
        return {"detail": details}
    return response
