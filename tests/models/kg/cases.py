"""Cases as data, a line of a JSON lines file each; a client that answers as a test says."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from utils.crag_api import ApiCall
from utils.deadline import Deadline

SOON = Deadline(10.0, lambda: 0.0)


def cases(file: Path, name: str = "text") -> list[Any]:
    """The lines of a file as parameters of a test; the key `name` names each."""
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [pytest.param(case, id=case[name][:60]) for case in lines]


class Answering:
    """A KG client that gives what `answer` gives for each call."""

    def __init__(self, answer: Callable[[ApiCall], Any]) -> None:
        self.answer = answer

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any]:
        return [self.answer(call) for call in calls]
