"""A KG API that fails costs its own path only: the pages still answer, each fault is counted."""

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
from tests.faults.matrix import fault
from tests.faults.world import ANSWER, batch, page

GOOD = "how tall is the northport lighthouse?"
GOOD_PAGE = page("northport")
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
            self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
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


def user_model(url: str | None, seconds: float = 30.0) -> UserModel:
    task = Task.KG_WEB if url else Task.WEB
    margin = min(2.0, seconds / 10)
    return UserModel(
        Settings(task=task, api_url=url, seconds_per_question=seconds, margin_s=margin)
    )


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


def cut_short(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"result": [')


def hundred_megabytes(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" " * 2**20)


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.close()


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        pytest.param(five_hundred, "ApiUnavailable", marks=fault("KG API", "raises")),
        pytest.param(forbidden, "ApiRejected", marks=fault("KG API", "raises")),
        pytest.param(not_json, "ApiGarbage", marks=fault("KG API", "garbage")),
        pytest.param(no_result, "ApiGarbage", marks=fault("KG API", "garbage")),
        pytest.param(wrong_shape, "ApiGarbage", marks=fault("KG API", "garbage")),
        pytest.param(cut_short, "ApiUnavailable", marks=fault("KG API", "partial")),
        pytest.param(hundred_megabytes, "ApiGarbage", marks=fault("KG API", "huge")),
        pytest.param(hang_up, "ApiUnavailable", marks=fault("KG API", "killed")),
    ],
)
def test_a_kg_api_that_fails_costs_its_own_path_only(reply: Reply, kind: str) -> None:
    with api(reply) as url:
        model = user_model(url)
        answers = model.batch_generate_answer(batch((GOOD, [GOOD_PAGE]), (KG_QUESTION, [])))
    assert answers == [ANSWER, IDK]
    assert set(model.failures) == {kind}
    assert first_kinds(model)[1] == kind


@fault("KG API", "killed")
def test_a_kg_api_that_is_down() -> None:
    with api(five_hundred) as url:
        pass  # now nothing listens there
    model = user_model(url)
    answers = model.batch_generate_answer(batch((GOOD, [GOOD_PAGE]), (KG_QUESTION, [])))
    assert answers == [ANSWER, IDK]
    assert first_kinds(model) == ["ApiUnavailable", "ApiUnavailable"]


@fault("KG API", "hangs")
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
    assert answers == [ANSWER, IDK]
    assert first_kinds(model) == ["DeadlineExceeded", "DeadlineExceeded"]
    assert time.monotonic() - started < 40  # 8 s, and slack


@fault("KG API", "slow")
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


def film(title: str, director: str) -> dict[str, Any]:
    crew = [{"job": "Director", "name": director}]
    return {"title": title, "release_date": "2001-05-04", "crew": crew}


def films(*found: dict[str, Any]) -> bytes:
    return json.dumps({"result": list(found)}).encode()


@fault("KG API", "duplicate")
def test_a_kg_api_that_gives_each_film_twice() -> None:
    twice = films(*[film("The Glass Harbour", "Aino Virta")] * 2)
    with api(lambda handler: send(handler, 200, twice)) as url:
        answers = user_model(url).batch_generate_answer(batch((KG_QUESTION, [])))
    assert answers == ["Aino Virta"]


@fault("KG API", "out of order")
def test_results_that_come_in_another_order_go_to_their_own_questions() -> None:
    """The first question's request is answered last, and the best film of a search comes last."""
    names = [f"the {word} harbour" for word in ("glass", "stone", "amber")]
    replied = threading.Event()

    def last_first(handler: BaseHTTPRequestHandler) -> None:
        query: str = json.loads(handler.body).get("query", "").lower()  # type: ignore[attr-defined]
        if query not in names or "movie_info" not in handler.path:
            send(handler, 200, films())
            return
        number = names.index(query)
        if number == 0:
            replied.wait(2)
        found = [film(name.title(), f"Director {n}") for n, name in enumerate(names)]
        send(handler, 200, films(*found[number + 1 :], *found[: number + 1]))
        if number == 2:
            replied.set()

    asked = [(f"who directed the movie {name}?", []) for name in names]
    with api(last_first) as url:
        answers = user_model(url).batch_generate_answer(batch(*asked))
    assert answers == [f"Director {number}" for number in range(3)]
