"""The client against a local server that works, is down, is slow, or returns garbage."""

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


def test_any_text_is_sent_and_the_value_under_result_is_returned(
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
    ("failures", "seconds", "expected_pauses"),
    [
        ([send(b"oh", 500), cut_short], 100.0, [0.1, 0.2]),
        ([send(b"oh", 500)] * 9, 100.0, [0.1, 0.2, 0.4]),
        ([send(b"oh", 500)] * 9, 0.25, [0.1]),
    ],
    ids=["success", "no retries left", "no pause past the deadline"],
)
def test_a_failed_call_is_retried_after_growing_pauses(
    server: Scripted, failures: list[Reply], seconds: float, expected_pauses: list[float]
) -> None:
    server.replies = [*failures, echo]
    clock = Clock()
    pauses: list[float] = []

    def sleep(pause: float) -> None:
        pauses.append(clock.after(pause, pause))

    with CragClient(server.url, retries=3, sleep=sleep) as client:
        call = ApiCall(PATH, {"query": "Oslo"})
        (value,) = client.call_many([call], deadline=Deadline(seconds, clock))
    assert pauses == expected_pauses
    assert len(server.asked) == len(expected_pauses) + 1
    assert isinstance(value, ApiUnavailable) is (len(failures) > 2)


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
def test_a_refusal_or_garbage_gives_its_reason_and_is_neither_retried_nor_cached(
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
def test_a_url_that_is_not_a_servers_is_refused_at_once(address: str) -> None:
    with pytest.raises(SettingsError, match="not the address of a server"):
        CragClient(address)


def test_many_calls_come_back_in_order_and_fail_alone(server: Scripted) -> None:
    def picky(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        reply = send(b"no", 404) if body["query"] == "bad" else echo
        reply(handler, body)

    server.replies = [picky]
    good_queries = [f"entry {i}" for i in range(40)]
    calls = [ApiCall(PATH, {"query": query}) for query in [*good_queries, "bad"]]
    calls += [ApiCall("open_get_all"), ApiCall(PATH)]
    with CragClient(server.url) as client:
        values = client.call_many(calls, deadline=soon())
    assert values[:40] == [{"asked": {"query": query}} for query in good_queries]
    assert [type(value) for value in values[40:]] == [ApiRejected] * 3


def test_a_cached_value_is_a_copy_and_nothing_is_sent(server: Scripted, client: CragClient) -> None:
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
        values = client.call_many(calls, deadline=soon())
    errors = [str(value) for value in values if isinstance(value, ApiGarbage)]
    assert 2 <= len(errors) <= 5
    assert all("responses of parallel calls exceed 32 MiB together" in text for text in errors)


@pytest.mark.clock
def test_hung_calls_delay_neither_later_calls_nor_the_exit_of_the_process(server: Scripted) -> None:
    recovered = threading.Event()

    def drip_head(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if recovered.is_set():
            return echo(handler, body)
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not server.ended.wait(0.02):
            handler.wfile.write(b"X")

    server.replies = [drip_head]
    calls = [ApiCall(PATH, {"query": str(i)}) for i in range(40)]
    with CragClient(server.url) as client:
        started = time.monotonic()
        values = client.call_many(calls, deadline=Deadline.after(0.5))
        assert [type(value) for value in values] == [ApiUnavailable] * 40
        hung_threads = [t for t in threading.enumerate() if t.name.startswith("crag-api")]
        assert hung_threads
        assert all(thread.daemon for thread in hung_threads)
        with pytest.raises(DeadlineExceeded):
            client.call(PATH, deadline=Deadline.after(0.3), query="Oslo")
        recovered.set()
        values = client.call_many(calls, deadline=soon())
        assert not any(isinstance(value, ApiError) for value in values)
        assert time.monotonic() - started < 10.0


def test_the_drop_in_has_the_methods_of_the_table_and_returns_complete_responses(
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
    api.music_get_billboard_rank_date("1", 2020)
    assert server.asked[3][1] == {"rank": 1, "date": "2020"}
    monkeypatch.delenv("CRAG_MOCK_API_URL")
    monkeypatch.setenv("CRAG_SERVER", "http://127.0.0.1:9")
    assert CRAG().server == "http://127.0.0.1:9"
    monkeypatch.delenv("CRAG_SERVER")
    assert CRAG().server == "http://127.0.0.1:8000"
    assert CRAG("http://127.0.0.1:10").server == "http://127.0.0.1:10"
