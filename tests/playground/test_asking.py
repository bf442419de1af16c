"""Asking: what is heard of a question, and what is refused."""

import asyncio
import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from models.records import Task
from models.settings import Settings
from playground import service
from playground.app import make_app
from playground.errors import Busy
from playground.inquiry import AskRequest, PageInput
from tests.models.llm.fake_server import breaks_off, fake_server, hangs, says
from tests.playground.client import HOTEL, ask, client, error_of, events
from tests.playground.client import playground as make_playground
from utils.errors import InputError

PAGE = (
    "<html><head><title>Bridges</title></head><body><p>The Brackwater Bridge was opened in 1931 by "
    "Edda Lorne. It spans 412 metres.</p></body></html>"
)
BRIDGE = "who opened the brackwater bridge?"


def test_the_events_of_a_question(tmp_path: Path) -> None:
    browser = client(tmp_path)
    first, step, answer, *_, done = events(browser, ask(browser, time="2024-03-10T12:00"))
    assert first["question"] == HOTEL and first["time"].startswith("Sunday, March 10, 2024")
    assert step["step"]["name"] == "parse" and "get_movie" in step["step"]["inputs"]["program"]
    assert answer == {"type": "answer", "answer": "2014-02-26", "source": "kg"}
    assert done["answer"] == "2014-02-26" and done["source"] == "kg" and done["seconds"] > 0


def test_a_question_that_waits_is_told_how_many_are_before_it(tmp_path: Path) -> None:
    with fake_server(hangs()) as server:
        llm = Settings(system="bumblebee7", llm=f"openai:{server.url}#base")
        browser = client(tmp_path, llm)
        ids = [ask(browser, BRIDGE, task=1, pages=[{"html": PAGE}]) for _ in range(3)]
        while len(server.bodies) < 1:
            time.sleep(0.01)
        server.replies = [says("Edda Lorne")]
        server.over.set()
        waiting = [
            [event["before"] for event in events(browser, id) if event["type"] == "waiting"]
            for id in ids
        ]
    assert waiting[0] in ([], [0])
    assert waiting[1][-2:] == [1, 0]
    assert waiting[2][-3:] == [2, 1, 0]


def test_a_question_of_the_dataset_is_judged(tmp_path: Path) -> None:
    browser = client(tmp_path)
    example = make_playground().examples[0]
    done = events(browser, ask(browser, example.query, row=example.id, row_pages=[0, 1]))[-1]
    assert done["verdict"] == "correct" and done["reason"]
    changed = events(browser, ask(browser, "who made it?", row=example.id, row_pages=[0]))[-1]
    assert "verdict" not in changed


def test_passages_of_an_uploaded_page_and_their_place_in_it(tmp_path: Path) -> None:
    browser = client(tmp_path)
    id = ask(browser, BRIDGE, task=1, pages=[{"name": "../../etc/bridges.html", "html": PAGE}])
    heard = events(browser, id)
    [passages] = [event["passages"] for event in heard if event["type"] == "passages"]
    assert passages[0]["title"] == "bridges.html"  # no part of a path
    page = browser.get(f"/api/inquiries/{id}/pages/0").json()
    assert page["title"] == "Bridges"
    assert "Edda Lorne" in page["text"][passages[0]["start"] : passages[0]["end"]]
    assert heard[-1]["answer"] == "Edda Lorne" and heard[-1]["source"] == "web"
    missing = browser.get(f"/api/inquiries/{id}/pages/7")
    assert missing.status_code == 404 and error_of(missing) == "page 7 was not read"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"question": " "}, "the question is empty"),
        ({"question": "x" * 2001}, "question: String should have at most 2000 characters"),
        ({"question": HOTEL, "time": "tomorrow"}, "the time 'tomorrow' cannot be read"),
        ({"question": HOTEL, "time": "0999-01-01T00:00"}, "cannot be read"),
        ({"question": HOTEL, "system": "db3"}, "no system 'db3' can be asked"),
        ({"question": HOTEL, "preset": "best"}, "there is no preset 'best'"),
        ({"question": HOTEL, "row_pages": [3]}, "the question has 0 pages"),
        ({"question": HOTEL, "task": 1}, "there is nothing to look in"),
        ({"question": HOTEL, "file": "/etc/passwd"}, "file: Extra inputs are not permitted"),
        ({"question": HOTEL, "pages": [{"html": "x"}] * 51}, "pages: List should have at most 50"),
    ],
)
def test_bad_input_is_refused(tmp_path: Path, fields: dict[str, object], message: str) -> None:
    reply = client(tmp_path).post("/api/ask", json=fields)
    assert reply.status_code == 400 and message in error_of(reply)


def test_an_unknown_question_is_not_found(tmp_path: Path) -> None:
    browser = client(tmp_path)
    for path in ("events", "readings", "pages/0"):
        reply = browser.get(f"/api/inquiries/x/{path}")
        assert reply.status_code == 404
        assert "no question with the id 'x' is remembered" in error_of(reply)
    row = browser.post("/api/ask", json={"question": HOTEL, "row": "nowhere"})
    assert row.status_code == 404 and "has no question with the id 'nowhere'" in error_of(row)


def test_too_many_waiting_questions_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_WAITING", 2)
    with fake_server(hangs()) as server:
        settings = Settings(system="db3", llm=f"openai:{server.url}#base", seconds_per_question=3.0)
        busy = make_playground(settings)
        busy.ask(AskRequest(question=HOTEL))
        while not server.bodies:  # the first one is being answered
            time.sleep(0.01)
        waiting = [busy.ask(AskRequest(question=HOTEL)) for _ in range(2)]
        with pytest.raises(Busy, match="2 questions wait"):
            busy.ask(AskRequest(question=HOTEL))
        browser = TestClient(make_app(busy, tmp_path / "cases.jsonl"), "http://127.0.0.1")
        assert browser.post("/api/ask", json={"question": HOTEL}).status_code == 429
    for inquiry in waiting:  # none is lost
        asyncio.run(inquiry.wait())
        assert inquiry.events[-1]["type"] == "done"


def test_long_pages_are_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_CHARS", 2 * len(PAGE))
    asker = make_playground()
    page = PageInput(name="bridges.html", html=PAGE)
    inquiries = []
    for _ in range(3):
        inquiries.append(asker.ask(AskRequest(question=BRIDGE, task=Task.WEB, pages=[page])))
        asyncio.run(inquiries[-1].wait())
    with pytest.raises(InputError, match="no question with the id"):
        asker.inquiry(inquiries[0].id)
    assert asker.inquiry(inquiries[1].id) is inquiries[1]


def test_the_oldest_questions_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "KEPT", 2)
    asker = make_playground()
    inquiries = []
    for _ in range(4):
        inquiries.append(asker.ask(AskRequest(question=HOTEL)))
        asyncio.run(inquiries[-1].wait())
    with pytest.raises(InputError, match="no question with the id"):
        asker.inquiry(inquiries[1].id)
    assert asker.inquiry(inquiries[2].id) is inquiries[2]


def test_a_system_with_an_llm_shows_its_prompts(tmp_path: Path) -> None:
    with fake_server(says("movie"), says("None"), says("2014")) as server:
        settings = Settings(system="db3", llm=f"openai:{server.url}#base")
        heard = events(browser := client(tmp_path, settings), ask(browser))
    prompts = {event["step"]["name"]: event["prompt"] for event in heard if event["type"] == "step"}
    assert prompts["route"]["turns"][-1][0] == "user" and HOTEL in str(prompts["route"]["turns"])
    assert prompts["route"]["max_tokens"] == 8 and prompts["web"] is None


def test_a_server_that_dies_is_a_failure_and_an_end(tmp_path: Path) -> None:
    with fake_server(breaks_off("mov")) as server:
        settings = Settings(system="db3", llm=f"openai:{server.url}#base", seconds_per_question=4.0)
        heard = events(browser := client(tmp_path, settings), ask(browser))
    assert [event for event in heard if event["type"] == "failure" and event["step"] == "route"]
    assert heard[-1]["type"] == "done"


def test_settings_that_cannot_be_used_are_a_failure_of_the_question(tmp_path: Path) -> None:
    settings = Settings(system="db3", llm="openai:http://127.0.0.1:9#base", options={"exmaples": 8})
    browser = client(tmp_path, settings)
    *_, failure, done = events(browser, ask(browser))
    assert failure["type"] == "failure" and "exmaples" in failure["text"]
    assert done["answer"] == "i don't know"
