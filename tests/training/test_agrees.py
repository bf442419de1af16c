"""A judge that is down ends the work; one that fails now and then does not."""

from collections.abc import Sequence

import pytest

from evaluation.judge.protocol import Item, Judgement, Verdict, correct, wrong
from training.agrees import IN_A_ROW, Agrees
from utils.errors import JudgeError

ITEM = Item("q", "how long?", ("3 m",), "3 m")
DOWN = Judgement(Verdict.UNSCORED, "connection refused", failed=True)


class Scripted:
    name = "scripted"

    def __init__(self, *said: Judgement) -> None:
        self._said = list(said)

    def judge(self, items: Sequence[Item]) -> list[Judgement]:
        return [self._said.pop(0) for _ in items]


def test_what_is_correct_agrees() -> None:
    agrees = Agrees(Scripted(correct("the same"), wrong("another"), DOWN))
    assert [agrees(ITEM) for _ in range(3)] == [True, False, False]


def test_a_failure_now_and_then_is_survived() -> None:
    some = [*[DOWN] * (IN_A_ROW - 1), correct("the same")]
    agrees = Agrees(Scripted(*some, *some))
    assert [agrees(ITEM) for _ in some * 2].count(True) == 2


def test_a_judge_that_is_down_ends_the_work() -> None:
    agrees = Agrees(Scripted(*[DOWN] * IN_A_ROW))
    for _ in range(IN_A_ROW - 1):
        assert not agrees(ITEM)
    with pytest.raises(JudgeError, match="connection refused"):
        agrees(ITEM)
