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
from utils.weights.__main__ import _parser as weights_parser

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
