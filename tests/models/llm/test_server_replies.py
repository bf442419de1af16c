"""Replies and refusals of chat servers as people have met them (replies.toml)."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests

from models.llm import errors
from models.llm.config import LLMSettings
from models.llm.dialects import context_error
from models.llm.openai import OpenAILLM
from models.llm.protocol import FinishReason, Message
from models.llm.session import ServerSession
from tests.models.llm.fake_server import Handler, Reply, fake_server, refuses, says
from tests.models.llm.test_cache import HELLO
from tests.models.llm.test_openai import ask, client, soon
from utils.errors import SettingsError

ROWS = tomllib.loads((Path(__file__).parent / "replies.toml").read_text("utf-8"))


def raw(body: str, content_type: str = "text/event-stream") -> Reply:
    """A reply of status 200 with this body."""

    def reply(handler: Handler, request: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", content_type)
        handler.end_headers()
        handler.wfile.write(body.encode())

    return reply


@pytest.mark.parametrize("row", ROWS["error"], ids=str)
def test_an_error_in_a_reply_is_reported_with_its_message(row: Mapping[str, Any]) -> None:
    done, server = ask(raw(row["body"]), attempts=2, seconds=0.5 if row["requests"] == 0 else 20)
    assert isinstance(done.error, getattr(errors, row["error"]))
    assert row["says"] in str(done.error)
    if row["requests"]:
        assert len(server.bodies) == row["requests"]


@pytest.mark.parametrize("row", ROWS["answer"], ids=str)
def test_an_answer_is_read_whatever_stands_beside_it(row: Mapping[str, str]) -> None:
    reply = raw(row["body"], row.get("content_type", "text/event-stream"))
    done, server = ask(reply, prompt=replace(HELLO, logprobs=True))
    assert (done.text, done.error, len(server.bodies)) == ("hi", None, 1)


@pytest.mark.parametrize("row", ROWS["context"], ids=str)
def test_the_length_of_the_context_is_read_from_any_wording(row: Mapping[str, Any]) -> None:
    error = context_error(row["refusal"])
    assert error is not None
    assert (error.context, error.over) == (row["context"], row["over"])


@pytest.mark.parametrize("row", ROWS["no_context"], ids=str)
def test_other_limits_are_not_the_length_of_the_context(row: Mapping[str, str]) -> None:
    assert context_error(row["refusal"]) is None


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "System role not supported"),
        (400, "Conversation roles must alternate user/assistant/user/assistant/..."),
        (500, "Jinja Exception: System role not supported"),
        (422, "unsupported role: system"),
        (400, "Only user and assistant roles are supported!"),
        (400, "This model does not support system messages"),
        (400, "Role must be in [user, assistant]"),
        (400, "Please use a valid role: user, model"),
    ],
)
def test_a_template_without_system_messages_gets_them_in_the_users(
    status: int, message: str
) -> None:
    def reply(handler: Handler, body: dict[str, Any]) -> None:
        roles = [turn["role"] for turn in body["messages"]]
        write_reply = says("hi") if roles == ["user"] else refuses(status, message)
        write_reply(handler, body)

    prompt = replace(HELLO, messages=(Message("system", "Be brief."), Message("user", "Hello.")))
    with fake_server(reply) as server:
        llm = client(server)
        done = llm.generate([prompt, prompt], deadline=soon())
        done += llm.generate([prompt], deadline=soon())
    assert [completion.text for completion in done] == ["hi"] * 3
    assert len(server.bodies) == 5
    assert server.bodies[-1]["messages"] == [{"role": "user", "content": "Be brief.\n\nHello."}]


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("temperature", "`temperature` must be strictly positive"),
        ("n", "n must be 1 when using greedy sampling."),
        ("stop", "'stop' supports at most 0 sequences"),
        ("stream", "Invalid value: stream does not support true"),
        ("seed", "seed is not permitted"),
        ("logprobs", "logprobs cannot be true for this model"),
        ("temperature", "temperature (=0.5) has to be 1"),
        ("seed", "seed not implemented"),
    ],
)
def test_a_field_that_a_server_names_is_left_out(field: str, message: str) -> None:
    whole = '{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}'

    def reply(handler: Handler, body: dict[str, Any]) -> None:
        if field in body:
            write_reply = refuses(400, message)
        else:
            write_reply = says("hi") if "stream" in body else raw(whole, "application/json")
        write_reply(handler, body)

    prompt = replace(HELLO, n=2, temperature=0.5, logprobs=True, seed=3, stop=("\n",))
    with fake_server(reply) as server:
        (done,) = client(server).generate([prompt], deadline=soon())
    assert [sample.text for sample in done.samples] == ["hi", "hi"]
    assert field not in server.bodies[-1]


def test_thoughts_that_only_the_usage_shows_hint_at_the_setting() -> None:
    body = (
        'data: {"choices":[{"delta":{"content":""},"finish_reason":"length"}],'
        '"usage":{"completion_tokens":9,"completion_tokens_details":{"reasoning_tokens":9}}}'
    )
    done, _ = ask(raw(body))
    assert isinstance(done.error, errors.Empty)
    assert "think_tokens" in str(done.error)


def test_a_password_of_netrc_does_not_replace_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password other\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    _, server = ask(says("hi"))
    assert server.headers[0]["Authorization"] == "Bearer secret"
    with fake_server(says("hi")) as server:
        settings = LLMSettings(f"openai:{server.url}#base")
        OpenAILLM.load(settings).generate([HELLO], deadline=soon())
    assert "Authorization" not in server.headers[0]


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY", "http_proxy"])
def test_a_server_on_this_machine_is_reached_without_a_proxy(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    done, _ = ask(says("hi"))
    assert done.text == "hi"


def test_a_server_elsewhere_is_reached_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    session = ServerSession()
    merged = session.merge_environment_settings("http://example.org/v1", {}, True, None, None)
    assert merged["proxies"]["http"] == "http://127.0.0.1:9"


def test_a_redirect_to_another_host_does_not_carry_the_key() -> None:
    request = requests.Request("POST", "http://b.example/v1", headers={"Authorization": "Bearer x"})
    old = requests.Response()
    old.request = requests.Request("POST", "http://a.example/v1").prepare()
    redirected = request.prepare()
    ServerSession().rebuild_auth(redirected, old)
    assert "Authorization" not in redirected.headers


def test_a_key_may_end_with_a_line_and_hold_none() -> None:
    with fake_server(says("hi")) as server:
        settings = LLMSettings(f"openai:{server.url}#base")
        llm = OpenAILLM.load(settings, "secret\n")
        assert llm.generate([HELLO], deadline=soon())[0].finish_reason is FinishReason.STOP
    assert server.headers[0]["Authorization"] == "Bearer secret"
    with pytest.raises(SettingsError, match="line break"):
        OpenAILLM.load(settings, "sec\nret")
    settings = LLMSettings("openai:http://127.0.0.1:9/v1#base", extra_headers={"X-Team": "a\nb"})
    with pytest.raises(SettingsError, match="header 'X-Team' of extra_headers has a line break"):
        OpenAILLM.load(settings)
