"""A small OpenAI-compatible server that replies as each test says."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[["Handler", dict[str, Any]], None]


class Handler(BaseHTTPRequestHandler):
    """Records each request, and gives the replies of a test in turn; the last one repeats."""

    server: "Fake"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        if not self.tell():
            self.send_json(200, {"data": [{"id": name} for name in self.server.models]})

    def tell(self) -> bool:
        """Whether the path is one at which the server says something of itself."""
        about = self.server.about.get(self.path.partition("?")[0])
        if callable(about):
            about(self)
        elif about is not None:
            self.send_json(200, about)
        return about is not None

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.tell():
            return
        if not self.path.partition("?")[0].endswith("/chat/completions"):
            self.send_json(404, {"error": "no such path"})
            return
        with self.server.lock:
            self.server.bodies.append(body)
            self.server.headers.append(self.headers)
            number = len(self.server.bodies) - 1
        replies = self.server.replies
        replies[min(number, len(replies) - 1)](self, body)

    def send_json(self, status: int, value: Any, **headers: str) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        for name, header in headers.items():
            self.send_header(name.replace("_", "-"), header)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()

    def send_event(self, text: str) -> None:
        self.wfile.write(b"data: " + json.dumps(chunk(content=text)).encode() + b"\n\n")
        self.wfile.flush()


class Fake(ThreadingHTTPServer):
    """The server, with the bodies and headers of its requests."""

    daemon_threads = True

    def __init__(
        self, replies: Sequence[Reply], models: Sequence[str], about: Mapping[str, Any]
    ) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.about = about
        self.replies = replies
        self.models = models
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.lock = threading.Lock()
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that left at its deadline


@contextmanager
def fake_server(
    *replies: Reply,
    models: Sequence[str] = ("base", "lora", "grader"),
    about: Mapping[str, Any] | None = None,
) -> Iterator[Fake]:
    """A running server with these replies.

    It lists `models`; what it says of itself at other paths is in `about`, as JSON or
    as a function that replies.
    """
    server = Fake(replies, models, about or {})
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()


def streams(*events: object) -> Reply:
    """These events, unchanged, and the end of the stream."""

    def reply(handler: Handler, body: dict[str, Any]) -> None:
        handler.begin_stream()
        for event in events:
            data = event if isinstance(event, str) else json.dumps(event)
            handler.wfile.write(b"data: " + data.encode() + b"\n\n")
        handler.wfile.write(b"data: [DONE]\n\n")

    return reply


def chunk(reason: str | None = None, **delta: object) -> dict[str, Any]:
    """An event of a stream."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def says(text: str) -> Reply:
    """A complete answer."""
    return streams(chunk(content=text), chunk("stop"))


def breaks_off(text: str) -> Reply:
    """The beginning of an answer, and the end of the connection."""

    def reply(handler: Handler, body: dict[str, Any]) -> None:
        handler.begin_stream()
        handler.send_event(text)

    return reply


def hangs(text: str = "") -> Reply:
    """The beginning of an answer, and then nothing."""

    def reply(handler: Handler, body: dict[str, Any]) -> None:
        if text:
            handler.begin_stream()
            handler.send_event(text)
        handler.server.over.wait(30)

    return reply


def refuses(status: int, message: str = "no", **headers: str) -> Reply:
    """An error with an HTTP status."""

    def reply(handler: Handler, body: dict[str, Any]) -> None:
        handler.send_json(status, {"error": {"message": message}}, **headers)

    return reply


def obeys(known: str) -> Reply:
    """An answer that satisfies a constraint in the field `known`; other fields are ignored."""

    def reply(handler: Handler, body: dict[str, Any]) -> None:
        text = "hello"
        if known in body:
            text = "zq7 amber" if "zq7" in json.dumps(body) else "music"
        says(text)(handler, body)

    return reply
