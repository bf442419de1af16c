"""The client of OpenAI-compatible servers, against a server that misbehaves."""

import threading
from dataclasses import replace

import pytest

from models.llm.config import LLMSettings
from models.llm.errors import (
    AdapterUnknown,
    ConstraintUnsupported,
    ContextTooLong,
    ModelMissing,
    ServerRejected,
    ServerUnavailable,
)
from models.llm.openai import OpenAILLM
from models.llm.openai_dialects import WAYS
from models.llm.openai_stream import Endpoint
from models.llm.protocol import Constraint, ConstraintKind, FinishReason, Message, Prompt
from tests.models.engines import Server
from tests.models.llm.fake_server import (
    Fake,
    Handler,
    breaks_off,
    fake_server,
    hangs,
    obeys,
    refuses,
    says,
)
from utils.deadline import Deadline
from utils.errors import SettingsError
from utils.tokens import estimate_tokens

HELLO = Prompt((Message("user", "hello"),), max_tokens=8)
CHOICE = replace(HELLO, constraint=Constraint(ConstraintKind.CHOICE, "movie\nmusic"))


def client(server: Fake, model: str = "base", attempts: int = 3, workers: int = 16) -> OpenAILLM:
    endpoint = Endpoint(server.url, api_key="secret", attempts=attempts, wait=0.01)
    return OpenAILLM(endpoint, model, adapters={"kg": "lora", "gone": "lost"}, workers=workers)


def soon() -> Deadline:
    return Deadline.after(20)


def test_an_adapter_is_a_model_by_another_name() -> None:
    with fake_server(says("hi")) as server:
        done = client(server).generate([replace(HELLO, adapter="kg")], deadline=soon())[0]
    assert (done.text, done.finish_reason, done.adapter) == ("hi", FinishReason.STOP, "kg")
    body = server.bodies[0]
    assert body["model"] == "lora"
    assert not {"seed", "n", "top_p", "stop", "logprobs"} & body.keys()
    assert server.keys == ["Bearer secret"]


def test_special_tokens_are_broken_up_before_they_are_sent() -> None:
    page = "<|eot_id|><|im_start|>system<|im_end|> [INST] <<SYS>> </s> <start_of_turn> a<b|c>d"
    with fake_server(says("hi")) as server:
        client(server).generate(
            [replace(HELLO, messages=(Message("user", page),))], deadline=soon()
        )
    sent = server.bodies[0]["messages"][0]["content"]
    assert sent == (
        "< |eot_id|>< |im_start|>system< |im_end|> [ INST] < <SYS>> < /s> < start_of_turn> a<b|c>d"
    )


def test_a_busy_server_is_asked_again() -> None:
    busy = refuses(429, Retry_After="0")
    with fake_server(busy, refuses(503), says("hi")) as server:
        assert client(server).generate([HELLO], deadline=soon())[0].text == "hi"
    assert len(server.bodies) == 3


def test_a_server_that_stays_busy_is_given_up() -> None:
    with (
        fake_server(refuses(429)) as server,
        pytest.raises(ServerUnavailable, match="3 attempts: status 429"),
    ):
        client(server).generate([HELLO], deadline=soon())


@pytest.mark.clock
def test_a_wait_asked_for_is_cut_at_the_deadline() -> None:
    with fake_server(refuses(429, Retry_After="30")) as server:
        deadline = Deadline.after(0.3)
        done = client(server).generate([HELLO], deadline=deadline)[0]
    assert done.finish_reason is FinishReason.DEADLINE
    assert deadline.clock() - deadline.at < 3


def test_a_stream_that_breaks_off_is_asked_for_again() -> None:
    with fake_server(breaks_off("he"), says("hello")) as server:
        done = client(server).generate([HELLO], deadline=soon())[0]
    assert (done.text, done.finish_reason) == ("hello", FinishReason.STOP)


def test_what_came_before_it_broke_off_is_kept_as_unfinished() -> None:
    with fake_server(breaks_off("he")) as server:
        done = client(server).generate([HELLO], deadline=soon())[0]
    assert (done.text, done.finish_reason, done.finished) == ("he", FinishReason.BROKEN, False)


def test_the_longest_of_what_came_is_kept_whatever_fails_after_it() -> None:
    with fake_server(breaks_off("hello"), breaks_off("he"), refuses(503)) as server:
        done = client(server).generate([HELLO], deadline=soon())[0]
    assert (done.text, done.finish_reason) == ("hello", FinishReason.BROKEN)


def test_a_wrong_key_is_not_taken_for_an_unknown_constraint() -> None:
    prompt = replace(HELLO, constraint=Constraint(ConstraintKind.CHOICE, "yes\nno"))
    with fake_server(refuses(401, "bad key")) as server:
        with pytest.raises(ServerRejected, match="bad key"):
            client(server).generate([prompt], deadline=soon())


@pytest.mark.clock
@pytest.mark.parametrize("text", ["", "hel"])
def test_a_server_that_hangs_costs_the_deadline_and_no_more(text: str) -> None:
    with fake_server(says("quick"), hangs(text)) as server:
        deadline = Deadline.after(0.5)
        done = client(server, workers=1).generate([HELLO] * 3, deadline=deadline)
        assert deadline.clock() - deadline.at < 3
    reasons = [FinishReason.STOP, FinishReason.DEADLINE, FinishReason.DEADLINE]
    assert [one.finish_reason for one in done] == reasons
    assert [one.text for one in done] == ["quick", text, ""]


def test_nobody_there_is_said() -> None:
    with fake_server(says("hi")) as server:
        llm = client(server)
    with pytest.raises(ServerUnavailable, match="ConnectionError"):
        llm.generate([HELLO], deadline=soon())


def test_a_wrong_model_name_says_what_there_is() -> None:
    with fake_server(refuses(404, "no such model")) as server:
        with pytest.raises(ModelMissing, match=r"serves no 'bse'; it serves: base, lora"):
            client(server, model="bse").generate([HELLO], deadline=soon())
        with pytest.raises(AdapterUnknown, match=r"serves no 'lost'"):
            client(server).generate([replace(HELLO, adapter="gone")], deadline=soon())


def test_a_wrong_key_is_not_tried_again() -> None:
    with fake_server(refuses(401, "bad key")) as server:
        with pytest.raises(ServerRejected, match="status 401.*bad key") as caught:
            client(server).generate([HELLO], deadline=soon())
        assert "secret" not in str(caught.value)
    assert len(server.bodies) == 1


def test_a_context_too_long_says_by_how_much() -> None:
    said = "This model's maximum context length is 100 tokens. However, you requested 130 tokens"
    with fake_server(refuses(400, said)) as server, pytest.raises(ContextTooLong) as caught:
        client(server).generate([HELLO], deadline=soon())
    assert caught.value.over == 30


def test_a_constraint_that_is_ignored_is_refused() -> None:
    with (
        fake_server(says("hello")) as server,
        pytest.raises(ConstraintUnsupported, match="does not keep to a choice.*'hello'"),
    ):
        client(server).generate([CHOICE], deadline=soon())


def test_a_kind_that_a_server_lacks_is_tried_once() -> None:
    with fake_server(says("hello")) as server:
        llm = client(server)
        for _ in range(3):
            with pytest.raises(ConstraintUnsupported, match="does not keep to a choice"):
                llm.generate([CHOICE], deadline=soon())
        assert len(server.bodies) == len(WAYS[ConstraintKind.CHOICE])


@pytest.mark.parametrize("field", ["structured_outputs", "grammar"])
def test_the_way_that_a_server_knows_is_found_once(field: str) -> None:
    with fake_server(obeys(field)) as server:
        llm = client(server)
        assert llm.generate([CHOICE], deadline=soon())[0].text == "music"
        probes = len(server.bodies) - 1
        llm.generate([CHOICE, CHOICE], deadline=soon())
        assert len(server.bodies) == probes + 3
    assert field in server.bodies[-1]


def test_an_answer_outside_its_constraint_is_broken() -> None:
    with fake_server(obeys("structured_outputs")) as server:
        other = replace(CHOICE, constraint=Constraint(ConstraintKind.CHOICE, "yes\nno"))
        done = client(server).generate([CHOICE, other], deadline=soon())
    assert [one.finish_reason for one in done] == [FinishReason.STOP, FinishReason.BROKEN]


def test_an_error_in_the_stream_is_tried_again() -> None:
    def fails(handler: Handler, body: object) -> None:
        handler.begin_stream()
        handler.wfile.write(b'data: {"error": {"message": "out of memory"}}\n\n')

    with fake_server(fails, says("hi")) as server:
        assert client(server).generate([HELLO], deadline=soon())[0].text == "hi"


def test_garbage_is_rejected() -> None:
    def garbage(handler: Handler, body: object) -> None:
        handler.begin_stream()
        handler.wfile.write(b'data: {"choices": [7]}\n\n')

    with fake_server(garbage) as server, pytest.raises(ServerRejected, match="no chat completion"):
        client(server).generate([HELLO], deadline=soon())


def test_tokens_are_estimated_where_the_server_counts_none() -> None:
    with fake_server(says("hi")) as server:
        llm = client(server)
        assert llm.context is None
        assert llm.count("five words of plain text") == estimate_tokens("five words of plain text")
        assert llm.count_prompt(HELLO) > llm.count("hello")


@pytest.mark.parametrize("spec", ["openai:http://host/v1", "openai:host#model"])
def test_a_spec_without_url_or_model_is_refused(spec: str) -> None:
    with pytest.raises(SettingsError, match="URL#MODEL"):
        OpenAILLM.load(LLMSettings(spec))


@pytest.mark.engine
@pytest.mark.clock
def test_a_server_killed_in_the_middle_of_a_batch(server: Server) -> None:
    """In the last file that needs it: a test after this one would have to wait for another."""
    endpoint = Endpoint(server.url, attempts=2, wait=0.01)
    llm = OpenAILLM(endpoint, "tiny", workers=4)
    endless = Constraint(ConstraintKind.REGEX, "[a-z ]{9000}")
    prompt = replace(HELLO, max_tokens=4000, constraint=endless)
    llm.generate([replace(prompt, max_tokens=1)], deadline=soon())
    threading.Timer(0.5, server.kill).start()
    deadline = Deadline.after(60)
    try:
        done = llm.generate([prompt] * 16, deadline=deadline)
    except ServerUnavailable:
        done = []
    assert deadline.remaining() > 5
    assert {one.finish_reason for one in done} <= {FinishReason.BROKEN, FinishReason.LENGTH}
    with pytest.raises(ServerUnavailable):
        llm.generate([HELLO], deadline=soon())
