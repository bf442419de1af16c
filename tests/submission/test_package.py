"""pyproject.toml, Dockerfile, Makefile, the packages and the docs name the same things."""

import re
import subprocess
import sys
import tomllib

import pytest

import crag
from submission.checks import CHECKS
from tests.submission.scratch import ROOT, RUN_CHECKS

PAGE = (ROOT / "docs" / "submit.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"(?:crag|-m) (?:submission|weights) (\w+)", PAGE)


def test_the_packages_are_named_alike_everywhere() -> None:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    named = set(tools["mypy"]["packages"])
    assert set(tools["ruff"]["lint"]["isort"]["known-first-party"]) == named
    wheel = {name.rstrip("*") for name in tools["setuptools"]["packages"]["find"]["include"]}
    assert wheel == named | {"example_data"}
    assert named >= set(tools["coverage"]["run"]["source"])


def test_weights_go_to_lfs() -> None:
    command = ["git", "check-attr", "filter", "diff", "merge", "--", "models/weights/a/b"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert [line.rpartition(": ")[2] for line in done.stdout.splitlines()] == ["lfs"] * 3


@pytest.mark.parametrize("name", crag.COMMANDS)
def test_every_subcommand_shows_its_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert crag.main([name, "--help"]) == 0
    assert f"Usage: crag {name}" in capsys.readouterr().out


def subcommands(name: str, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The commands that a command's help lists, each with its summary."""
    assert crag.main([name, "--help"]) == 0
    lines = capsys.readouterr().out.partition("Commands:\n")[2].splitlines()
    summaries = {}
    for line in filter(None, lines):
        command, _, summary = line.strip().partition(" ")
        summaries[command] = summary.strip()
    return summaries


@pytest.mark.parametrize("name", crag.COMMANDS)
def test_no_summary_of_a_command_is_cut(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command, summary in subcommands(name, capsys).items():
        assert not summary.endswith("..."), summary
        assert crag.main([name, command, "--help"]) == 0
        assert f"Usage: crag {name} {command}" in capsys.readouterr().out


def test_every_command_line_has_a_crag_spelling() -> None:
    modules = {command.module for command in crag.COMMANDS.values()}
    for package in ("models", "mock_api", "evaluation", "training", "submission", "playground"):
        for file in (ROOT / package).rglob("__main__.py"):
            module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            assert module in modules


def test_an_unknown_subcommand_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert crag.main(["nonsense"]) == 2
    assert "`crag --help` lists them" in capsys.readouterr().err
    assert crag.main(["evla"]) == 2
    assert "did you mean `crag eval`?" in capsys.readouterr().err
    assert crag.main([]) == 0


def test_windows_is_refused_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert crag.main(["eval", "--help"]) == 2
    assert "WSL" in capsys.readouterr().err


def test_the_page_names_commands_that_exist_and_explains_every_check(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = {*subcommands("submission", capsys), *subcommands("weights", capsys)}
    assert COMMANDS and set(COMMANDS) <= names
    assert [name for name in (*CHECKS, *RUN_CHECKS) if f"`{name}`" not in PAGE] == []
