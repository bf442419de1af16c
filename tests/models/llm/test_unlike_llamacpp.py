"""Servers that call themselves llama.cpp, or are taken for it, and cannot do all that ours does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from models.check import State, run_checks
from models.llm.config import LLMSettings
from models.llm.errors import AdapterUnknown, ConstraintUnsupported, EndsTooLate
from models.llm.openai import OpenAILLM
from models.llm.probing import Kept
from models.llm.protocol import Constraint, ConstraintKind
from models.llm.server import LLMServer
from models.settings import Settings
from tests.models.llm.fake_server import Fake, Handler, Reply, chunk, fake_server, says, streams
from tests.models.llm.test_cache import HELLO
from tests.models.llm.test_openai import soon
from utils.errors import SettingsError

pytestmark = pytest.mark.first_week

GRAMMAR = replace(HELLO, constraint=Constraint(ConstraintKind.GRAMMAR, 'start: "a" "b"?'))
LORAS = [{"id": 0, "path": "/a/first.gguf"}, {"id": 7, "path": "/a/second.gguf"}]
PROPS = {"default_generation_settings": {"n_ctx": 2048}, "total_slots": 4}


def at_first(status: int, value: Any) -> Callable[[Handler], None]:
    """A refusal, and from the second request on a value."""
    requests: list[str] = []

    def reply(handler: Handler) -> None:
        requests.append(handler.path)
        if len(requests) == 1:
            handler.send_json(status, {"error": "not now"})
        else:
            handler.send_json(200, value)

    return reply


@contextmanager
def llama_cpp(*replies: Reply, **about: Any) -> Iterator[Fake]:
    """A server that says of itself what llama.cpp does, but not which tokens end a turn."""
    paths = {"/props": PROPS, "/lora-adapters": LORAS, **about}
    with fake_server(*replies, about=paths) as server:
        yield server


def client(server: Fake, **adapters: str) -> OpenAILLM:
    settings = LLMSettings(f"openai:{server.url}#base", adapters)
    return OpenAILLM(LLMServer(server.url, attempts=1, wait=0.01), settings)


def goes_on(handler: Handler, body: dict[str, Any]) -> None:
    """Keeps to a grammar, and ends only where the grammar does."""
    grammar = str(body.get("grammar", ""))
    if "zq7" in grammar:
        says("zq7 x!")(handler, body)
    elif "2000" in grammar:
        streams(chunk(content="Hello! " * 20), chunk("length"))(handler, body)
    else:
        says("Hello!")(handler, body)


def test_a_grammar_that_cannot_end_early_is_not_used() -> None:
    with llama_cpp(goes_on) as server:
        llm = client(server)
        assert llm.keeps(ConstraintKind.GRAMMAR, soon()) is Kept.CANNOT_END_EARLY
        with pytest.raises(EndsTooLate, match="lets no answer end before its grammar must end"):
            llm.generate([GRAMMAR], deadline=soon())
        checks = run_checks(Settings(system="db3", llm=f"openai:{server.url}#base"))
    (check,) = [each for each in checks if each.what == "default: constraints"]
    assert check.state is State.WARNING
    assert "cannot end early: unsupported: grammar" in check.says


def test_a_model_that_never_ends_says_nothing_about_the_grammar() -> None:
    def talks_on(handler: Handler, body: dict[str, Any]) -> None:
        if "zq7" in str(body.get("grammar", "")):
            says("zq7 x!")(handler, body)
        else:
            streams(chunk(content="and "), chunk("length"))(handler, body)

    with llama_cpp(talks_on) as server:
        assert client(server).keeps(ConstraintKind.GRAMMAR, soon()) is Kept.YES


def test_its_context_is_that_of_a_slot() -> None:
    with llama_cpp(says("hi")) as server:
        assert client(server).context == 2048
    with llama_cpp(says("hi"), **{"/props": {"default_generation_settings": {}}}) as server:
        assert client(server).context is None


def test_a_request_names_every_adapter_and_uses_no_cached_prompt() -> None:
    with llama_cpp(says("hi")) as server:
        llm = client(server, kg="lora:7")
        prompts = [replace(HELLO, adapter="kg"), HELLO, replace(HELLO, adapter="kg")]
        llm.generate(prompts, deadline=soon())
    scales = [[(row["id"], row["scale"]) for row in body["lora"]] for body in server.bodies]
    assert sorted(scales) == [[(0, 0.0), (7, 0.0)], [(0, 0.0), (7, 1.0)], [(0, 0.0), (7, 1.0)]]
    assert [body["cache_prompt"] for body in server.bodies] == [False] * 3
    assert [body["model"] for body in server.bodies] == ["base"] * 3


def test_without_numbers_nothing_is_said_of_adapters() -> None:
    with llama_cpp(says("hi")) as server:
        client(server).generate([HELLO], deadline=soon())
    assert not {"lora", "cache_prompt"} & server.bodies[0].keys()


def test_a_number_that_it_has_not_fails_the_check_and_the_prompt() -> None:
    with llama_cpp(says("hi")) as server:
        llm = client(server, kg="lora:3")
        with pytest.raises(AdapterUnknown, match="has no lora:3; it has: lora:0 .*lora:7 .*second"):
            llm.generate([replace(HELLO, adapter="kg")], deadline=soon())
        settings = LLMSettings(f"openai:{server.url}#base", {"kg": "lora:3"})
        checks = run_checks(Settings(system="db3", llms={"default": settings}))
    assert not {check.what: check for check in checks}["default: kg"].ok


def test_a_number_is_for_llamacpp_alone() -> None:
    with fake_server(says("hi")) as server:
        assert client(server, kg="lora:0").missing("kg") == "lora:0 is for llama.cpp"


@pytest.mark.parametrize("name", ["lora:", "lora:x", "lora:-1"])
def test_a_misspelt_number_is_an_error(name: str) -> None:
    with pytest.raises(SettingsError, match="adapter a: lora:NUMBER"):
        OpenAILLM(LLMServer("http://127.0.0.1:9"), LLMSettings("openai:http://h/v1#m", {"a": name}))


def test_a_server_that_never_says_what_it_is_is_asked_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[str] = []

    def hang(handler: Handler) -> None:
        looks.append(handler.path)
        handler.server.over.wait()

    monkeypatch.setattr("models.llm.openai._SHORT_REQUEST_SECONDS", 0.1)
    with llama_cpp(says("hi"), **{"/props": hang}) as server:
        llm = client(server)
        for _ in range(4):
            (completion,) = llm.generate([HELLO], deadline=soon())
            assert completion.text == "hi"
    assert len(looks) == 2


@pytest.mark.parametrize("status", [429, 502, 503])
@pytest.mark.parametrize(("path", "value"), [("/props", PROPS), ("/lora-adapters", LORAS)])
def test_what_it_is_when_a_proxy_does_not_reach_it_is_asked_again(
    path: str, value: Any, status: int
) -> None:
    with llama_cpp(says("hi"), **{path: at_first(status, value)}) as server:
        llm = client(server, kg="lora:7")
        assert llm.llama_cpp() is None
        (completion,) = llm.generate([replace(HELLO, adapter="kg")], deadline=soon())
    assert completion.text == "hi"


def test_an_older_server_that_lists_no_adapters_is_believed_to_have_them() -> None:
    def refuse(handler: Handler) -> None:
        handler.send_json(501, {"error": "not supported"})

    with llama_cpp(says("hi"), **{"/lora-adapters": refuse}) as server:
        llm = client(server, kg="lora:3")
        (completion,) = llm.generate([replace(HELLO, adapter="kg")], deadline=soon())
        assert completion.text == "hi" and llm.missing("kg") is None
    assert server.bodies[0]["lora"] == [{"id": 3, "scale": 1.0}]


def test_tokens_are_estimated_only_while_nobody_counts() -> None:
    tokens = at_first(503, {"tokens": list(range(40))})
    with llama_cpp(
        says("hi"), **{"/apply-template": {"prompt": "?"}, "/tokenize": tokens}
    ) as server:
        llm = client(server)
        assert llm.llama_cpp() is None  # it counts nothing yet
        assert llm.count("") == 0
        assert llm.count("three words here") == 40


def test_constraints_are_tried_before_the_first_adapter_is_asked() -> None:
    with llama_cpp(says("hello")) as server:
        llm = client(server, kg="lora:7")
        with pytest.raises(ConstraintUnsupported):
            llm.generate([HELLO, replace(GRAMMAR, adapter="kg")], deadline=soon())
        probes = len(server.bodies)
        with pytest.raises(ConstraintUnsupported):
            llm.generate([HELLO, replace(GRAMMAR, adapter="kg")], deadline=soon())
        assert len(server.bodies) == probes
