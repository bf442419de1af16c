"""docs/submit.md: every command can be pasted, every check is explained."""

import argparse
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from submission.__main__ import _parser as submission_parser
from submission.checks import CHECKS, RUN_CHECKS
from utils.budget.__main__ import _parser as budget_parser
from utils.budget.__main__ import main as budget
from utils.weights.__main__ import _parser as weights_parser
from utils.weights.__main__ import main as weights

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "docs" / "submit.md").read_text()
PARSERS: dict[str, Callable[[], argparse.ArgumentParser]] = {
    "submission": submission_parser,
    "utils.budget": budget_parser,
    "utils.weights": weights_parser,
}
BLOCKS = "\n".join(re.findall(r"^```sh\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))
COMMANDS = re.findall(r"python (?:-B )?-m ((?:submission|utils\.\w+) [^#\n;|&\"]*)", BLOCKS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_is_one(command: str) -> None:
    module, *arguments = shlex.split(command)
    PARSERS[module]().parse_args(arguments)


RUN = {"utils.weights list": weights, "utils.budget": budget}


@pytest.mark.parametrize("start", RUN)
def test_what_needs_no_hub_and_no_clone_of_ones_own_is_run(start: str) -> None:
    command = next(c for c in COMMANDS if c.startswith(start))
    assert RUN[start](shlex.split(command)[1:]) == 0


def test_every_python_is_one_that_is_there() -> None:
    """A system's own has no packages of ours; the image's has them."""
    outside = [line for line in BLOCKS.splitlines() if "safe.directory" not in line]
    used = re.findall(r"\S*\b(?:python|pip|hf)\b(?= )", "\n".join(outside))
    assert used and all(name.startswith(".venv/bin/") for name in used)


def test_the_page_shows_every_command() -> None:
    assert {command.split()[0] for command in COMMANDS} == set(PARSERS)
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake (\w+) [A-Z]+=", BLOCKS)) == {"track", "submit"} <= targets


@pytest.mark.parametrize("name", [*CHECKS, *RUN_CHECKS])
def test_every_check_is_explained(name: str) -> None:
    assert f"`{name}`" in TEXT


def test_files_that_the_page_names_are_there() -> None:
    for name in re.findall(r"`((?:utils|submission|tests)/[\w/]+\.\w+)`", TEXT):
        assert (ROOT / name).is_file(), name
