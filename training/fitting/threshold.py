"""The probability that an answer must have to be given."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.judge.protocol import Verdict
from evaluation.score import WORTH
from training.fitting.weights import Vector

Worths = NDArray[np.int64]  # 1: right, -1: wrong, 0: neither


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """The best answers to a group of questions: the probability and the worth of each.

    A question without an answer has the probability 0 and the worth 0.
    """

    chances: Vector
    worths: Worths


def worths_of(verdicts: Iterable[Verdict]) -> Worths:
    """What each answer earns: 1 if it is right, -1 if it is wrong, else 0."""
    return np.array([WORTH[verdict] for verdict in verdicts], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Bound:
    """At most the share `most_wrong` of a group's questions may be answered wrong."""

    group: AnswerGroup
    most_wrong: float


def best_threshold(scored: Sequence[AnswerGroup], bounds: Sequence[Bound] = ()) -> float:
    """The threshold with the best score; of those that score the same, the highest.

    An answer is given if its probability is above the threshold. The score is the share of right
    answers less that of wrong ones, summed over the groups of `scored`.
    """
    thresholds = _between_chances([*scored, *(bound.group for bound in bounds)])
    allowed = np.ones(len(thresholds), dtype=bool)
    for bound in bounds:
        wrong = np.where(bound.group.worths == -1, 1, 0)
        wrong_shares = _shares_above(bound.group.chances, wrong, thresholds)
        allowed &= wrong_shares <= bound.most_wrong
    scores = np.zeros(len(thresholds))
    for group in scored:
        scores += _shares_above(group.chances, group.worths, thresholds)
    best_score = scores[allowed].max()  # no answer is over the highest one, so that it is allowed
    best = np.flatnonzero(allowed & (scores == best_score))
    return float(thresholds[best[-1]])


def _between_chances(groups: Sequence[AnswerGroup]) -> Vector:
    """The thresholds that differ in what they let through, in ascending order: 0, one between each
    two neighbouring probabilities, and one above them all."""
    chances = np.unique(np.concatenate([group.chances for group in groups]))
    lower = np.concatenate([[0.0], chances])
    upper = np.concatenate([chances, [1.0]])
    middles = (lower + upper) / 2
    middles[0] = 0.0
    return np.asarray(middles, dtype=np.float64)


def _shares_above(chances: Vector, amounts: Worths, thresholds: Vector) -> Vector:
    """For each threshold the `amounts` of the answers above it, added up, by all questions."""
    order = np.argsort(-chances, kind="stable")
    totals = np.concatenate([[0], np.cumsum(amounts[order])])  # of the first n answers
    ascending = np.sort(chances)
    not_above = np.searchsorted(ascending, thresholds, side="right")
    above = len(chances) - not_above
    shares = totals[above] / max(1, len(chances))
    return np.asarray(shares, dtype=np.float64)
