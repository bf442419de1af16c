"""A KG API that fails: the pages still answer, and each fault is counted."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from models.records import IDK
from tests.faults.matrix import fault
from tests.faults.world import ANSWER, batch, page, user_model
from tests.utils.scripted_api import Reply, Scripted, begin, cut_short, send

GOOD = ("how tall is the northport lighthouse?", [page("northport")])
KG_QUESTION = "who directed the movie the glass harbour?"
WRONG_SHAPE = b'{"result": [{"title": "The Glass Harbour", "crew": 5}]}'


def hundred_megabytes(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    begin(handler)
    for _ in range(100):
        handler.wfile.write(b" " * 2**20)


def hang_up(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    handler.close_connection = True


def hang(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    time.sleep(20)


def drip(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    begin(handler)
    for _ in range(400):
        handler.wfile.write(b" ")
        time.sleep(0.05)


@pytest.mark.clock
@pytest.mark.parametrize(
    ("reply", "kind", "seconds"),
    [
        pytest.param(send(b"", 500), "ApiUnavailable", 30, marks=fault("KG API", "raises")),
        pytest.param(send(b"<html>"), "ApiGarbage", 30, marks=fault("KG API", "garbage")),
        pytest.param(send(WRONG_SHAPE), "ApiGarbage", 30, marks=fault("KG API", "garbage")),
        pytest.param(send(b'{"result": [5]}'), "ApiGarbage", 30, marks=fault("KG API", "garbage")),
        pytest.param(cut_short, "ApiUnavailable", 30, marks=fault("KG API", "partial")),
        pytest.param(hundred_megabytes, "ApiGarbage", 30, marks=fault("KG API", "huge")),
        pytest.param(hang_up, "ApiUnavailable", 30, marks=fault("KG API", "killed")),
        pytest.param(None, "ApiUnavailable", 30, marks=fault("KG API", "killed")),
        pytest.param(hang, "DeadlineExceeded", 4, marks=fault("KG API", "hangs")),
        pytest.param(drip, "DeadlineExceeded", 4, marks=fault("KG API", "slow")),
    ],
)
def test_the_pages_answer_if_the_kg_api_fails(
    server: Scripted, reply: Reply | None, kind: str, seconds: float
) -> None:
    """`reply` None: nothing listens at the address."""
    url = "http://127.0.0.1:9"
    if reply is not None:
        server.replies = [reply]
        url = server.url
    model = user_model(url, seconds)
    start = time.monotonic()
    assert model.batch_generate_answer(batch(GOOD, (KG_QUESTION, []))) == [ANSWER, IDK]
    assert time.monotonic() - start < 2 * seconds
    assert set(model.failures) == {kind}
    assert model.last_failures[1][0].kind == kind


def film(title: str, director: str) -> dict[str, Any]:
    crew = [{"job": "Director", "name": director}]
    return {"title": title, "release_date": "2001-05-04", "crew": crew}


def films(*results: dict[str, Any]) -> Reply:
    return send(json.dumps({"result": results}).encode())


@fault("KG API", "duplicate")
def test_a_film_that_the_kg_api_gives_twice_is_one(server: Scripted) -> None:
    twice = [film("The Glass Harbour", "Aino Virta")] * 2
    server.replies = [films(*twice)]
    answers = user_model(server.url).batch_generate_answer(batch((KG_QUESTION, [])))
    assert answers == ["Aino Virta"]


@fault("KG API", "out of order")
def test_late_results_go_to_their_own_questions(server: Scripted) -> None:
    """The first question's request is answered last, and the best film of a search comes last."""
    names = [f"the {word} harbour" for word in ("glass", "stone", "amber")]
    replied = threading.Event()

    def last_first(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        query: str = body.get("query", "").lower()
        if query not in names or "movie_info" not in handler.path:
            films()(handler, body)
            return
        number = names.index(query)
        if number == 0:
            replied.wait(2)
        results = [film(name.title(), f"Director {n}") for n, name in enumerate(names)]
        others_first = results[number + 1 :] + results[: number + 1]
        films(*others_first)(handler, body)
        if number == 2:
            replied.set()

    server.replies = [last_first]
    questions = [(f"who directed the movie {name}?", []) for name in names]
    answers = user_model(server.url).batch_generate_answer(batch(*questions))
    assert answers == [f"Director {number}" for number in range(3)]
