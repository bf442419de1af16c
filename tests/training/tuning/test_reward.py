"""The reward of an answer, case by case."""

from typing import Any

import pytest

from evaluation.judge.protocol import Item, Judgement, Verdict, failed
from evaluation.judge.rules import RulesJudge
from training.tuning.reward import BAD_FORM, TernaryReward
from utils.errors import JudgeError

END = 2


def rewards(
    texts: list[str], golds: list[str], judge: Any = None, last: int | None = END
) -> tuple[list[float], dict[str, float]]:
    """The rewards of answers to one question, and what was logged."""
    metrics: dict[str, float] = {}
    values = TernaryReward(judge or RulesJudge(), frozenset({END}))(
        completions=[[{"role": "assistant", "content": text}] for text in texts],
        completion_ids=[[] if last is None else [7, last] for _ in texts],
        question=["how long is inception?"] * len(texts),
        golds=[golds] * len(texts),
        log_metric=metrics.__setitem__,
        prompts=["not used"],
    )
    return values, metrics


@pytest.mark.parametrize(
    ("text", "gold", "reward"),
    [
        ("148 minutes", "148 minutes", 1),
        ("it is 148 minutes.", "148 minutes", 1),
        ("169 minutes", "148 minutes", -1),
        ("i don't know", "148 minutes", 0),
        ("I cannot find it in the context.", "148 minutes", 0),
        ("invalid question", "148 minutes", -1),
        ("invalid question", "invalid question", 1),
        ("148 minutes", "invalid question", -1),
        ("148 minutes", "i don't know", -1),  # the context does not have it
        ("i don't know", "i don't know", 0),
        ("148 minutes\nor more", "148 minutes", 1 + BAD_FORM),
        ("", "148 minutes", BAD_FORM),
        ("there is no such film yet, but one may come", "invalid question", 0),  # unscored
    ],
)
def test_right_is_one_unknown_nothing_and_wrong_minus_one(
    text: str, gold: str, reward: float
) -> None:
    assert rewards([text], [gold])[0] == [pytest.approx(reward)]


def test_an_answer_that_does_not_end_loses_a_little() -> None:
    assert rewards(["148 minutes"], ["148 minutes"], last=7)[0] == [1 + BAD_FORM]
    assert rewards(["148 minutes"], ["148 minutes"], last=None)[0] == [1 + BAD_FORM]


def test_any_gold_is_right_and_the_shares_are_logged() -> None:
    values, metrics = rewards(
        ["148 minutes", "2 h 28 min", "169 minutes", "i don't know"],
        ["148 minutes", "2 h 28 min"],
    )
    assert values == [1, 1, -1, 0]
    shares = {"accuracy": 0.5, "hallucination": 0.25, "missing": 0.25, "unscored": 0.0}
    assert metrics == shares


class Undecided:
    """A judge whose model decides all but the first item, or none."""

    name = "undecided"

    def __init__(self, *, none: bool) -> None:
        self.none = none

    def judge(self, items: list[Item]) -> list[Judgement]:
        decided = Judgement(Verdict.CORRECT, "", by_model=True)
        judgements = [failed("no reply")] * len(items)
        return judgements if self.none else [judgements[0], *[decided] * (len(items) - 1)]


def test_what_the_judge_cannot_decide_costs_nothing() -> None:
    values, _ = rewards(["148 minutes", "148"], ["148 minutes"], Undecided(none=False))
    assert values == [0, 1]


def test_a_judge_that_is_down_ends_the_training() -> None:
    with pytest.raises(JudgeError, match="no reply"):
        rewards(["148 minutes"], ["148 minutes"], Undecided(none=True))
