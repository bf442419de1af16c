"""The client against a KG API that hangs, drips or sends without end: deadlines hold."""

import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.utils.scripted_api import PATH, FakeClock, Scripted, echo, send, soon
from utils.crag_api import Call, CragClient
from utils.deadline import Deadline
from utils.errors import (
    ApiError,
    ApiGarbage,
    ApiUnavailable,
    DeadlineExceeded,
)

ROOT = Path(__file__).resolve().parents[2]


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
        assert [type(item) for item in found] == [ApiUnavailable] * 40
        with pytest.raises(DeadlineExceeded):
            client.call(PATH, deadline=Deadline.after(0.3), query="Oslo")
        assert time.monotonic() - started < 5.0
        well.set()
        started = time.monotonic()
        assert client.call(PATH, deadline=Deadline.after(30.0), query="Oslo")
        found = client.call_many(calls, deadline=Deadline.after(30.0))
        assert time.monotonic() - started < 5.0
        assert not any(isinstance(item, ApiError) for item in found)


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
