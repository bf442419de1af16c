"""A KG API whose replies a test writes."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from utils.deadline import Deadline

PATH = "/open/get_entity"
Reply = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@dataclass
class Scripted:
    """A server whose replies a test writes; the last one repeats. It records the requests."""

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
            reply = script.replies[0]
            if len(script.replies) > 1:
                script.replies.pop(0)
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


def begin(handler: BaseHTTPRequestHandler, length: int | None = None, status: int = 200) -> None:
    """The head of a response whose body has that length, or ends with its connection."""
    handler.send_response(status)
    header = ("Connection", "close") if length is None else ("Content-Length", str(length))
    handler.send_header(*header)
    handler.end_headers()


def send(content: bytes, status: int = 200) -> Reply:
    def reply(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        begin(handler, len(content), status)
        handler.wfile.write(content)

    return reply


def cut_short(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Close the connection within the body."""
    begin(handler, 1000)
    handler.wfile.write(b'{"result": [')
    handler.close_connection = True


def echo(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    send(json.dumps({"result": {"asked": body}}).encode())(handler, body)


def soon() -> Deadline:
    return Deadline.after(30.0)
