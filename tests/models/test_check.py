"""What is looked at before the first question, over a server that does as each test tells it."""

from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from models.check import Check, as_table, run_checks
from models.llm.__main__ import main
from models.llm.config import LLMSettings
from models.settings import Settings
from tests.models.llm.fake_server import (
    Fake,
    Handler,
    Reply,
    fake_server,
    obeys,
    refuses,
    says,
)


def checks(server: Fake, model: str = "base", **fields: Any) -> list[Check]:
    llm = LLMSettings(f"openai:{server.url}#{model}", **fields)
    web = {"preset": "default"}
    return run_checks(Settings(system="db3", llms={"default": llm}, web=web))


def failed(found: list[Check]) -> list[tuple[str, str]]:
    return [(check.what, check.remedy) for check in found if not check.ok]


def test_a_server_that_does_has_no_remedies() -> None:
    with fake_server(obeys("structured_outputs")) as server:
        found = checks(server, adapters={"kg": "lora"}, context=8192)
    assert not failed(found)
    said = {check.what: check.says for check in found}
    assert said["default: context"] == "8,192 tokens"
    assert said["default: constraints"].startswith("kept: choice;")


def test_a_server_that_keeps_to_nothing_is_told_of_and_no_reason_to_stop() -> None:
    with fake_server(says("hello")) as server:
        found = checks(server)
    assert not failed(found)
    said = {check.what: check.says for check in found}
    assert said["default: constraints"] == "ignored by the server: choice, regex, grammar, json"
    assert "llms.default.context" in said["default: context"]


def thinks(handler: Handler, body: dict[str, Any]) -> None:
    says("<think>hello is a greeting, so")(handler, body)


@pytest.mark.parametrize(
    ("reply", "fields", "what", "remedy"),
    [
        (refuses(401, "bad key"), {}, "default: answer", "CRAG_LLM_API_KEY"),
        (refuses(404, "no model [/red]"), {"model": "bse"}, "default: answer", "name one that"),
        (says("hi"), {"adapters": {"kg": "lost"}}, "default: kg", "name one of these"),
        (thinks, {}, "default: answer", "llms.default.think_tokens=1000"),
        (refuses(400, "no"), {}, "default: answer", "log"),
    ],
)
def test_what_is_wrong_has_a_remedy(
    reply: Reply, fields: dict[str, Any], what: str, remedy: str
) -> None:
    with fake_server(reply) as server:
        ((found, told),) = failed(checks(server, **fields))
    assert found == what and remedy in told


def test_nobody_there_and_no_model_and_no_api() -> None:
    with fake_server(says("hi")) as server:
        pass
    ((what, remedy),) = failed(checks(server))
    assert what == "default: server" and "start it" in remedy
    gone = Settings(system="offline", api_url=server.url.removesuffix("/v1"))
    ((what, remedy),) = failed(run_checks(gone))
    assert what == "KG API" and "python -m mock_api" in remedy
    absent = Settings(system="db3", llm="hf:nowhere", web={"preset": "default"})
    assert "default: model" in [what for what, _ in failed(run_checks(absent))]
    assert failed(run_checks(Settings(system="db33")))[0][0] == "system"
    assert ("LLM", "give --llm") in failed(run_checks(Settings(system="db3")))


def test_a_table_has_the_remedies_of_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    Console(width=120).print(as_table([Check("a", True, "x", "y"), Check("b", False, "z", "do")]))
    shown = capsys.readouterr().out
    assert "→ do" in shown and "→ y" not in shown


def test_the_command_ends_with_2_where_a_check_fails(tmp_path: Path) -> None:
    with fake_server(says("hello")) as server:
        argv = ["check", "--settings", str(tmp_path / "none.toml"), "--system", "db3"]
        argv += ["--llm", f"openai:{server.url}#base", "--set", "web.preset=default"]
        assert main(argv) == 0
    assert main(argv) == 2
    assert main([*argv, "--set", "bacth_size=1"]) == 2
