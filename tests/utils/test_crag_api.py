"""The client against a real server on this machine that is well, down, slow or wrong."""

import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from tests.models.systems.clocks import Clock
from tests.utils.scripted_api import PATH, Reply, Scripted, cut_short, echo, send, soon
from utils.crag_api import CRAG, ApiCall, CragClient
from utils.deadline import Deadline
from utils.errors import (
    ApiError,
    ApiGarbage,
    ApiRejected,
    ApiUnavailable,
    DeadlineExceeded,
    SettingsError,
)


@pytest.fixture
def client(server: Scripted) -> Iterator[CragClient]:
    with CragClient(server.url) as client:
        yield client


def test_any_text_is_sent_and_the_result_is_what_stands_under_result(
    server: Scripted, client: CragClient
) -> None:
    hostile = "x' or '1'='1\x00\ud800 é 株"
    assert client.call(PATH, deadline=soon(), query=hostile) == {"asked": {"query": hostile}}
    assert server.asked == [(PATH, {"query": hostile})]


def test_a_login_in_the_address_is_sent(server: Scripted) -> None:
    with CragClient(server.url.replace("http://", "http://me:p%40ss@")) as client:
        client.call(PATH, deadline=soon(), query="Oslo")
    sent = server.handlers[0].headers["Authorization"]
    assert sent == "Basic " + b64encode(b"me:p@ss").decode()


def test_wrong_or_late_calls_are_not_sent(server: Scripted, client: CragClient) -> None:
    with pytest.raises(ApiRejected):
        client.call(PATH, deadline=soon(), query=5)
    with pytest.raises(DeadlineExceeded):
        client.call(PATH, deadline=Deadline.after(0.0), query="Oslo")
    assert server.asked == []


@pytest.mark.parametrize(
    ("failures", "seconds", "slept"),
    [
        ([send(b"oh", 500), cut_short], 100.0, [0.1, 0.2]),
        ([send(b"oh", 500)] * 9, 100.0, [0.1, 0.2, 0.4]),
        ([send(b"oh", 500)] * 9, 0.25, [0.1]),
    ],
    ids=["passes", "retries end", "no pause goes past the deadline"],
)
def test_a_failed_call_is_tried_again_with_growing_pauses(
    server: Scripted, failures: list[Reply], seconds: float, slept: list[float]
) -> None:
    server.replies, clock, pauses = [*failures, echo], Clock(), list[float]()

    def sleep(pause: float) -> None:
        pauses.append(clock.after(pause, pause))

    with CragClient(server.url, retries=3, sleep=sleep) as client:
        call = ApiCall(PATH, {"query": "Oslo"})
        (found,) = client.call_many([call], deadline=Deadline(seconds, clock))
    assert pauses == slept and len(server.asked) == len(slept) + 1
    assert isinstance(found, ApiUnavailable) is (len(failures) > 2)


@pytest.mark.parametrize(
    ("status", "content", "kind", "why"),
    [
        (422, b'{"detail": "year out of range"}', ApiRejected, "422.*out of range"),
        (307, b"", ApiGarbage, "307"),  # no redirect is followed
        (200, b"", ApiGarbage, "not JSON"),
        (200, b'{"result":' + b"[" * 200_000, ApiGarbage, "not JSON"),
        (200, b"[]", ApiGarbage, "is not"),
        (200, b"{}", ApiGarbage, "is not"),
    ],
)
def test_a_refusal_or_garbage_is_final_tells_why_and_is_not_cached(
    server: Scripted, client: CragClient, status: int, content: bytes, kind: Any, why: str
) -> None:
    server.replies = [send(content, status), echo]
    with pytest.raises(kind, match=why):
        client.call(PATH, deadline=soon(), query="Oslo")
    assert len(server.asked) == 1
    assert client.call(PATH, deadline=soon(), query="Oslo")


@pytest.mark.parametrize(
    "address", ["", "127.0.0.1:8000", "ftp://127.0.0.1", "http://", "http://h:x", "http://h:99999"]
)
def test_an_address_that_is_none_is_refused_at_once(address: str) -> None:
    with pytest.raises(SettingsError, match="not the address of a server"):
        CragClient(address)


def test_many_calls_come_back_in_order_and_fail_alone(server: Scripted) -> None:
    def picky(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        (send(b"no", 404) if body["query"] == "bad" else echo)(handler, body)

    server.replies = [picky]
    asked = [*(f"entry {i}" for i in range(40)), "bad"]
    calls = [ApiCall(PATH, {"query": query}) for query in asked] + [
        ApiCall("open_get_all"),
        ApiCall(PATH),
    ]
    with CragClient(server.url) as client:
        found = client.call_many(calls, deadline=soon())
    assert found[:40] == [{"asked": {"query": query}} for query in asked[:40]]
    assert [type(item) for item in found[40:]] == [ApiRejected] * 3


def test_a_hit_sends_nothing_and_is_a_copy(server: Scripted, client: CragClient) -> None:
    first = client.call(PATH, deadline=soon(), query="Oslo")
    first["asked"]["query"] = "spoilt"
    second = client.call("open_get_entity", deadline=soon(), entity="Oslo")
    assert second == {"asked": {"query": "Oslo"}}
    assert len(server.asked) == 1


def test_the_cache_drops_the_oldest(server: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("utils.crag_api.MAX_CACHE_BYTES", 1300)  # two responses
    with CragClient(server.url) as client:
        for query in ("a", "b", "a", "c", "a", "b"):
            client.call(PATH, deadline=soon(), query=query)
    assert [body["query"] for _, body in server.asked] == ["a", "b", "c", "b"]


def test_parallel_calls_share_a_limit_of_bytes(server: Scripted) -> None:
    server.replies = [send(b'{"result": "' + b"x" * (7 * 2**20) + b'"}')]
    with CragClient(server.url) as client:
        calls = [ApiCall(PATH, {"query": str(index)}) for index in range(6)]
        found = client.call_many(calls, deadline=soon())
    failed = [str(value) for value in found if isinstance(value, ApiGarbage)]
    assert 2 <= len(failed) <= 5
    assert all("over 32 MiB with calls beside it" in text for text in failed)


@pytest.mark.clock
def test_hung_calls_delay_neither_later_ones_nor_the_end_of_the_process(server: Scripted) -> None:
    well = threading.Event()

    def drip_head(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if well.is_set():
            return echo(handler, body)
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not server.ended.wait(0.02):
            handler.wfile.write(b"X")

    server.replies = [drip_head]
    calls = [ApiCall(PATH, {"query": str(i)}) for i in range(40)]
    with CragClient(server.url) as client:
        started = time.monotonic()
        found = client.call_many(calls, deadline=Deadline.after(0.5))
        assert [type(item) for item in found] == [ApiUnavailable] * 40
        hung = [each for each in threading.enumerate() if each.name.startswith("crag-api")]
        assert hung and all(each.daemon for each in hung)
        with pytest.raises(DeadlineExceeded):
            client.call(PATH, deadline=Deadline.after(0.3), query="Oslo")
        well.set()
        found = client.call_many(calls, deadline=soon())
        assert not any(isinstance(item, ApiError) for item in found)
        assert time.monotonic() - started < 10.0


def test_the_drop_in_has_the_tables_methods_and_returns_the_whole_answer(
    server: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRAG_MOCK_API_URL", server.url)
    api = CRAG()
    assert api.open_get_entity("Oslo") == {"result": {"asked": {"query": "Oslo"}}}
    api.sports_soccer_get_games_on_date("2024-03", team_name="Ferns")
    assert server.asked[1][1] == {"date": "2024-03", "team_name": "Ferns"}
    api.music_get_billboard_rank_date(3, None)
    assert server.asked[2][1] == {"rank": 3}
    with pytest.raises(AttributeError, match="movie_get_everything"):
        api.movie_get_everything("x")
    with pytest.raises(TypeError, match="too many positional"):
        api.movie_get_year_info("1999", "2000")
    with pytest.raises(TypeError, match="multiple values"):
        api.movie_get_year_info("1999", year="2000")
    monkeypatch.delenv("CRAG_MOCK_API_URL")
    assert CRAG().server == "http://127.0.0.1:8000"
    assert CRAG("http://127.0.0.1:10").server == "http://127.0.0.1:10"
