"""The rules judge: a table of cases (a new case is a line in cases.jsonl), and long texts.

tests/test_fuzz.py has random texts.
"""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from evaluation.judge import lexicon
from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge, judge_item

LINES = (Path(__file__).parent / "cases.jsonl").read_text(encoding="utf-8").splitlines()
CASES: list[dict[str, Any]] = [json.loads(line) for line in LINES]


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{i}: {case['why']}" for i, case in enumerate(CASES, 1)]
)
def test_each_case_gets_its_verdict(case: dict[str, Any]) -> None:
    judgement = judge_item(Item("", case["query"], tuple(case["golds"]), case["prediction"]))
    assert judgement.verdict == case["verdict"], judgement.reason
    assert judgement.reason


@pytest.mark.clock
@pytest.mark.parametrize(
    "text", ["sorry, but " * 9_000, "9" * 50_000, "1," * 20_000, "(" * 30_000, "i don't " * 10_000]
)
def test_long_text_takes_no_long_time(text: str) -> None:
    start = time.perf_counter()
    judge_item(Item("long", text, (text,), text + "x"))
    assert time.perf_counter() - start < 20.0  # it takes a tenth of that at worst: no hanging


def test_an_item_that_breaks_a_rule_is_unscored_alone() -> None:
    no_text: Any = 5
    broken_item = Item("x", "which town?", ("oster",), no_text)
    sound_item = Item("x", "which town?", ("oster",), "oster")
    broken, sound = RulesJudge().judge([broken_item, sound_item])
    assert broken.verdict is Verdict.UNSCORED
    assert broken.failed
    assert "a rule broke: " in broken.reason
    assert sound.verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    "gold", ["oster harbor", "12.50", "1958-04-19", "yes", "tarn, pell, orrin"]
)
def test_a_gold_is_right_for_itself(gold: str) -> None:
    predictions = (gold, gold.upper(), f"{gold}.", f"The answer is {gold}.", f"**{gold}**")
    for prediction in predictions:
        item = Item("x", "what is it?", (gold,), prediction)
        assert judge_item(item).verdict is Verdict.CORRECT


def test_a_misspelt_row_of_the_word_lists_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = lexicon.FILE.read_text(encoding="utf-8")
    misspelt = tmp_path / "lexicon.toml"
    misspelt.write_text(content.replace("cues = ", "ceus = "), encoding="utf-8")
    monkeypatch.setattr(lexicon, "FILE", misspelt)
    with pytest.raises(ValidationError, match="ceus"):
        lexicon.judge_lexicon.__wrapped__()
