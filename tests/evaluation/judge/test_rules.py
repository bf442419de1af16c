"""What holds of the rules judge whatever the text: it never raises, it knows missing."""

import random
import time
from typing import Any

import pytest

from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge, judge_item

PIECES = (
    "yes no not or and , . ; : - -- ( ) [ ] { } \" ' $ € % 1 2.5 1,000 03/04/05 2024-13-45 31/31/99"
    " 1990s 10th 6'2\" 1e999 ٣ ² ½ Ⅷ 五 ﷽ ß ŉ İ \u0000 \ud800 \u202e 🙂 é e\u0301 march may"
    " 99999999999 million dozen twice between than invalid question i don't know the a is was who"
    " what which how many - 1. 2. * # ` \\ \n \t ' s 's 0 -0 .5 5. 1.4. $. ,,, ... /// nan inf"
).split(" ")


def random_text(rng: random.Random) -> str:
    if rng.random() < 0.3:
        return "".join(chr(rng.randrange(1, 0x11000)) for _ in range(rng.randrange(20)))
    return rng.choice(("", " ")).join(rng.choice(PIECES) for _ in range(rng.randrange(25)))


def test_no_text_makes_it_raise() -> None:
    rng = random.Random(20240320)
    items = [
        Item(
            str(n),
            random_text(rng),
            tuple(random_text(rng) for _ in range(rng.randrange(3))),
            random_text(rng),
        )
        for n in range(1000)
    ]
    judgements = RulesJudge().judge(items)
    assert len(judgements) == len(items)
    assert all(judgement.reason and not judgement.failed for judgement in judgements)


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
    items = [Item("x", "which town?", ("oster",), said) for said in (no_text, "oster")]
    broken, sound = RulesJudge().judge(items)
    assert (broken.verdict, broken.failed) == (Verdict.UNSCORED, True)
    assert "a rule broke: " in broken.reason
    assert sound.verdict is Verdict.CORRECT


def test_no_gold_is_unscored() -> None:
    assert judge_item(Item("x", "who?", (), "ada lunt")).verdict is Verdict.UNSCORED


def test_any_gold_counts() -> None:
    golds = ("oster", "oster harbor", "port of oster")
    for gold in golds:
        assert judge_item(Item("x", "which town?", golds, gold)).verdict is Verdict.CORRECT
    assert judge_item(Item("x", "which town?", golds, "lindmouth")).verdict is Verdict.WRONG


@pytest.mark.parametrize(
    "gold", ["oster harbor", "12.50", "1958-04-19", "yes", "tarn, pell, orrin"]
)
def test_a_gold_is_right_for_itself(gold: str) -> None:
    for said in (gold, gold.upper(), f"{gold}.", f"The answer is {gold}.", f"**{gold}**"):
        assert judge_item(Item("x", "what is it?", (gold,), said)).verdict is Verdict.CORRECT
