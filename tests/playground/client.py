"""The playground's application in this process, for tests."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient

from evaluation.finished_run import FinishedRun
from evaluation.judge.make_judge import make_judge
from models.settings import EXAMPLE_KG, ROOT, Settings
from playground.app import make_app
from playground.service import Playground
from utils.http_server import listening_socket

EXAMPLES = ROOT / "example_data" / "questions.jsonl"
HOTEL = "when did the grand budapest hotel come out?"


def playground(settings: Settings | None = None) -> Playground:
    """A playground over the example questions and, unless `settings` say otherwise, KG."""
    chosen = settings or Settings(system="offline")
    if chosen.api_url is None:
        chosen = replace(chosen, api_url=EXAMPLE_KG)
    return Playground(chosen, EXAMPLES, make_judge("rules"))


def client(
    folder: Path, settings: Settings | None = None, run: FinishedRun | None = None
) -> TestClient:
    """A client of the playground that keeps cases in `folder`, as a browser on this machine."""
    app = make_app(playground(settings), folder / "cases.jsonl", run)
    return TestClient(app, base_url="http://127.0.0.1:7860", raise_server_exceptions=False)


def ask(browser: TestClient, question: str = HOTEL, **fields: Any) -> str:
    """The id of a question that is asked."""
    reply = browser.post("/api/ask", json={"question": question, **fields})
    assert reply.status_code == 200, reply.text
    return str(reply.json()["id"])


def events(browser: TestClient, id: str) -> list[dict[str, Any]]:
    """All events of a question, once it is done."""
    text = browser.get(f"/api/inquiries/{id}/events").text
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]


def error_of(reply: Any) -> str:
    """The message of an error in OpenAI's form."""
    error = reply.json()["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    return str(error["message"])


@contextmanager
def served(app: FastAPI) -> Iterator[str]:
    """The address of a server of the application, on a free port."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    socket = listening_socket("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    server.should_exit = True
    thread.join()
