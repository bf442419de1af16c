"""Programs over the sample KG, and what they give and say: each line of `sample_kg.jsonl`."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from mock_api.local import LocalClient
from models.kg import run
from utils.deadline import Deadline

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "sample_kg.jsonl").read_text(encoding="utf-8").splitlines()
]
SOON = Deadline(10.0, lambda: 0.0)


@pytest.mark.parametrize("case", CASES, ids=[case["text"] for case in CASES])
def test_a_program(case: dict[str, Any], example_kg: LocalClient) -> None:
    now = datetime.fromisoformat(case.get("now", "2024-03-15T16:00:00"))
    result = run(case["text"], example_kg, now, SOON)
    for outcome, values in zip(result.outcomes, case["values"], strict=True):
        assert values is None or list(outcome.values) == values
    assert result.sentences == case["english"]
