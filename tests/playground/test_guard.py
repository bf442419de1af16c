"""What keeps other sites, pages and questions from doing harm."""

import asyncio
import json
from pathlib import Path

import pytest
from starlette.types import Message

from evaluation.finished_run import read_run
from models.llm.config import LLMSettings
from models.runtime.trace import Step
from models.settings import Settings
from playground.app import make_app
from playground.service import Playground
from tests.evaluation.run_files import result, write_run
from tests.models.llm.fake_server import fake_server, refuses
from tests.playground.client import HOTEL, ask, client, error_of, events, playground

KEY = "sk-secret-0123456789"


def test_a_page_of_another_site_is_refused(tmp_path: Path) -> None:
    browser = client(tmp_path)
    for origin in ("http://evil.example", "http://127.0.0.1:8000", "null"):
        reply = browser.post("/api/ask", json={"question": HOTEL}, headers={"Origin": origin})
        assert reply.status_code == 403 and origin in error_of(reply)
    headers = {"Origin": "http://127.0.0.1:7860"}
    assert browser.post("/api/ask", json={"question": HOTEL}, headers=headers).status_code == 200


def test_a_name_that_was_set_to_loopback_is_refused(tmp_path: Path) -> None:
    browser = client(tmp_path)
    for host in ("evil.example:7860", "127.0.0.1.evil.example", "localhost.evil", ""):
        reply = browser.get("/", headers={"Host": host})
        assert reply.status_code == 403 and "is not this server" in error_of(reply)
    assert browser.get("/", headers={"Host": "localhost:7860"}).status_code == 200


def test_every_response_has_the_policy(tmp_path: Path) -> None:
    browser = client(tmp_path)
    for path in ("/", "/playground.js", "/nowhere", "/api/inquiries/x/readings"):
        headers = browser.get(path).headers
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_an_upload_of_200_mb_is_refused_before_it_is_read(tmp_path: Path) -> None:
    asked_for = 0

    async def receive() -> Message:
        nonlocal asked_for
        asked_for += 1
        return {"type": "http.request", "body": b"x" * 2**20, "more_body": asked_for < 200}

    replies: list[Message] = []

    async def send(message: Message) -> None:
        replies.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/api/ask", "headers": headers}
    app = make_app(playground(), tmp_path / "cases.jsonl")
    asyncio.run(app({**scope, "query_string": b"", "http_version": "1.1"}, receive, send))
    assert replies[0]["status"] == 413 and b"32 MiB" in replies[1]["body"]
    assert asked_for == 33


def test_no_form_of_another_site_is_read_as_json(tmp_path: Path) -> None:
    """A form can send text of any content, but not the type application/json."""
    reply = client(tmp_path).post(
        "/api/ask", content=json.dumps({"question": HOTEL}), headers={"Content-Type": "text/plain"}
    )
    assert reply.status_code == 400


def test_no_response_has_a_key(tmp_path: Path) -> None:
    with fake_server(refuses(401, f"the key {KEY} is not known")) as server:
        headers = {"Authorization": f"Bearer {KEY}-header", "X-Title": "playground"}
        llm = LLMSettings(f"openai:{server.url}#base", extra_headers=headers)
        settings = Settings(
            system="db3", llms={"default": llm}, llm_api_key=f"{KEY}\n", judge_api_key=KEY
        )
        browser = client(tmp_path, settings)
        id = ask(browser, f"what is {KEY}?")
        texts = [browser.get("/").text, json.dumps(events(browser, id))]
        body = {"model": "db3", "messages": [{"role": "user", "content": KEY}]}
        texts.append(browser.post("/v1/chat/completions", json=body).text)
    assert all("sk-" not in text for text in texts) and "***" in texts[1]
    assert "playground.js" in texts[0]  # the value of a header that is no key may be any word


def test_what_a_server_repeats_of_its_settings_is_hidden(tmp_path: Path) -> None:
    with fake_server(refuses(401, f"{KEY} is not known")) as server:
        login = server.url.replace("//", f"//me:{KEY}@")
        for llm in (
            LLMSettings(f"openai:{server.url}#base", extra_body={"proxy": {"api_key": KEY}}),
            LLMSettings(f"openai:{login}#base"),
            LLMSettings(f"openai:{server.url}?key={KEY}#base"),
        ):
            browser = client(tmp_path, Settings(system="db3", llms={"default": llm}))
            assert KEY not in json.dumps(events(browser, ask(browser)))
    from_kg = Settings(system="offline", api_url=f"http://127.0.0.1:9?token={KEY}")
    browser = client(tmp_path, from_kg)
    assert KEY not in json.dumps(events(browser, ask(browser, f"what is {KEY}?")))


def test_markup_in_the_data_of_the_page_does_not_end_its_element(tmp_path: Path) -> None:
    hostile = result(0, query="</script><script>document.title = 'mine'</script>")
    run = read_run(write_run(tmp_path / "run", [hostile], [[Step("parse")]]))
    text = client(tmp_path, run=run).get("/").text
    assert text.count("</script>") == 2 and text.count("<script") == 2


def test_a_fault_of_the_server_is_an_error_with_the_policy_and_without_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Playground, "ask", lambda *_: {}[KEY])
    reply = client(tmp_path).post("/api/ask", json={"question": HOTEL})
    assert reply.status_code == 500 and "the server failed" in error_of(reply)
    assert "script-src 'self'" in reply.headers["Content-Security-Policy"]
    assert KEY not in reply.text


def test_names_of_cases_and_labels_reach_no_other_file(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [result(0, id="../../other")], [[Step("parse")]])
    files = set(run.iterdir())
    browser = client(tmp_path, run=read_run(run))
    id = ask(browser)
    events(browser, id)
    case = browser.post(f"/api/inquiries/{id}/case", json={"answer": "x", "file": "/tmp/other"})
    assert case.status_code == 400 and "file" in error_of(case)
    label = {"id": "../../other", "verdict": "wrong"}
    with_file = browser.post("/api/run/labels", json={**label, "file": "/tmp/other"})
    assert with_file.status_code == 400 and "file" in error_of(with_file)
    assert browser.post("/api/run/labels", json=label).status_code == 200
    assert set(run.iterdir()) == files | {run / "labels.jsonl"}
    assert list(tmp_path.iterdir()) == [run]


def test_the_page_and_the_command_have_no_password_of_the_kg_s_address(tmp_path: Path) -> None:
    address = f"http://me:{KEY}@127.0.0.1:9"
    browser = client(tmp_path, Settings(system="offline", api_url=address))
    id = ask(browser)
    texts = [browser.get("/").text, json.dumps(events(browser, id))]
    case = browser.post(f"/api/inquiries/{id}/case", json={"answer": "2014"})
    assert "--api-url 'http://…@127.0.0.1:9'" in case.json()["command"]
    assert all(KEY not in text for text in [*texts, case.text])
