"""A KG API whose replies a test writes, and a clock that a test moves."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.models.systems.clocks import Clock
from utils.deadline import Deadline

PATH = "/open/get_entity"
Reply = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@dataclass
class FakeClock(Clock):
    """A clock whose `sleep` moves it and notes by how much."""

    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass
class Scripted:
    """A server whose replies a test writes; the last one repeats. It notes who asked what."""

    replies: list[Reply]
    url: str = ""
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    handlers: list[BaseHTTPRequestHandler] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def server() -> Iterator[Scripted]:
    script = Scripted([echo])

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.asked.append((self.path, body))
            script.handlers.append(self)
            reply = script.replies.pop(0) if len(script.replies) > 1 else script.replies[0]
            try:
                reply(self, body)
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


def cut_short(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Close the connection within the body."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"result": [')
    handler.close_connection = True


def echo(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    send(json.dumps({"result": {"asked": body}}).encode())(handler, body)


def soon() -> Deadline:
    return Deadline.after(30.0)
