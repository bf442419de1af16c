"""The client of OpenAI-compatible servers, against a server that misbehaves."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from models.llm import errors
from models.llm.config import LLMSettings
from models.llm.dialects import ANY_SERVER
from models.llm.openai import OpenAILLM
from models.llm.protocol import Completion, Constraint, ConstraintKind, FinishReason, Prompt
from models.llm.server import LLMServer
from tests.models.llm.fake_server import (
    Fake,
    Handler,
    Reply,
    breaks_off,
    chunk,
    fake_server,
    hangs,
    obeys,
    refuses,
    says,
    streams,
)
from tests.models.llm.test_cache import HELLO
from utils.deadline import Deadline

CHOICE = replace(HELLO, constraint=Constraint(ConstraintKind.CHOICE, "movie\nmusic"))


def client(server: Fake, attempts: int = 3, workers: int = 16) -> OpenAILLM:
    endpoint = LLMServer(server.url, api_key="secret", attempts=attempts, wait=0.01)
    adapters = {"kg": "lora", "gone": "lost"}
    settings = LLMSettings(f"openai:{server.url}#base", adapters, workers=workers)
    return OpenAILLM(endpoint, settings)


def soon() -> Deadline:
    return Deadline.after(20)


def ask(
    *replies: Reply, prompt: Prompt = HELLO, seconds: float = 20, **options: Any
) -> tuple[Completion, Fake]:
    """A client's completion of one prompt from these replies, and the server."""
    with fake_server(*replies) as server:
        (done,) = client(server, **options).generate([prompt], deadline=Deadline.after(seconds))
    return done, server


@pytest.mark.parametrize(
    ("stops", "text"),
    [
        (("z", "\n"), "hi, there"),
        (("z", "y", "x", "w", ","), "hi"),  # servers take four at most
        (("there", ","), "hi"),
        (("z",), "hi, there\nwho"),
    ],
)
def test_a_text_ends_before_a_stop_that_the_server_ignores(
    stops: tuple[str, ...], text: str
) -> None:
    done, server = ask(says("hi, there\nwho"), prompt=replace(HELLO, stop=stops))
    assert (done.text, done.finish_reason) == (text, FinishReason.STOP)
    assert server.bodies[0]["stop"] == list(stops[:4])


def test_an_adapter_is_a_model_by_another_name() -> None:
    done, server = ask(says("hi"), prompt=replace(HELLO, adapter="kg"))
    assert (done.text, done.finish_reason) == ("hi", FinishReason.STOP)
    assert server.bodies[0]["model"] == "lora"
    assert [sent["Authorization"] for sent in server.headers] == ["Bearer secret"]
    assert not {"seed", "n", "stop", "logprobs"} & server.bodies[0].keys()


@pytest.mark.parametrize(
    "replies",
    [
        (refuses(429, Retry_After="0"), refuses(503)),
        (breaks_off("The answer is probably Par"),),
        (streams({"error": {"message": "out of memory"}}),),
    ],
)
def test_a_temporary_failure_is_retried(replies: Sequence[Reply]) -> None:
    done, server = ask(*replies, says("Paris"))
    assert (done.text, done.finish_reason, done.error) == ("Paris", FinishReason.STOP, None)
    assert len(server.bodies) == len(replies) + 1


@pytest.mark.clock
@pytest.mark.parametrize("headers", [{}, {"Retry_After": "30"}])
def test_a_busy_server_is_retried_until_the_deadline(headers: dict[str, str]) -> None:
    start = time.monotonic()
    done, server = ask(refuses(429, **headers), seconds=0.3)
    assert time.monotonic() - start < 3
    assert isinstance(done.error, errors.ServerBusy)
    assert "status 429" in str(done.error)
    retried_often = len(server.bodies) > 3
    wait_exceeds_the_deadline = bool(headers)
    assert retried_often is not wait_exceeds_the_deadline


@pytest.mark.parametrize(
    ("reply", "prompt"),
    [
        (says("hi"), replace(HELLO, n=3)),  # it writes one sample of three, and is asked again
        (refuses(400, "too long"), HELLO),
        (refuses(400, "unsupported parameter: seed"), replace(HELLO, seed=1)),
    ],
)
def test_a_prompt_ends_once(reply: Reply, prompt: Prompt) -> None:
    ended: list[bool] = []
    with fake_server(reply) as server:
        llm = client(server)
        llm.generate([prompt, HELLO], deadline=soon(), on_end=lambda: ended.append(True))
    assert len(ended) == 2


def drips(handler: Handler, body: dict[str, Any]) -> None:
    handler.begin_stream()
    while not handler.server.over.wait(0.02):
        handler.wfile.write(b" ")


@pytest.mark.clock
@pytest.mark.parametrize(("reply", "text"), [(hangs(), ""), (hangs("hel"), "hel"), (drips, "")])
def test_a_server_that_hangs_is_left_at_the_deadline(reply: Reply, text: str) -> None:
    with fake_server(says("quick"), reply) as server:
        deadline = Deadline.after(0.5)
        done = client(server, workers=1).generate([HELLO] * 3, deadline=deadline)
        assert deadline.clock() - deadline.at < 3
    reasons = [FinishReason.STOP, FinishReason.DEADLINE, FinishReason.DEADLINE]
    assert [one.finish_reason for one in done] == reasons
    assert [one.text for one in done] == ["quick", text, ""]


def test_the_error_of_an_unknown_adapter_lists_the_models_served() -> None:
    done, _ = ask(refuses(404), prompt=replace(HELLO, adapter="gone"))
    assert isinstance(done.error, errors.AdapterUnknown)
    assert "serves no 'lost'; it serves: base, lora, grader" in str(done.error)


@pytest.mark.parametrize("prompt", [HELLO, CHOICE])
def test_a_wrong_key_is_reported_and_not_retried(prompt: Prompt) -> None:
    done, server = ask(refuses(401, "bad key"), prompt=prompt)
    assert isinstance(done.error, errors.ServerRejected)
    assert done.error.status == 401
    assert "bad key" in str(done.error)
    assert "secret" not in str(done.error)
    assert len(server.bodies) == 1


@pytest.mark.parametrize(("reply", "text"), [(says("hello"), "'hello'"), (refuses(500, "x"), "x")])
def test_an_unsupported_kind_of_constraint_is_probed_once(reply: Reply, text: str) -> None:
    with fake_server(reply) as server:
        llm = client(server, attempts=1)
        for _ in range(3):
            with pytest.raises(errors.ConstraintUnsupported, match=f"not keep to .*{text}"):
                llm.generate([CHOICE], deadline=soon())
    assert len(server.bodies) == len(ANY_SERVER[ConstraintKind.CHOICE])


@pytest.mark.parametrize("field", ["structured_outputs", "grammar"])
def test_the_encoding_that_a_server_understands_is_found_once(field: str) -> None:
    with fake_server(obeys(field)) as server:
        llm = client(server)
        assert llm.generate([CHOICE], deadline=soon())[0].text == "music"
        probes = len(server.bodies) - 1
        llm.generate([CHOICE, CHOICE], deadline=soon())
        assert len(server.bodies) == probes + 3 and field in server.bodies[-1]
        other = replace(CHOICE, constraint=Constraint(ConstraintKind.CHOICE, "yes\nno"))
        (done,) = llm.generate([other], deadline=soon())
        assert done.finish_reason is FinishReason.BROKEN
        assert str(done.error).endswith("does not keep to its choice: 'music' at character 1")


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("max_tokens", "unsupported: 'max_tokens', use 'max_completion_tokens'"),
        ("temperature", "Unsupported value: 'temperature' does not support 0.5"),
        ("stream_options", "unknown field: stream_options"),
        ("logprobs", "logprobs are not allowed"),
    ],
)
def test_a_field_that_the_server_refuses_is_left_out_or_renamed(field: str, message: str) -> None:
    def reply(handler: Handler, body: dict[str, Any]) -> None:
        write_reply = refuses(400, message) if field in body else says("hi")
        write_reply(handler, body)

    prompt = replace(HELLO, temperature=0.5, logprobs=True)
    with fake_server(reply) as server:
        llm = client(server)
        for _ in range(2):
            assert llm.generate([prompt], deadline=soon())[0].text == "hi"
    assert [field in body for body in server.bodies] == [True, False, False]
    assert ("max_completion_tokens" in server.bodies[-1]) is (field == "max_tokens")


def test_samples_are_requested_one_by_one_from_a_server_that_writes_only_one() -> None:
    with fake_server(says("hi")) as server:
        llm = client(server)
        prompt = replace(HELLO, n=3, temperature=1.0, seed=5)
        for _ in range(2):
            (done,) = llm.generate([prompt], deadline=soon())
            assert [sample.text for sample in done.samples] == ["hi"] * 3
    assert sorted(body["seed"] for body in server.bodies[-3:]) == [5, 6, 7]
    assert [body.get("n") for body in server.bodies] == [3] + [None] * 6


@pytest.mark.parametrize(
    ("events", "text", "why"),
    [
        ((chunk(content="no reason"),), "no reason", None),
        ((chunk(content="a \ud83d"), chunk("stop", content="\ude00")), "a \U0001f600", None),
        ((chunk(content="<think>40"), chunk("stop", content="?</think>\n41")), "41", None),
        ((chunk(reasoning_content="it may be 40"), chunk("stop", content="41")), "41", None),
        ((chunk(reasoning="it may be 40"), chunk("stop", content="41")), "41", None),
        ((chunk(reasoning_content="it may be"), chunk("length")), "", "think_tokens"),
        ((chunk(refusal="I cannot"), chunk("stop")), "", "the model refused: I cannot"),
        ((chunk("stop"),), "", "the model wrote nothing"),
        ((chunk("content_filter", content="he sai"),), "he sai", "ended it: content_filter"),
    ],
)
def test_thoughts_and_refusals_are_not_answers(
    events: Sequence[object], text: str, why: str | None
) -> None:
    done, server = ask(streams(*events))
    assert (done.text, len(server.bodies)) == (text, 1)
    assert isinstance(done.error, errors.Empty | errors.Broken | None)
    assert (why or "None") in str(done.error)
    assert done.finished is not isinstance(done.error, errors.Broken)


@pytest.mark.parametrize(
    "event",
    [
        "[" * 100_000,
        '{"choices": [7]}',
        '{"choices": [{"index": 1e999}]}',
    ],
)
def test_a_malformed_event_costs_at_most_its_own_request(event: str) -> None:
    with fake_server(streams(event, chunk("stop", content="hi")), says("fine")) as server:
        done = client(server, workers=1).generate([HELLO] * 3, deadline=soon())
    assert [one.text for one in done[1:]] == ["fine"] * 2
    assert done[0].text in ("hi", "fine") or done[0].error is not None


@pytest.mark.parametrize("status", [200, 400])
def test_only_a_bounded_part_of_an_endless_reply_is_read(status: int) -> None:
    sent = 0

    def endless(handler: Handler, body: dict[str, Any]) -> None:
        nonlocal sent
        handler.send_response(status)
        handler.end_headers()
        for _ in range(1 << 10):
            handler.wfile.write(b"x" * (1 << 20))
            sent += 1

    done, _ = ask(endless)
    assert isinstance(done.error, errors.ServerRejected) and sent < 64


@pytest.mark.parametrize(
    ("refusal", "context", "over"),
    [
        ("This model's maximum context length is 8,192 tokens. You asked for 8,222", 8192, 30),
        ('"exceeds the available context size","n_prompt_tokens":4242,"n_ctx":2048', 2048, 2194),
        ("contains 40000 tokens, for model with 32768 maximum context length, 3051", 32768, 7232),
        ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000", 4096, 904),
    ],
)
def test_the_context_is_read_from_the_refusals_of_servers(
    refusal: str, context: int, over: int
) -> None:
    with fake_server(refuses(400, refusal)) as server:
        llm = client(server)
        (done,) = llm.generate([HELLO], deadline=soon())
    assert isinstance(done.error, errors.ContextTooLong)
    assert (done.error.over, llm.context) == (over, context)


def test_a_reply_that_is_not_a_stream_is_read() -> None:
    def whole(handler: Handler, body: dict[str, Any]) -> None:
        message = {"content": [{"type": "text", "text": "hi"}]}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        handler.send_json(200, {"choices": choices}, Content_Type="application/json")

    done, server = ask(whole)
    assert (done.text, done.finish_reason, len(server.bodies)) == ("hi", FinishReason.STOP, 1)


def test_extra_fields_and_headers_are_sent_and_the_usage_is_read() -> None:
    cached = {"prompt_tokens_details": {"cached_tokens": 8}}
    usage = {"prompt_tokens": 9, "completion_tokens": 2, **cached}
    extras: dict[str, Any] = {"extra_body": {"top_k": 1}, "extra_headers": {"X-Title": "crag"}}
    with fake_server(streams(chunk("stop", content="hi"), {"usage": usage})) as server:
        settings = LLMSettings(f"openai:{server.url}#base", **extras)
        (done,) = OpenAILLM.load(settings, "secret").generate([HELLO], deadline=soon())
    assert server.headers[0]["X-Title"] == "crag"
    assert server.bodies[0]["top_k"] == 1
    assert (done.prompt_tokens, done.cached_tokens, done.tokens) == (9, 8, 2)
