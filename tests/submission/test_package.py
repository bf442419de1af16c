"""pyproject.toml, Dockerfile, Makefile, the packages and the docs name the same things."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import crag
from models.records import Task
from submission.__main__ import app as submission
from submission.checks import CHECKS, RUN_CHECKS
from submission.checks.image import dockerfile, python, requirements
from submission.tree import Tree
from submission.weights.__main__ import app as weights

ROOT = Path(__file__).resolve().parent.parent.parent
TREE = Tree(ROOT, Task.END_TO_END, "v0.1")
PYPROJECT = tomllib.loads(TREE.read("pyproject.toml"))
PAGE = TREE.read("docs/submit.md")
COMMANDS = re.findall(r"python (?:-B )?-m submission(?:\.weights)? (\w+)", PAGE)


@pytest.mark.parametrize("check", [dockerfile, python, requirements])
def test_the_image_is_what_the_evaluator_expects(check: Callable[[Tree], object]) -> None:
    assert list(check(TREE)) == []  # type: ignore[call-overload]


def test_the_packages_are_named_alike_everywhere() -> None:
    tools = PYPROJECT["tool"]
    named = set(tools["mypy"]["packages"])
    assert set(tools["ruff"]["lint"]["isort"]["known-first-party"]) == named
    assert {n.rstrip("*") for n in tools["setuptools"]["packages"]["find"]["include"]} == named
    assert named >= set(tools["coverage"]["run"]["source"])


def test_weights_go_to_lfs_and_not_into_the_image() -> None:
    assert "models/weights/** filter=lfs diff=lfs merge=lfs -text\n" in TREE.read(".gitattributes")
    assert "models/weights" in TREE.read(".dockerignore").split()


@pytest.mark.parametrize("name", crag.COMMANDS)
def test_every_subcommand_shows_its_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = crag.main([name, "--help"])
    except SystemExit as ended:  # argparse
        status = int(ended.code or 0)
    assert status == 0
    assert "usage" in capsys.readouterr().out.lower()


def test_an_unknown_subcommand_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert crag.main(["nonsense"]) == 2
    assert "semparse" in capsys.readouterr().err
    assert crag.main([]) == 0


def test_the_page_shows_commands_that_are_there() -> None:
    names = {
        command.name or command.callback.__name__
        for app in (submission, weights)
        for command in app.registered_commands
        if command.callback
    }
    assert COMMANDS and set(COMMANDS) <= names


def test_the_page_explains_every_check_and_names_only_files_that_exist() -> None:
    assert [name for name in (*CHECKS, *RUN_CHECKS) if f"`{name}`" not in PAGE] == []
    named = re.findall(r"`((?:utils|submission|tests)/[\w/]+\.\w+)`", PAGE)
    assert [name for name in named if not (ROOT / name).is_file()] == []
