"""The examples in the query prompt are valid programs and give the stated answers."""

import json
from datetime import datetime
from typing import Any

import pytest

from mock_api.local import LocalClient
from models.kg import run
from models.kg.language.check import check
from models.kg.language.parser import parse
from models.subtasks.kg_text.query_prompt import FILE
from tests.models.kg.cases import SOON

ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[row["question"] for row in ROWS])
def test_each_example_gives_its_answer(row: dict[str, Any], example_kg: LocalClient) -> None:
    program = parse(row["program"], strict=True).program
    assert not any(check(program))
    now = datetime.fromisoformat(row.get("now", "2024-03-15T16:00:00"))
    result = run(program, example_kg, now, SOON)
    values = [
        [value for value in outcome.values if not isinstance(value, dict)]
        for outcome in result.outcomes
    ]
    assert values == row["answer"]
    assert bool(result.known) is (row["program"] != "None")
