"""Clients that are slow, endless or too many are disconnected; the others are served."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection

import pytest

from mock_api.process import ROOT
from utils.crag_api import CragClient
from utils.deadline import Deadline

pytestmark = pytest.mark.clock  # each waits for a server, within ten times what it takes
SECONDS = 0.5  # that the server waits for a client
MOST = 8  # connections
SERVER = """
import sys, mock_api.connections as limits, mock_api.__main__ as server
limits.CLIENT_SECONDS, limits.MAX_CONNECTIONS = map(float, sys.argv[1:])
server.main(["--port", "0", "--until-eof"])
"""
HEAD = b"POST /open/get_entity HTTP/1.1\r\nHost: x\r\n"
SLOW = {
    "silence": (b"", b""),
    "headers": (HEAD, b"X: x\r\n"),
    "body": (HEAD + b"Content-Length: 500\r\n\r\n", b"x"),
    "chunks": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "blank lines after a response": (b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n", b"\r\n"),
    "a refused body": (HEAD + b"Content-Length: 9000000\r\n\r\n" + b"x" * 2**21, b"x"),
}


@contextmanager
def serving(seconds: float) -> Iterator[int]:
    """The port of a server that waits `seconds` for a client and has `MOST` connections."""
    command = [sys.executable, "-c", SERVER, str(seconds), str(MOST)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as server:
        assert server.stdout is not None
        yield int(server.stdout.readline().strip().rpartition(":")[2])
        server.terminate()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving(SECONDS) as port:
        yield port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=20 * SECONDS)


def is_closed(client: socket.socket) -> bool:
    """Whether the server has closed the connection; what it sent before is read."""
    client.settimeout(0.02)
    try:
        return not client.recv(2**16)
    except TimeoutError:
        return False
    except OSError:
        return True


def served(port: int) -> bool:
    with CragClient(f"http://127.0.0.1:{port}", retries=0) as client:
        found = client.call("movie_get_year_info", query="1998", deadline=Deadline.after(10))
    return found is None or isinstance(found, dict)


def test_it_listens_on_this_machine_only(port: int) -> None:
    """Another address of this machine stands for one that other machines can reach."""
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", port), timeout=5)
    assert served(port)


@pytest.mark.parametrize(("start", "drip"), SLOW.values(), ids=SLOW)
def test_a_request_that_never_ends_is_cut_off(port: int, start: bytes, drip: bytes) -> None:
    begun = time.monotonic()
    with connect(port) as client, suppress(OSError):
        client.sendall(start)
        while not is_closed(client):
            client.sendall(drip)
            assert time.monotonic() - begun < 20 * SECONDS, "still open"
    assert served(port)


def test_a_client_that_reads_no_response_is_cut_off(port: int) -> None:
    request = HEAD.replace(b"POST /open/get_entity", b"GET /openapi.json") + b"\r\n"
    with connect(port) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(request * 300)
        time.sleep(3 * SECONDS)
        with pytest.raises(OSError):
            for _ in range(20):  # the first that meets a closed connection gets no error
                client.sendall(request)
                time.sleep(0.01)
    assert served(port)


@pytest.mark.parametrize("endless", [b"x", b"%d: x\r\n" % 10**9], ids=["one", "many"])
def test_headers_without_end_are_cut_off_before_memory_is_full(port: int, endless: bytes) -> None:
    sent = 0
    with connect(port) as client, pytest.raises(OSError):
        client.sendall(HEAD)
        while sent < 2**27:
            client.sendall(endless * (2**16 // len(endless)))
            sent += 2**16
    assert sent < 2**24
    assert served(port)


def test_connections_over_the_limit_are_refused_and_the_others_served() -> None:
    with serving(1000) as port, ExitStack() as stack:
        slow = [stack.enter_context(connect(port)) for _ in range(MOST - 1)]
        assert served(port), "one connection is left"
        more = [stack.enter_context(connect(port)) for _ in range(MOST)]
        start = time.monotonic()
        while sum(map(is_closed, more)) < MOST - 1:
            assert time.monotonic() - start < 20 * SECONDS, "still open"
        assert not any(map(is_closed, slow))


def test_a_client_that_is_in_time_is_served(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    large_headers = {"X": "x" * 30_000}
    large_body = b"[" + b" " * 999_998 + b"]"
    with closing(connection):
        for _ in range(3):
            connection.request("POST", "/open/get_entity", large_body, large_headers)
            response = connection.getresponse()
            assert response.status == 422
            assert response.read()
            time.sleep(SECONDS / 2)
