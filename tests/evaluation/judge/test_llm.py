"""The LLM judge against a real HTTP server in this process."""

import json
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from evaluation.judge.llm import LlmJudge
from evaluation.judge.protocol import Item, Verdict

Reply = tuple[int, dict[str, str], str]


def chat(content: str | None) -> Reply:
    body = {"choices": [{"message": {"role": "assistant", "content": content}}]}
    return 200, {}, json.dumps(body)


@dataclass
class Server:
    """A chat endpoint that answers by `script` and keeps what it was asked."""

    script: Callable[[int, dict[str, Any]], Reply | None]
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


@contextmanager
def serving(script: Callable[[int, dict[str, Any]], Reply | None]) -> Iterator[Server]:
    state = Server(script)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with state.lock:
                number = len(state.bodies)
                state.bodies.append(body)
                state.headers.append(dict(self.headers))
                state.paths.append(self.path)
            reply = state.script(number, body)
            if reply is None:  # hang up without an answer
                self.close_connection = True
                return
            status, headers, text = reply
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        request_queue_size = 64

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a client that has timed out is part of the tests

    server = Quiet(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def item(prediction: str = "the port of oster", id: str = "1") -> Item:
    return Item(id, "which town is the capital of veldmark?", ("oster",), prediction)


def make(server: Server, **options: Any) -> tuple[LlmJudge, list[float]]:
    waits: list[float] = []
    judge = LlmJudge(server.url + "/", "grader", sleep=waits.append, timeout=5.0, **options)
    return judge, waits


@pytest.mark.parametrize(
    ("content", "verdict"),
    [
        ('{"verdict": "accurate"}', Verdict.CORRECT),
        ('{"verdict": "incorrect"}', Verdict.WRONG),
        ('{"verdict": "missing"}', Verdict.MISSING),
        ('Sure!\n```json\n{"Accuracy": "True"}\n```', Verdict.CORRECT),
    ],
)
def test_verdicts(content: str, verdict: Verdict) -> None:
    with serving(lambda n, body: chat(content)) as server:
        judge, waits = make(server, api_key="secret")
        [judgement] = judge.judge([item()])
    assert judgement.verdict is verdict
    assert not judgement.failed
    assert waits == []
    [body] = server.bodies
    assert body["model"] == "grader"
    assert body["temperature"] == 0
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["Authorization"] == "Bearer secret"


def test_no_key_sends_none() -> None:
    with serving(lambda n, body: chat('{"verdict": "accurate"}')) as server:
        make(server)[0].judge([item()])
    assert "Authorization" not in server.headers[0]


def test_what_needs_no_model_sends_nothing() -> None:
    items = [
        item("Oster."),
        item("I don’t know"),
        item("invalid question"),
        Item("4", "when did it fly?", ("invalid question",), "in 1999"),
    ]
    with serving(lambda n, body: chat('{"verdict": "accurate"}')) as server:
        judgements = make(server)[0].judge(items)
    assert [judgement.verdict for judgement in judgements] == [
        Verdict.CORRECT,
        Verdict.MISSING,
        Verdict.WRONG,
        Verdict.WRONG,
    ]
    assert server.bodies == []


@pytest.mark.parametrize("bad", [(429, {}, "slow down"), (500, {}, ""), (503, {}, "x"), None])
def test_tries_again(bad: Reply | None) -> None:
    def script(number: int, body: dict[str, Any]) -> Reply | None:
        return bad if number < 2 else chat('{"verdict": "accurate"}')

    with serving(script) as server:
        judge, waits = make(server)
        [judgement] = judge.judge([item()])
    assert judgement.verdict is Verdict.CORRECT
    assert len(server.bodies) == 3
    assert waits == [1.0, 2.0]


def test_waits_as_long_as_asked() -> None:
    def script(number: int, body: dict[str, Any]) -> Reply:
        return (429, {"Retry-After": "17"}, "") if number == 0 else chat("accurate")

    with serving(script) as server:
        judge, waits = make(server)
        judge.judge([item()])
    assert waits == [17.0]


def test_gives_up_after_its_attempts() -> None:
    with serving(lambda n, body: (500, {}, "broken")) as server:
        judge, waits = make(server, attempts=3)
        [judgement] = judge.judge([item()])
    assert judgement.failed
    assert judgement.verdict is Verdict.UNSCORED
    assert "500" in judgement.reason
    assert len(server.bodies) == 3
    assert waits == [1.0, 2.0]


@pytest.mark.parametrize(
    "reply",
    [
        (401, {}, "no such key"),
        (400, {}, "bad"),
        (200, {}, "not json"),
        (200, {}, '{"choices": []}'),
        chat(None),
        chat("I would rather not say."),
        chat(""),
    ],
)
def test_failure_is_apart_and_not_tried_again(reply: Reply) -> None:
    with serving(lambda n, body: reply) as server:
        judge, _ = make(server)
        [judgement] = judge.judge([item()])
    assert judgement.failed
    assert judgement.verdict is Verdict.UNSCORED
    assert len(server.bodies) == 1


def test_nobody_listening() -> None:
    with serving(lambda n, body: chat("accurate")) as server:
        pass
    judge, waits = make(server, attempts=2)
    [judgement] = judge.judge([item()])
    assert judgement.failed
    assert "ConnectionError" in judgement.reason
    assert waits == [1.0]


def test_a_silent_server_times_out() -> None:
    done = threading.Event()

    def script(number: int, body: dict[str, Any]) -> Reply:
        done.wait(10.0)
        return chat("accurate")

    with serving(script) as server:
        judge = LlmJudge(server.url, "grader", timeout=0.05, attempts=1, sleep=lambda wait: None)
        [judgement] = judge.judge([item()])
        done.set()
    assert judgement.failed
    assert "Timeout" in judgement.reason


def test_order_is_kept_and_one_failure_stays_alone() -> None:
    def script(number: int, body: dict[str, Any]) -> Reply:
        text = body["messages"][1]["content"]
        if "town 13" in text:
            return 400, {}, "no"
        return chat('{"verdict": "%s"}' % ("accurate" if "town 2" in text else "incorrect"))

    items = [item(f"town {n}", str(n)) for n in range(30)]
    with serving(script) as server:
        judgements = make(server)[0].judge(items)
    assert len(server.bodies) == 30
    assert [n for n, judgement in enumerate(judgements) if judgement.failed] == [13]
    right = [n for n, j in enumerate(judgements) if j.verdict is Verdict.CORRECT]
    assert right == [2, *range(20, 30)]


def test_requests_run_side_by_side() -> None:
    meet = threading.Barrier(4, timeout=10.0)

    def script(number: int, body: dict[str, Any]) -> Reply:
        meet.wait()  # breaks unless four requests are under way at once
        return chat("accurate")

    with serving(script) as server:
        judgements = make(server, workers=4)[0].judge([item(f"town {n}") for n in range(4)])
    assert [judgement.verdict for judgement in judgements] == [Verdict.CORRECT] * 4


def test_cache_saves_requests(tmp_path: Path) -> None:
    cache = tmp_path / "new" / "verdicts.sqlite"
    items = [item("port of oster"), item("lindmouth")]
    with serving(lambda n, body: chat('{"verdict": "incorrect"}')) as server:
        first = make(server, cache=cache)[0].judge(items)
        again = make(server, cache=cache)[0].judge(items)
        assert len(server.bodies) == 2
        make(server, cache=cache)[0].judge([item("port of tarn")])
        assert len(server.bodies) == 3
        LlmJudge(server.url, "another", cache=cache).judge(items[:1])
        assert len(server.bodies) == 4
    assert [j.verdict for j in first] == [j.verdict for j in again] == [Verdict.WRONG] * 2


def test_failures_are_not_kept(tmp_path: Path) -> None:
    cache = tmp_path / "verdicts.sqlite"

    def script(number: int, body: dict[str, Any]) -> Reply:
        return chat("no idea what to say" if number == 0 else "accurate")

    with serving(script) as server:
        assert make(server, cache=cache)[0].judge([item()])[0].failed
        assert make(server, cache=cache)[0].judge([item()])[0].verdict is Verdict.CORRECT


def test_an_interrupted_run_keeps_what_it_had(tmp_path: Path) -> None:
    cache = tmp_path / "verdicts.sqlite"

    def script(number: int, body: dict[str, Any]) -> Reply:
        return chat("accurate") if number < 3 else (400, {}, "stopped")

    items = [item(f"town {n}") for n in range(6)]
    with serving(script) as server:
        make(server, cache=cache, workers=1)[0].judge(items)
        server.script = lambda n, body: chat("incorrect")
        judgements = make(server, cache=cache, workers=1)[0].judge(items)
    assert [j.verdict for j in judgements] == [Verdict.CORRECT] * 3 + [Verdict.WRONG] * 3


def test_a_dead_endpoint_costs_no_batch_its_waits() -> None:
    with serving(lambda n, body: chat("accurate")) as server:
        pass
    judge, waits = make(server, attempts=5, broken=3, workers=1)
    judgements = judge.judge([item(f"town {n}") for n in range(50)])
    assert all(judgement.failed for judgement in judgements)
    assert len(waits) == 2  # the third broken connection is the last that is tried
    assert "nobody answers" in judgements[-1].reason


def test_the_next_batch_tries_a_dead_endpoint_again() -> None:
    with serving(lambda n, body: None if n < 2 else chat("accurate")) as server:
        judge, _ = make(server, attempts=1, broken=2, workers=1)
        first = judge.judge([item(f"town {n}") for n in range(4)])
        again = judge.judge([item()])
    assert all(judgement.failed for judgement in first)
    assert again[0].verdict is Verdict.CORRECT


def test_an_answer_that_nests_without_end_fails_alone() -> None:
    deep = "[" * 200_000

    def script(number: int, body: dict[str, Any]) -> Reply:
        return (200, {}, deep) if number == 0 else chat("accurate")

    with serving(script) as server:
        judgements = make(server, workers=1)[0].judge([item("town 1"), item("town 2")])
    assert judgements[0].failed
    assert judgements[1].verdict is Verdict.CORRECT


def test_a_cache_that_cannot_be_written_spoils_no_verdict(tmp_path: Path) -> None:
    cache = tmp_path / "verdicts.sqlite"
    with serving(lambda n, body: chat("accurate")) as server:
        judge, _ = make(server, cache=cache)
        with sqlite3.connect(cache) as db:
            db.execute(
                "CREATE TRIGGER t BEFORE INSERT ON verdicts BEGIN SELECT RAISE(ABORT, ''); END"
            )
        [judgement] = judge.judge([item()])
    assert judgement.verdict is Verdict.CORRECT
    assert not judgement.failed


def test_a_cache_that_cannot_be_read_fails_items(tmp_path: Path) -> None:
    cache = tmp_path / "verdicts.sqlite"
    with serving(lambda n, body: chat("accurate")) as server:
        judge, _ = make(server, cache=cache)
        with sqlite3.connect(cache) as db:
            db.execute("DROP TABLE verdicts")
        [judgement] = judge.judge([item()])
    assert judgement.failed


def test_an_answer_that_trickles_is_cut_off() -> None:
    stop = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def trickle() -> None:
        peer, _ = listener.accept()
        with peer:
            peer.recv(65536)
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            while not stop.wait(0.01):
                try:
                    peer.sendall(b" ")
                except OSError:
                    return

    thread = threading.Thread(target=trickle)
    thread.start()
    try:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        judge = LlmJudge(url, "grader", timeout=0.2, attempts=1, sleep=lambda wait: None)
        [judgement] = judge.judge([item()])
    finally:
        stop.set()
        thread.join()
        listener.close()
    assert judgement.failed
    assert "Timeout" in judgement.reason
