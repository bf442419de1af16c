"""The HTTP side: every route, its page, and no input that makes it fail."""

import itertools
import json
import re

import pytest
from starlette.testclient import TestClient

from utils.crag_endpoints import ENDPOINTS, Endpoint

pytestmark = pytest.mark.parametrize("client", ["neutral"], indirect=True)

ODD_VALUES = [*b"NaN -Infinity 1e999 1e300 null {}".split(), b"9" * 4000, b"9" * 5000]
RAW = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"x"',
    b"\xff\xfe\x00",
    b"{'a': 1}",
    b"[" * 100_000,
    b'{"query": ' + b"[" * 900 + b"]" * 900 + b"}",
    b'{"\\ud800": "\\ud800"}',
    *(
        b'{"query": %b, "date": %b, "rank": %b, "team_name": %b, "game_ids": [%b]}' % ((value,) * 5)
        for value in ODD_VALUES
    ),
    b'{"query": "\\ud800", "date": "\\ud800", "rank": 1, "game_ids": ["\\ud800"]}',
]
TYPES = ["application/json", "text/plain", "multipart/form-data", "a/b; charset=\xff"]
HEADERS = [{}, *({b"Content-Type": kind.encode("latin-1")} for kind in TYPES)]


def test_the_server_has_pages_that_are_no_endpoints(client: TestClient) -> None:
    health = client.get("/health").json()
    assert health["status"] == "ok"
    assert health["rows"]["open"] == 6
    assert health["rows"]["soccer"] == 2
    assert client.get("/").json() == {"message": "The CRAG API service is running"}
    assert client.get("/open/get_entity").status_code == 405


def test_the_docs_need_no_other_server(client: TestClient) -> None:
    page = client.get("/docs").text
    assets = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(assets) >= 3
    for asset in assets:
        assert asset.startswith("/"), asset
        assert client.get(asset).status_code == 200


@pytest.mark.parametrize("row", ENDPOINTS, ids=lambda row: row.method)
def test_no_body_is_a_server_error(client: TestClient, row: Endpoint) -> None:
    tested_headers = HEADERS if row is ENDPOINTS[0] else HEADERS[:1]
    for raw, headers in itertools.product(RAW, tested_headers):
        answer = client.post(row.path, content=raw, headers=headers)
        assert answer.status_code in (200, 400, 422), (raw[:80], headers, answer.text[:200])
        json.loads(answer.content, parse_constant=pytest.fail)


def test_a_refusal_says_what_is_wrong_and_what_was_sent(client: TestClient) -> None:
    (detail,) = client.post("/open/get_entity", json={"query": 5}).json()["detail"]
    assert detail == {
        "type": "string_type",
        "loc": ["body", "query"],
        "msg": "Input should be a valid string",
        "input": 5,
    }
    (detail,) = client.post("/open/get_entity", content=b'{"query": {"a": NaN}}').json()["detail"]
    assert detail["input"] == {"a": None}
    for year in ("1989", "2022", "9" * 5000, "abc", ""):  # the official server answers 500
        answer = client.post("/movie/get_year_info", json={"query": year})
        assert answer.status_code == 422
        assert "Year must be" in answer.json()["detail"][0]["msg"]
    answer = client.post("/open/get_entity", content=b'{"query": "\\ud800"}')
    assert answer.status_code == 422
    assert "surrogate" in answer.json()["detail"][0]["msg"]
    assert client.post("/open/get_entity", json={"query": "x" * 2**20}).status_code == 413
