"""The client against a real server on this machine that is well, down, slow, wrong or hostile."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from utils.crag_api import CRAG, MAX_RESPONSE_BYTES, Call, CragClient
from utils.deadline import Deadline
from utils.errors import (
    ApiError,
    ApiGarbage,
    ApiRejected,
    ApiUnavailable,
    DeadlineExceeded,
    SettingsError,
)

PATH = "/open/get_entity"
ROOT = Path(__file__).resolve().parents[2]
Reply = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


class FakeClock:
    """A clock that stands until told; `sleep` moves it and notes by how much."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass
class Scripted:
    """A server whose replies a test writes; the last one repeats. It notes what it was asked."""

    replies: list[Reply]
    url: str = ""
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def next_reply(self, path: str, body: dict[str, Any]) -> Reply:
        self.asked.append((path, body))
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@pytest.fixture
def server() -> Iterator[Scripted]:
    script = Scripted([echo])

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                script.next_reply(self.path, body)(self, body)
            except OSError:
                self.close_connection = True  # the client has left, as it should

        def log_message(self, format: str, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    script.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield script
    script.ended.set()
    http.shutdown()
    http.server_close()
    thread.join()


def send(content: bytes, status: int = 200) -> Reply:
    def reply(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return reply


def echo(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    send(json.dumps({"result": {"asked": body}}).encode())(handler, body)


def soon() -> Deadline:
    return Deadline.after(30.0)


def test_the_result_is_what_stands_under_result(server: Scripted) -> None:
    with CragClient(server.url) as client:
        found = client.call(PATH, deadline=soon(), query="Oslo")
    assert found == {"asked": {"query": "Oslo"}}
    assert server.asked == [(PATH, {"query": "Oslo"})]


def test_a_method_name_serves_as_well_as_a_path(server: Scripted) -> None:
    with CragClient(server.url + "/") as client:
        client.call("music_get_billboard_rank_date", deadline=soon(), rank=1, date=None)
    assert server.asked == [("/music/get_billboard_rank_date", {"rank": 1})]


def test_any_text_reaches_the_server(server: Scripted) -> None:
    hostile = "x' or '1'='1\x00\ud800 é 株"
    with CragClient(server.url) as client:
        client.call(PATH, deadline=soon(), query=hostile)
    assert server.asked[0][1] == {"query": hostile}


@pytest.mark.parametrize(
    ("endpoint", "params"),
    [("open_get_all", {}), (PATH, {}), (PATH, {"query": 5}), (PATH, {"query": "a", "n": 1})],
)
def test_a_wrong_call_is_refused_before_anything_is_sent(
    server: Scripted, endpoint: str, params: dict[str, Any]
) -> None:
    with CragClient(server.url) as client, pytest.raises(ApiRejected):
        client.call(endpoint, deadline=soon(), **params)
    assert server.asked == []


def test_nothing_is_sent_after_the_deadline(server: Scripted) -> None:
    with CragClient(server.url) as client, pytest.raises(DeadlineExceeded):
        client.call(PATH, deadline=Deadline.after(0.0), query="Oslo")
    assert server.asked == []


def test_a_5xx_is_tried_again_with_growing_pauses(server: Scripted) -> None:
    server.replies = [send(b"oh", 500), send(b"oh", 503), echo]
    clock = FakeClock()
    with CragClient(server.url, backoff_s=2.0, sleep=clock.sleep) as client:
        found = client.call(PATH, deadline=Deadline(100.0, clock), query="Oslo")
    assert found == {"asked": {"query": "Oslo"}}
    assert clock.slept == [2.0, 4.0]


def test_retries_end(server: Scripted) -> None:
    server.replies = [send(b"oh", 500)]
    clock = FakeClock()
    with (
        CragClient(server.url, retries=3, backoff_s=1.0, sleep=clock.sleep) as client,
        pytest.raises(ApiUnavailable, match="HTTP 500"),
    ):
        client.call(PATH, deadline=Deadline(100.0, clock), query="Oslo")
    assert len(server.asked) == 4
    assert clock.slept == [1.0, 2.0, 4.0]


def test_no_pause_goes_past_the_deadline(server: Scripted) -> None:
    server.replies = [send(b"oh", 500)]
    clock = FakeClock()
    with (
        CragClient(server.url, retries=9, backoff_s=10.0, sleep=clock.sleep) as client,
        pytest.raises(ApiUnavailable),
    ):
        client.call(PATH, deadline=Deadline(25.0, clock), query="Oslo")
    assert clock.slept == [10.0]


def test_a_server_that_is_down_is_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    clock = FakeClock()
    with (
        CragClient(f"http://127.0.0.1:{port}", sleep=clock.sleep) as client,
        pytest.raises(ApiUnavailable, match=PATH),
    ):
        client.call(PATH, deadline=Deadline(100.0, clock), query="Oslo")
    assert clock.slept == [0.1, 0.2]


def test_a_connection_cut_within_the_body_is_tried_again(server: Scripted) -> None:
    def cut(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"result": ')
        handler.close_connection = True

    server.replies = [cut, echo]
    clock = FakeClock()
    with CragClient(server.url, sleep=clock.sleep) as client:
        found = client.call(PATH, deadline=Deadline(100.0, clock), query="Oslo")
    assert found == {"asked": {"query": "Oslo"}}
    assert len(clock.slept) == 1


def test_a_4xx_is_final_and_tells_why(server: Scripted) -> None:
    server.replies = [send(b'{"detail": "year out of range"}', 422)]
    with CragClient(server.url) as client, pytest.raises(ApiRejected, match="422.*out of range"):
        client.call(PATH, deadline=soon(), query="Oslo")
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        b"\xff",
        b'{"result": 1',
        b'{"result":' + b"[" * 200_000,
        b'{"result": ' + b"9" * 5_000 + b"}",
    ],
)
def test_garbage_is_told_apart_and_not_tried_again(server: Scripted, content: bytes) -> None:
    server.replies = [send(content)]
    with CragClient(server.url) as client, pytest.raises(ApiGarbage):
        client.call(PATH, deadline=soon(), query="Oslo")
    assert len(server.asked) == 1


def test_a_redirect_is_not_followed(server: Scripted) -> None:
    server.replies = [send(b"", 307)]
    with CragClient(server.url) as client, pytest.raises(ApiGarbage, match="307"):
        client.call(PATH, deadline=soon(), query="Oslo")


def test_a_response_without_end_is_cut_off(server: Scripted) -> None:
    def endless(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.close_connection = True
        for _ in range(2 * MAX_RESPONSE_BYTES // 2**20):
            handler.wfile.write(bytes(2**20))

    server.replies = [endless]
    with CragClient(server.url) as client, pytest.raises(ApiGarbage, match="more than 8 MiB"):
        client.call(PATH, deadline=soon(), query="Oslo")


def test_calls_side_by_side_read_so_much_together(server: Scripted) -> None:
    server.replies = [send(b'{"result": "' + b"x" * (7 * 2**20) + b'"}')]
    with CragClient(server.url) as client:
        calls = [Call(PATH, {"query": str(index)}) for index in range(6)]
        found = client.call_many(calls, deadline=soon())
    failed = [str(value) for value in found if isinstance(value, ApiGarbage)]
    assert 2 <= len(failed) <= 5
    assert all("over 32 MiB with calls beside it" in text for text in failed)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_drips_in_does_not_outlast_the_deadline(
    server: Scripted, chunked: bool
) -> None:
    clock = FakeClock()

    def drip(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.send_response(200)
        kind = ("Transfer-Encoding", "chunked") if chunked else ("Content-Length", "100000")
        handler.send_header(*kind)
        handler.end_headers()
        while not server.ended.wait(0.001):
            clock.now += 1.0
            handler.wfile.write(b"1\r\n \r\n" if chunked else b" ")

    server.replies = [drip]
    with CragClient(server.url) as client, pytest.raises(DeadlineExceeded, match="no time left"):
        client.call(PATH, deadline=Deadline(20.0, clock), query="Oslo")


@pytest.mark.clock
@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200 OK\r\n"], ids=["silent", "headers drip"])
def test_a_server_that_never_answers_does_not_hold_the_caller(
    server: Scripted, said: bytes
) -> None:
    def stall(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.wfile.write(said)
        while not server.ended.wait(0.05):
            handler.wfile.write(b"X" if said else b"")

    server.replies = [stall]
    started = time.monotonic()
    with CragClient(server.url) as client, pytest.raises(DeadlineExceeded):
        client.call(PATH, deadline=Deadline.after(0.3), query="Oslo")
    assert time.monotonic() - started < 3.0


@pytest.mark.clock
def test_hung_calls_are_no_burden_to_later_ones(server: Scripted) -> None:
    well = threading.Event()

    def drip_head(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if well.is_set():
            return echo(handler, body)
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not server.ended.wait(0.02):
            handler.wfile.write(b"X")

    server.replies = [drip_head]
    calls = [Call(PATH, {"query": str(i)}) for i in range(40)]
    with CragClient(server.url, workers=16) as client:
        started = time.monotonic()
        found = client.call_many(calls, deadline=Deadline.after(0.5))
        assert time.monotonic() - started < 5.0
        assert [type(item) for item in found] == [ApiUnavailable] * 40
        well.set()
        started = time.monotonic()
        assert client.call(PATH, deadline=Deadline.after(30.0), query="Oslo")
        found = client.call_many(calls, deadline=Deadline.after(30.0))
        assert time.monotonic() - started < 5.0
        assert not any(isinstance(item, ApiError) for item in found)


@pytest.mark.clock
def test_a_call_that_waits_for_a_place_keeps_to_its_own_deadline(server: Scripted) -> None:
    def stall(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        server.ended.wait(60.0)
        handler.close_connection = True

    server.replies = [stall]
    with CragClient(server.url, workers=1, timeout_s=60.0) as client:
        first = threading.Thread(
            target=client.call_many,
            args=([Call(PATH, {"query": "a"})],),
            kwargs={"deadline": Deadline.after(60.0)},
            daemon=True,
        )
        first.start()
        while not server.asked:
            time.sleep(0.001)
        with pytest.raises(DeadlineExceeded):
            client.call(PATH, deadline=Deadline.after(0.2), query="b")
    server.ended.set()
    first.join(10.0)
    assert not first.is_alive()


@pytest.mark.clock
def test_a_hung_call_does_not_hold_up_the_end_of_its_process(server: Scripted) -> None:
    def stall(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        server.ended.wait(60.0)
        handler.close_connection = True

    server.replies = [stall]
    code = (
        "import sys, threading; from utils.crag_api import Call, CragClient\n"
        "from utils.deadline import Deadline\n"
        "client = CragClient(sys.argv[1], timeout_s=60.0)\n"
        "calls = [Call('open_get_entity', {'query': str(i)}) for i in range(8)]\n"
        "work = lambda: client.call_many(calls, deadline=Deadline.after(60.0))\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "sys.stdin.readline()\n"
    )
    command = [sys.executable, "-c", code, server.url]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, text=True) as process:
        while len(server.asked) < 8 and process.poll() is None:
            time.sleep(0.005)
        started = time.monotonic()
        process.communicate("end\n", timeout=30.0)
    assert process.returncode == 0
    assert len(server.asked) == 8
    assert time.monotonic() - started < 10.0


def test_connections_are_used_again_until_the_server_drops_them(server: Scripted) -> None:
    seen: list[Any] = []

    def note(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        seen.append(handler.client_address)
        echo(handler, body)

    def last(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        note(handler, body)
        handler.connection.shutdown(socket.SHUT_RDWR)  # unannounced
        handler.close_connection = True

    server.replies = [note, note, last, note]
    clock = FakeClock()
    with CragClient(server.url, cache_size=0, sleep=clock.sleep) as client:
        for query in "abcd":
            client.call(PATH, deadline=soon(), query=query)
    assert [body["query"] for _, body in server.asked][:3] == ["a", "b", "c"]
    assert len(set(seen[:3])) == 1
    assert seen[-1] != seen[0]


@pytest.mark.parametrize(
    "address", ["", "127.0.0.1:8000", "ftp://127.0.0.1", "http://", "http://h:x", "http://h:99999"]
)
def test_an_address_that_is_none_is_refused_at_once(address: str) -> None:
    with pytest.raises(SettingsError, match="not the address of a server"):
        CragClient(address)


def test_a_host_without_an_address_is_unavailable() -> None:
    clock = FakeClock()
    with (
        CragClient(f"http://{'x' * 64}", retries=0, sleep=clock.sleep) as client,
        pytest.raises(ApiUnavailable, match=PATH),
    ):
        client.call(PATH, deadline=soon(), query="Oslo")


def test_an_address_may_have_a_path(server: Scripted) -> None:
    with CragClient(f"{server.url}/behind/") as client:
        client.call(PATH, deadline=soon(), query="Oslo")
    assert server.asked == [("/behind" + PATH, {"query": "Oslo"})]


def test_many_calls_come_back_in_order_and_fail_alone(server: Scripted) -> None:
    def picky(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if body["query"] == "bad":
            send(b"no", 404)(handler, body)
        else:
            echo(handler, body)

    server.replies = [picky]
    asked = [*(f"entry {i}" for i in range(40)), "bad"]
    calls = [Call(PATH, {"query": query}) for query in asked] + [Call("open_get_all"), Call(PATH)]
    with CragClient(server.url, workers=4) as client:
        found = client.call_many(calls, deadline=soon())
    assert found[:40] == [{"asked": {"query": query}} for query in asked[:40]]
    assert [type(item) for item in found[40:]] == [ApiRejected] * 3


def test_calls_that_the_deadline_cuts_off_are_unavailable(server: Scripted) -> None:
    clock = FakeClock()

    def late(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        clock.now = 60.0
        send(b"oh", 500)(handler, body)

    server.replies = [late]
    with CragClient(server.url) as client:
        found = client.call_many([Call(PATH, {"query": "a"})] * 2, deadline=Deadline(50.0, clock))
    assert [type(item) for item in found] == [ApiUnavailable] * 2
    assert all(isinstance(item.__cause__, DeadlineExceeded) for item in found)


def test_a_hit_sends_nothing_and_is_a_value_of_its_own(server: Scripted) -> None:
    with CragClient(server.url) as client:
        first = client.call(PATH, deadline=soon(), query="Oslo")
        first["asked"]["query"] = "spoilt"
        second = client.call("open_get_entity", deadline=soon(), entity="Oslo")
    assert second == {"asked": {"query": "Oslo"}}
    assert len(server.asked) == 1


def test_the_cache_forgets_what_was_longest_unused(server: Scripted) -> None:
    with CragClient(server.url, cache_size=2) as client:
        for query in ("a", "b", "a", "c", "a", "b"):
            client.call(PATH, deadline=soon(), query=query)
    assert [body["query"] for _, body in server.asked] == ["a", "b", "c", "b"]


def test_no_failure_is_cached(server: Scripted) -> None:
    server.replies = [send(b"no", 404), send(b"?"), echo]
    found: list[Any] = []
    with CragClient(server.url) as client:
        for _ in range(3):
            found += client.call_many([Call(PATH, {"query": "Oslo"})], deadline=soon())
    assert [isinstance(item, ApiError) for item in found] == [True, True, False]


def test_a_cache_of_nothing_asks_every_time(server: Scripted) -> None:
    with CragClient(server.url, cache_size=0) as client:
        for _ in range(2):
            client.call(PATH, deadline=soon(), query="Oslo")
    assert len(server.asked) == 2


def test_a_closed_client_says_so(server: Scripted) -> None:
    client = CragClient(server.url)
    client.close()
    with pytest.raises(ApiUnavailable, match="closed"):
        client.call(PATH, deadline=soon(), query="Oslo")


def test_the_drop_in_returns_the_whole_answer(server: Scripted) -> None:
    api = CRAG(server.url)
    assert api.open_get_entity("Oslo") == {"result": {"asked": {"query": "Oslo"}}}
    api.sports_soccer_get_games_on_date("2024-03", team_name="Ferns")
    api.music_get_artist_all_works(song_name="Ann Example")
    api.music_grammy_get_all_awarded_artists()
    assert server.asked[1:] == [
        ("/sports/soccer/get_games_on_date", {"date": "2024-03", "team_name": "Ferns"}),
        ("/music/get_artist_all_works", {"query": "Ann Example"}),
        ("/music/grammy_get_all_awarded_artists", {}),
    ]


def test_the_drop_in_finds_its_server_as_the_official_one_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CRAG_MOCK_API_URL", raising=False)
    assert CRAG().server == "http://127.0.0.1:8000"
    monkeypatch.setenv("CRAG_MOCK_API_URL", "http://127.0.0.1:9")
    assert CRAG().server == "http://127.0.0.1:9"
    assert CRAG("http://127.0.0.1:10").server == "http://127.0.0.1:10"


def test_the_drop_in_has_the_tables_methods_and_no_others() -> None:
    api = CRAG("http://127.0.0.1:9")
    assert api.movie_get_year_info.__name__ == "movie_get_year_info"
    assert "movie_get_year_info" in dir(api)
    with pytest.raises(AttributeError, match="movie_get_everything"):
        api.movie_get_everything("x")
    with pytest.raises(TypeError, match="takes 1 arguments, 2 were given"):
        api.movie_get_year_info("1999", "2000")
    with pytest.raises(TypeError, match="got year twice"):
        api.movie_get_year_info("1999", year="2000")
