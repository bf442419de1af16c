"""The rules judge against a table of cases: a new case is a line in cases.jsonl."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases.jsonl").read_text(encoding="utf-8").splitlines()
]


def item_of(case: dict[str, Any]) -> Item:
    return Item("case", case["query"], tuple(case["golds"]), case["prediction"])


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{i}: {case['why']}" for i, case in enumerate(CASES, 1)]
)
def test_case(case: dict[str, Any]) -> None:
    [judgement] = RulesJudge().judge([item_of(case)])
    assert judgement.verdict == case["verdict"], judgement.reason
    assert judgement.reason
    assert not judgement.failed


def test_every_verdict_has_cases() -> None:
    counts = Counter(case["verdict"] for case in CASES)
    assert set(counts) == set(Verdict)
    assert sum(counts.values()) >= 120
    assert min(counts.values()) >= 10


def test_length_and_order_are_kept() -> None:
    judgements = RulesJudge().judge([item_of(case) for case in CASES])
    assert [str(judgement.verdict) for judgement in judgements] == [
        case["verdict"] for case in CASES
    ]
