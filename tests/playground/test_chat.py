"""`/v1/chat/completions`, by the official client and by hand."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import openai
import pytest

from models.settings import ROOT, Settings
from playground.app import make_app
from tests.playground.client import HOTEL, client, error_of, playground, served
from tests.playground.test_asking import BRIDGE, PAGE


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[openai.OpenAI]:
    """OpenAI's client of a server over the example KG."""
    with served(make_app(playground(), tmp_path_factory.mktemp("cases") / "cases.jsonl")) as url:
        yield openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)


def test_an_answer(chat: openai.OpenAI) -> None:
    assert [model.id for model in chat.models.list()] == ["offline"]
    reply = chat.chat.completions.create(
        model="offline", messages=[{"role": "user", "content": HOTEL}]
    )
    assert reply.choices[0].message.content == "2014-02-26"
    assert reply.choices[0].finish_reason == "stop" and reply.model == "offline"


def test_fields_that_a_client_leaves_empty(chat: openai.OpenAI) -> None:
    body = {"stream": None, "crag": None, "stream_options": None}
    reply = chat.chat.completions.create(
        model="offline", messages=[{"role": "user", "content": HOTEL}], extra_body=body
    )
    assert reply.choices[0].message.content == "2014-02-26"


def test_a_stream_with_passages_as_citations(chat: openai.OpenAI) -> None:
    fields = {"task": 1, "pages": [{"name": "bridges.html", "html": PAGE}]}
    chunks = list(
        chat.chat.completions.create(
            model="offline",
            messages=[{"role": "user", "content": [{"type": "text", "text": BRIDGE}]}],
            stream=True,
            stream_options={"include_usage": True},
            extra_body={"crag": fields},
        )
    )
    *chunks, last = chunks
    assert last.usage.total_tokens == 0 and not last.choices  # no LLM was asked
    deltas = [chunk.choices[0].delta for chunk in chunks]
    assert deltas[0].role == "assistant"
    assert "".join(delta.content or "" for delta in deltas) == "Edda Lorne"
    [citation, *_] = deltas[1].model_extra["annotations"]
    assert citation["url_citation"]["title"] == "bridges.html" and "1931" in citation["text"]
    assert chunks[-1].choices[0].finish_reason == "stop"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_line_for_curl_in_the_documents(chat: openai.OpenAI) -> None:
    text = (ROOT / "docs" / "playground.md").read_text()
    [line] = re.findall(r"^curl (?:.*\\\n)*.*", text, re.M)
    line = line.replace("http://127.0.0.1:7860/v1/", str(chat.base_url))
    reply = subprocess.run(["bash", "-c", line], capture_output=True, check=True).stdout
    assert json.loads(reply)["choices"][0]["message"]["content"] == "James Cameron"


@pytest.mark.parametrize(
    ("body", "status", "message", "param"),
    [
        ({"model": "gpt-9", "messages": [{"role": "user", "content": "x"}]}, 404, "gpt-9", "model"),
        ({"model": "offline", "messages": []}, 400, "messages", "messages"),
        (
            {"model": "offline", "messages": [{"role": "user"}], "crag": {"tsak": 1}},
            400,
            "crag.tsak: Extra inputs are not permitted",
            "crag.tsak",
        ),
        (
            {"model": "offline", "messages": [{"role": "user"}], "crag": {"task": 9}},
            400,
            "crag.task",
            "crag.task",
        ),
        (
            {
                "model": "offline",
                "messages": [{"role": "user", "content": "x"}],
                "crag": {"preset": "x" * 3000},
            },
            400,
            "crag.preset: String should have at most 2000 characters",
            "crag.preset",
        ),
        ({"model": "offline"}, 400, "messages: Field required", "messages"),
        (
            {"model": "offline", "messages": [{"role": "system", "content": "x"}]},
            400,
            "user",
            "messages",
        ),
        (
            {"model": "offline", "messages": [{"role": "user", "content": ""}]},
            400,
            "no text",
            "messages",
        ),
        (
            {
                "model": "offline",
                "messages": [{"role": "user", "content": [{"type": "image_url", "text": "x"}]}],
            },
            400,
            "no text",
            "messages",
        ),
        (
            {"model": "offline", "messages": [{"role": "user", "content": "x"}], "n": 2},
            400,
            "n: Input should be 1",
            "n",
        ),
        (
            {"model": "offline", "messages": [{"role": "user", "content": "\ud800"}]},
            400,
            "the user's last message, the question",
            "messages",
        ),
        ([], 400, "send an object with Content-Type: application/json", None),
        (
            {"model": "offline", "messages": [{"role": "user", "content": "x" * 3000}]},
            400,
            "at most 2000 characters",
            "messages",
        ),
    ],
)
def test_bad_input_gives_openai_s_errors(
    tmp_path: Path, body: object, status: int, message: str, param: str | None
) -> None:
    content = json.dumps(body)
    headers = {"Content-Type": "application/json"}
    browser = client(tmp_path)
    reply = browser.post("/v1/chat/completions", content=content, headers=headers)
    assert reply.status_code == status and message in error_of(reply)
    assert param is None or reply.json()["error"]["param"] == param


def test_a_system_that_cannot_be_built_is_an_error_of_the_server(tmp_path: Path) -> None:
    settings = Settings(system="db3", llm="openai:http://127.0.0.1:9#base", options={"exmaples": 8})
    body = {"model": "db3", "messages": [{"role": "user", "content": HOTEL}]}
    browser = client(tmp_path, settings)
    reply = browser.post("/v1/chat/completions", json=body)
    assert reply.status_code == 502 and error_of(reply)
    stream = browser.post("/v1/chat/completions", json={**body, "stream": True})
    assert '"server_error"' in stream.text and "[DONE]" not in stream.text
