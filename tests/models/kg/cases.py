"""Test cases as data, one per line of a JSON lines file; a client that answers as a test says."""

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
    parameters = []
    for line in file.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        parameters.append(pytest.param(case, id=case[name][:60]))
    return parameters


class Answering:
    """A KG client that replies to each call with what `answer` returns."""

    def __init__(self, answer: Callable[[ApiCall], Any]) -> None:
        self.answer = answer

    def call_many(self, calls: Sequence[ApiCall], *, deadline: Deadline) -> list[Any]:
        return [self.answer(call) for call in calls]
