"""What the endpoints answer over invented facts, the same from either form of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("answers.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_every_case_is_answered_as_recorded(ask: Callable[..., Any]) -> None:
    """`why` says what a case shows; a case more needs no Python."""
    found = [{**case, "result": ask(case["path"], **case["body"])} for case in CASES]
    assert found == CASES
