"""The whole path under faults: always as many answers as questions, in time, each fault counted.

A good question stands beside the bad ones in every batch, and is answered all the same.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from models.records import IDK, Task
from models.settings import Settings
from models.user_model import UserModel

GOOD = "how tall is the northport lighthouse?"
GOOD_PAGE = {
    "page_name": "Northport lighthouse",
    "page_url": "https://example.org/lighthouse",
    "page_snippet": "All about the lighthouse",
    "page_result": "<title>Northport lighthouse</title><p>The lighthouse is 41 metres tall.</p>",
    "page_last_modified": "",
}
GOOD_ANSWER = "41 metres"
KG_QUESTION = "who directed the movie the glass harbour?"

Reply = Callable[[BaseHTTPRequestHandler], None]


def first_kinds(model: UserModel) -> list[str | None]:
    """What failed first for each question of the last batch."""
    return [failures[0].kind if failures else None for failures in model.last_failures]


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def api(reply: Reply) -> Iterator[str]:
    """A KG API that answers every request as `reply` does."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            try:
                reply(self)
            except OSError:
                pass  # the client went away

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def batch(*asked: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    return {
        "interaction_id": [str(index) for index in range(len(asked))],
        "query": [query for query, _ in asked],
        "query_time": ["03/10/2024, 23:19:21 PT"] * len(asked),
        "search_results": [pages for _, pages in asked],
    }


def user_model(url: str | None, seconds: float = 30.0) -> UserModel:
    task = Task.KG_WEB if url else Task.WEB
    margin = min(2.0, seconds / 10)
    return UserModel(
        Settings(task=task, api_url=url, seconds_per_question=seconds, margin_s=margin)
    )


def page(html: str) -> dict[str, Any]:
    return {**GOOD_PAGE, "page_name": "x", "page_result": html}


PAGES = {
    "empty": [page("")],
    "no html": [{"page_name": "x"}],
    "binary": [page("".join(chr(value % 256) for value in range(200_000)))],
    "ten megabytes": [page("<p>" + "word and number 12 " * 550_000)],
    "deeply nested": [page("<div>" * 100_000 + "x" + "</div>" * 100_000)],
    "nested tables": [page("<table><tr><td>" * 3_000 + "x")],
    "one endless word": [page("x" * 1_000_000)],
    "duplicated": [GOOD_PAGE] * 50,
    "surrogates": [page("<p>\ud800\udfff</p>")],
    "attributes": [page("<p " + "a=1 " * 100_000 + ">x</p>")],
}


@pytest.mark.clock
@pytest.mark.parametrize("pages", PAGES.values(), ids=PAGES.keys())
def test_pages_of_every_kind(pages: list[dict[str, Any]]) -> None:
    started = time.monotonic()
    model = user_model(None)
    good = (GOOD, [GOOD_PAGE])
    asked = batch(good, ("what is the colour of the moon?", pages), good)
    assert model.batch_generate_answer(asked) == [GOOD_ANSWER, IDK, GOOD_ANSWER]
    assert set(model.failures) <= {"PageFailed"}  # an adversarial page may be skipped
    assert time.monotonic() - started < 30


def test_a_question_is_answered_from_among_broken_pages() -> None:
    broken = [shape[0] for name, shape in PAGES.items() if name != "duplicated"]
    answers = user_model(None).batch_generate_answer(batch((GOOD, [*broken, GOOD_PAGE])))
    assert answers == [GOOD_ANSWER]


def five_hundred(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 500, b"Internal Server Error")


def not_json(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 200, b"<html>surprise</html>")


def no_result(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 200, b'{"answer": 42}')


def wrong_shape(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 200, json.dumps({"result": [{"title": "The Glass Harbour", "crew": 5}]}).encode())


def forbidden(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 403, b"no")


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.close()


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (five_hundred, "ApiUnavailable"),
        (not_json, "ApiGarbage"),
        (no_result, "ApiGarbage"),
        (wrong_shape, "ApiGarbage"),
        (forbidden, "ApiRejected"),
        (hang_up, "ApiUnavailable"),
    ],
)
def test_a_kg_api_that_fails_costs_its_own_path_only(reply: Reply, kind: str) -> None:
    with api(reply) as url:
        model = user_model(url)
        answers = model.batch_generate_answer(batch((GOOD, [GOOD_PAGE]), (KG_QUESTION, [])))
    assert answers == [GOOD_ANSWER, IDK]
    assert set(model.failures) == {kind}
    assert first_kinds(model)[1] == kind


def test_a_kg_api_that_is_down() -> None:
    with api(five_hundred) as url:
        pass  # now nothing listens there
    model = user_model(url)
    answers = model.batch_generate_answer(batch((GOOD, [GOOD_PAGE]), (KG_QUESTION, [])))
    assert answers == [GOOD_ANSWER, IDK]
    assert first_kinds(model) == ["ApiUnavailable", "ApiUnavailable"]


@pytest.mark.clock
def test_a_kg_api_that_never_answers_leaves_time_for_the_pages() -> None:
    stop = threading.Event()

    def slow(handler: BaseHTTPRequestHandler) -> None:
        stop.wait(60)

    started = time.monotonic()
    with api(slow) as url:
        model = user_model(url, seconds=4.0)
        answers = model.batch_generate_answer(batch((GOOD, [GOOD_PAGE]), (KG_QUESTION, [])))
        stop.set()
    assert answers == [GOOD_ANSWER, IDK]
    assert first_kinds(model) == ["DeadlineExceeded", "DeadlineExceeded"]
    assert time.monotonic() - started < 40  # 8 s, and slack


@pytest.mark.clock
def test_a_kg_api_that_drips_its_answer_is_left_at_the_deadline() -> None:
    stop = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not stop.wait(0.05):
            handler.wfile.write(b" ")

    started = time.monotonic()
    with api(drip) as url:
        model = user_model(url, seconds=2.0)
        answers = model.batch_generate_answer(batch((KG_QUESTION, [GOOD_PAGE])))
        stop.set()
    assert answers == [IDK]
    assert first_kinds(model) == ["DeadlineExceeded"]
    assert time.monotonic() - started < 20


@pytest.mark.clock
def test_a_batch_of_sixteen_under_all_faults_at_once() -> None:
    with api(five_hundred) as url:
        model = user_model(url)
        shapes = list(PAGES.values())
        asked = [
            (GOOD, [GOOD_PAGE]) if i % 2 else ("why is it so?", shapes[i // 2]) for i in range(16)
        ]
        started = time.monotonic()
        answers = model.batch_generate_answer(batch(*asked))
    assert answers == [GOOD_ANSWER if i % 2 else IDK for i in range(16)]
    assert time.monotonic() - started < 16 * 30
