"""Clients that leave: their questions cost nobody else time."""

import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import requests

from models.llm.config import LLMSettings
from models.settings import Settings
from playground.app import make_app
from tests.models.llm.fake_server import Handler, fake_server, says
from tests.playground.client import HOTEL, playground, served

CALL_S = 0.4


def slowly(handler: Handler, body: dict[str, Any]) -> None:
    """An answer after a while."""
    time.sleep(CALL_S)
    says("movie")(handler, body)


def leave(url: str, *, stream: bool) -> None:
    """Ask, and leave before the answer."""
    body = {"model": "db3", "messages": [{"role": "user", "content": HOTEL}], "stream": stream}
    with suppress(requests.RequestException):
        with requests.post(url, json=body, timeout=0.1, stream=True) as reply:
            next(reply.iter_lines(), None)


@pytest.mark.clock
@pytest.mark.parametrize("stream", [False, True])
def test_the_questions_of_those_who_left_are_not_asked(tmp_path: Path, stream: bool) -> None:
    with fake_server(slowly) as llm:
        settings = Settings(
            system="db3",
            llms={"default": LLMSettings(f"openai:{llm.url}#base")},
            web={"preset": "default"},
        )
        asked = playground(settings)
        with served(make_app(asked, tmp_path / "cases.jsonl")) as url:
            chat = f"{url}/v1/chat/completions"
            body = {"model": "db3", "messages": [{"role": "user", "content": HOTEL}]}
            requests.post(chat, json=body, timeout=60)  # the first one probes the server, too
            before = len(llm.bodies)
            requests.post(chat, json=body, timeout=60)
            of_one_question = len(llm.bodies) - before
            leavers = [
                threading.Thread(target=leave, args=(chat,), kwargs={"stream": stream})
                for _ in range(5)
            ]
            for leaver in leavers:
                leaver.start()
            for leaver in leavers:
                leaver.join()
            reply = requests.post(chat, json=body, timeout=60)
            calls = len(llm.bodies) - before - of_one_question
    assert reply.status_code in (200, 502)
    assert of_one_question > 0
    assert calls < 3 * of_one_question  # of six questions


def test_small_things_that_clients_ask(tmp_path: Path) -> None:
    with served(make_app(playground(), tmp_path / "cases.jsonl")) as url:
        model = requests.get(f"{url}/v1/models/offline", timeout=9)
        assert (model.status_code, model.json()["id"]) == (200, "offline")
        none = requests.get(f"{url}/v1/models/gpt-5", timeout=9)
        assert (none.status_code, none.json()["error"]["code"]) == (404, "model_not_found")
        for path in ("/", "/v1/models", "/playground.js"):
            head = requests.head(f"{url}{path}", timeout=9)
            assert (head.status_code, head.content) == (200, b"")
            assert int(head.headers["Content-Length"]) > 0
        refused = requests.get(f"{url}/v1/chat/completions", timeout=9)
        assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")
        port = url.rpartition(":")[2]
        for host in (f"LOCALHOST:{port}", f"LocalHost:{port}"):
            assert requests.get(url, headers={"Host": host}, timeout=9).status_code == 200
        body = {"model": "offline", "messages": [{"role": "user", "content": HOTEL}]}
        reply = requests.post(
            f"{url}/v1/chat/completions", json={**body, "crag": {"time": None}}, timeout=30
        )
        assert reply.json()["choices"][0]["message"]["content"] == "2014-02-26"
