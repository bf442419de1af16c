"""The checks before the first question, against a scripted server."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from models.check import Check, State, check_question, run_checks
from models.llm.__main__ import main
from models.llm.adapters import CARD
from models.llm.config import LLMSettings, SubtaskSettings
from models.llm.openai import OpenAILLM
from models.llm.probing import Kept
from models.settings import Settings
from tests.models.llm.fake_server import Fake, Handler, Reply, fake_server, obeys, refuses, says
from tests.models.llm.test_adapters import BASE, make_adapter, make_base
from utils.model_files import model_hash


def checks_of(server: Fake, model: str = "base", **fields: Any) -> list[Check]:
    llm = LLMSettings(f"openai:{server.url}#{model}", **fields)
    web = {"preset": "default"}
    return run_checks(Settings(system="db3", llms={"default": llm}, web=web))


def failed(checks: list[Check]) -> list[tuple[str, str]]:
    """The subject and the remedy of each check that failed."""
    return [(check.what, check.remedy) for check in checks if not check.ok]


@pytest.mark.parametrize(
    ("reply", "constraints", "fields", "context"),
    [
        (obeys("structured_outputs"), "kept: choice;", {"context": 8192}, "8,192 tokens"),
        (says("hello"), "ignored by the server: choice, regex, grammar, json", {}, "unknown"),
    ],
)
def test_a_server_that_answers_passes_with_and_without_constraints(
    reply: Reply, constraints: str, fields: dict[str, Any], context: str
) -> None:
    with fake_server(reply) as server:
        checks = checks_of(server, **fields)
    by_name = {check.what: check for check in checks}
    assert not failed(checks)
    assert by_name["default: answer"].state is State.OK
    assert by_name["default: constraints"].says.startswith(constraints)
    assert by_name["default: constraints"].state is State.WARNING  # not all are kept
    assert context in by_name["default: context"].says
    known = State.OK if fields else State.WARNING
    assert by_name["default: context"].state is known


def test_a_context_that_the_server_does_not_have_is_none() -> None:
    about = {"/props": {"default_generation_settings": {"n_ctx": 1024}, "total_slots": 4}}
    with fake_server(says("hello"), about=about) as server:
        checks = checks_of(server, context=8192)
    (check,) = [each for each in checks if each.what == "default: context"]
    assert check.state is State.WARNING
    assert check.says == "1,024 tokens, but llms.default.context = 8,192"


def test_an_adapter_whose_file_is_called_like_another_is_doubted() -> None:
    rows = [{"id": 0, "path": "/a/answer_kg/x.gguf"}, {"id": 1, "path": "/a/route/x.gguf"}]
    about = {
        "/props": {"default_generation_settings": {"n_ctx": 1024}, "total_slots": 4},
        "/lora-adapters": [{**row, "scale": 1.0} for row in rows],
    }
    adapters = {"route": "lora:0", "answer_kg": "lora:0", "other": "lora:1"}
    with fake_server(says("hello"), about=about) as server:
        states = {each.what: each.state for each in checks_of(server, adapters=adapters)}
    assert states["default: route"] is State.WARNING
    assert states["default: answer_kg"] is State.OK
    assert states["default: other"] is State.WARNING


@pytest.mark.first_week
def test_a_question_shows_a_context_that_is_too_short_for_the_system() -> None:
    about = {"/props": {"default_generation_settings": {"n_ctx": 700}, "total_slots": 4}}
    with fake_server(says("hello"), about=about) as server:
        llm = LLMSettings(f"openai:{server.url}#base")
        settings = Settings(system="db3", llms={"default": llm}, web={"preset": "default"})
        check = check_question(settings)
        assert check.state is State.WARNING
        assert "write_query: the prompt is" in check.says
        assert "the system's prompts need a context of 3," in check.remedy


def test_what_was_not_tried_in_time_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OpenAILLM, "keeps", lambda *_: Kept.UNTRIED)
    with fake_server(says("hello")) as server:
        (check,) = [each for each in checks_of(server) if each.what == "default: constraints"]
    assert check.state is State.WARNING
    assert check.says == "not tried in time: choice, regex, grammar, json"
    assert "when the server is idle" in check.remedy


@pytest.mark.parametrize(
    ("reply", "fields", "what", "remedy"),
    [
        (refuses(401, "bad key"), {}, "default: key", "CRAG_LLM_API_KEY"),
        (says("hi"), {"model": "bse"}, "default: model", "name one of these"),
        (says("hi"), {"adapters": {"kg": "lost"}}, "default: kg", "name one of these"),
        (says("<think>hello is"), {}, "default: answer", "llms.default.think_tokens=1000"),
        (refuses(400, "no"), {}, "default: answer", "log"),
    ],
)
def test_each_fault_has_a_remedy(
    reply: Reply, fields: dict[str, Any], what: str, remedy: str
) -> None:
    with fake_server(reply) as server:
        ((failed_what, its_remedy),) = failed(checks_of(server, **fields))
    assert failed_what == what
    assert remedy in its_remedy


def lists(status: int, content: bytes) -> Callable[[Handler], None]:
    """A reply to a request for the list of models."""

    def reply(handler: Handler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return reply


@pytest.mark.parametrize(
    ("status", "content"),
    [
        (403, b'{"error": "forbidden"}'),
        (401, b""),
        (404, b"<html>not found</html>"),
        (405, b""),
        (501, b"no"),
        (200, b"<html>welcome</html>"),
        (200, b""),
        (200, b"[]"),
        (200, b'{"data": null}'),
        (200, b'"models"'),
    ],
)
def test_a_server_need_not_list_its_models(status: int, content: bytes) -> None:
    with fake_server(says("hi"), about={"/v1/models": lists(status, content)}) as server:
        assert not failed(checks_of(server))


@pytest.mark.parametrize(
    "url", ["/openai/deployments/gpt?api-version=2024-02-01", "/deployments/gpt/?api-version=x&a=b"]
)
def test_azures_classic_addresses_work(url: str) -> None:
    with fake_server(says("hi"), models=("gpt",)) as server:
        spec = f"openai:{server.url.removesuffix('/v1')}{url}#gpt"
        llms = {"default": LLMSettings(spec)}
        settings = Settings(
            system="db3", llms=llms, web={"preset": "default"}, llm_api_key="secret"
        )
        assert not failed(run_checks(settings))
        assert server.bodies
        assert {headers.get("api-key") for headers in server.headers} == {"secret"}


def test_a_model_that_an_unlisting_server_lacks_fails_when_it_is_asked() -> None:
    with fake_server(refuses(404, "no model [/red]"), models=()) as server:
        ((what, remedy),) = failed(checks_of(server))
    assert what == "default: answer"
    assert "name one that" in remedy


@pytest.mark.parametrize("listed", ["llama3:latest", "models/llama3", "llama3"])
def test_a_name_that_servers_complete_is_listed(listed: str) -> None:
    with fake_server(says("hi"), models=("other", listed)) as server:
        assert not failed(checks_of(server, "llama3"))


def test_a_missing_api_system_or_llm_fails() -> None:
    no_api = Settings(system="offline", api_url="http://127.0.0.1:9")
    ((what, remedy),) = failed(run_checks(no_api))
    assert what == "KG API"
    assert "crag mock-api" in remedy
    assert failed(run_checks(Settings(system="db33")))[0][0] == "system"
    assert ("LLM", "give --llm") in failed(run_checks(Settings(system="db3")))


def test_a_model_on_disk_and_its_adapters(tmp_path: Path) -> None:
    def checks_by_name(folder: Path, **adapters: str) -> dict[str, Check]:
        settings = Settings(
            system="db3",
            llms={"default": LLMSettings(f"hf:{folder}", adapters)},
            subtasks={"route": SubtaskSettings(adapter="good")} if adapters else {},
        )
        return {check.what.removeprefix("default: "): check for check in run_checks(settings)}

    assert not checks_by_name(tmp_path / "nowhere")["model"].ok
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "config.json").write_text("{}")
    assert "no weights" in checks_by_name(tmp_path / "empty")["model"].says
    base = make_base(tmp_path / "base")
    good = make_adapter(tmp_path / "good")
    bad = make_adapter(tmp_path / "bad", hidden=8)
    checks = checks_by_name(base, good=good, bad=bad)
    assert checks["model"].ok
    assert checks["good"].ok
    assert "rank 8" in checks["good"].says
    assert checks["good"].says.endswith("some/base; for route")
    assert "64 inputs" in checks["bad"].says
    assert checks["bad"].remedy == "copy it again, or train it on this model"
    without_base = checks_by_name(tmp_path / "nowhere", good=good, absent=str(tmp_path / "absent"))
    assert without_base["good"].ok
    assert "there is no adapter" in without_base["absent"].says


@pytest.mark.parametrize("is_of_this_base", [True, False])
def test_an_adapter_of_other_weights_of_the_same_shape_fails(
    is_of_this_base: bool, tmp_path: Path
) -> None:
    base = make_base(tmp_path / "base")
    adapter = make_adapter(tmp_path / "adapter")
    stated = model_hash(base) if is_of_this_base else "0" * 64
    (tmp_path / "adapter" / CARD).write_text(json.dumps({"base_sha256": stated}))
    (base / "config.json").write_text(json.dumps({**BASE, "transformers_version": "9"}))
    llms = {"default": LLMSettings(f"hf:{base}", {"route": adapter})}
    checks = {each.what: each for each in run_checks(Settings(system="db3", llms=llms))}
    check = checks["default: route"]
    assert check.ok is is_of_this_base
    assert ("has the hash of another base than" in check.says) is not is_of_this_base


def test_an_embedder_in_onnx_needs_no_torch() -> None:
    web = {"preset": "default", "embedder": "onnx:models/weights/embedder"}
    checks = run_checks(Settings(system="offline", web=web))
    assert not [check for check in checks if check.what == "web path: embedder"]


def test_the_default_system_needs_no_llm(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--settings", os.devnull]) == 0
    assert "offline needs none" in capsys.readouterr().out


def test_checks_are_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--settings", os.devnull, "--system", "db3", "--json"]) == 2
    checks = json.loads(capsys.readouterr().out)
    assert {"what": "LLM", "state": "failed"}.items() <= checks[0].items()


def test_a_missing_package_names_our_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    settings = Settings(system="db3", llms={"default": LLMSettings("vllm:base")})
    remedies = dict(failed(run_checks(settings)))
    assert remedies["default: packages"] == "pip install -e '.[engines]'"


def test_the_command_returns_2_and_prints_a_remedy_if_a_check_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with fake_server(says("hello")) as server:
        argv = ["check", "--settings", os.devnull, "--system", "db3"]
        argv += ["--llm", f"openai:{server.url}#base", "--set", "web.preset=default"]
        assert main(argv) == 0
        assert "failed" not in capsys.readouterr().out
    assert main(argv) == 2
    assert "→ start it" in capsys.readouterr().out
    assert main([*argv, "--set", "bacth_size=1"]) == 2
