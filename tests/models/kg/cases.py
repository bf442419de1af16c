"""Cases as data: a line of a JSON lines file each."""

import json
from pathlib import Path
from typing import Any

import pytest


def cases(file: Path, name: str = "text") -> list[Any]:
    """The lines of a file as parameters of a test; the key `name` names each."""
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [pytest.param(case, id=case[name][:60]) for case in lines]
