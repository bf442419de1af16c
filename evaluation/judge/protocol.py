"""Items, verdicts, and the protocol of a judge."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from utils.errors import CragError, JudgeError

logger = logging.getLogger(__name__)


class Verdict(StrEnum):
    """The contest's three verdicts, and UNSCORED where the judge could not decide."""

    CORRECT = "correct"
    MISSING = "missing"
    WRONG = "wrong"
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class Item:
    """One prediction to judge. Any of `golds` is a right answer."""

    id: str
    query: str
    golds: tuple[str, ...]
    prediction: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict and its reason.

    Attributes:
        failed: the judge itself failed; the verdict is then UNSCORED, and the item is reported
            apart, never counted as wrong.
        rule: what gave the verdict: the type of the answer, what needs no judge ("exact match"), or
            an LLM; empty: the judge failed.
        disputed: two judges disagreed, and a third decided.
        by_model: a model gave the verdict.
    """

    verdict: Verdict
    reason: str
    failed: bool = False
    rule: str = ""
    disputed: bool = False
    by_model: bool = False


class Judge(Protocol):
    """Judges items; the judgements have the items' length and order."""

    name: str

    def judge(self, items: Sequence[Item]) -> list[Judgement]:
        """One judgement per item."""


def correct(reason: str, rule: str = "") -> Judgement:
    """The judgement of a correct prediction."""
    return Judgement(Verdict.CORRECT, reason, rule=rule)


def wrong(reason: str, rule: str = "") -> Judgement:
    """The judgement of a wrong prediction."""
    return Judgement(Verdict.WRONG, reason, rule=rule)


def unscored(reason: str, rule: str = "") -> Judgement:
    """The judgement of a prediction that the judge cannot decide."""
    return Judgement(Verdict.UNSCORED, reason, rule=rule)


def failed(reason: str) -> Judgement:
    """The judgement of an item on which the judge itself failed."""
    return Judgement(Verdict.UNSCORED, reason, failed=True)


def raise_if_all_failed(judge: Judge, judgements: Sequence[Judgement]) -> None:
    """Refuse judgements of a judge that failed wherever its model was asked.

    Those without a request, such as an exact match, say nothing of whether it works.

    Raises:
        JudgeError: the judge failed on every item that its model had to decide.
    """
    failures = [judgement for judgement in judgements if judgement.failed]
    if failures and not any(judgement.by_model for judgement in judgements):
        raise JudgeError(
            f"{judge.name} gave no verdict on any of {len(failures)} answers that needed one: "
            f"{failures[0].reason}"
        )


def judge_items(judge: Judge, items: Sequence[Item]) -> list[Judgement]:
    """One judgement per item, UNSCORED where the judge failed."""
    try:
        judgements = judge.judge(items)
        if len(judgements) == len(items):
            return judgements
        reason = f"the judge gave {len(judgements)} judgements for {len(items)} items"
    except CragError as error:
        reason = f"{type(error).__name__}: {error}"
    logger.error("unscored: %s", reason)
    return [failed(reason)] * len(items)
