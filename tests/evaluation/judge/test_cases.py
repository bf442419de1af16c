"""The rules judge against a table of cases: a new case is a line in cases.jsonl."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.judge.protocol import Item
from evaluation.judge.rules import RulesJudge

LINES = (Path(__file__).parent / "cases.jsonl").read_text(encoding="utf-8").splitlines()
CASES: list[dict[str, Any]] = [json.loads(line) for line in LINES]


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{i}: {case['why']}" for i, case in enumerate(CASES, 1)]
)
def test_case(case: dict[str, Any]) -> None:
    item = Item("case", case["query"], tuple(case["golds"]), case["prediction"])
    [judgement] = RulesJudge().judge([item])
    assert judgement.verdict == case["verdict"], judgement.reason
    assert judgement.reason
    assert not judgement.failed
