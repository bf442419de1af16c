"""What confidences gain on questions that they were not fitted on: folds, bootstrap, shuffles."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.score import SEED, Interval, mean_interval
from utils.errors import InputError

FOLDS = 5
SHUFFLES = 99
CHANCE = 0.01

Floats = NDArray[np.float64]
# Held-out scores of each question: with confidences, and for the baseline. Given a random
# generator, the confidences are shuffled first.
HeldOutScores = Callable[[np.random.Generator | None], tuple[Floats, Floats]]


@dataclass(frozen=True, slots=True)
class Gain:
    """What confidences gain on questions that they were not fitted on.

    Attributes:
        folds: each part of the questions is judged by what was fitted on the others.
        score: with confidences; plain_score: with the best way that looks at no confidence, chosen
            on the same other parts.
        gain: `score` - `plain_score`; gain_ci95: its interval, by bootstrap over questions.
        chance: the share of shuffles of the confidences among the questions that gain as much.
        gains: whether the interval is above 0, and `chance` at most 0.01.
    """

    folds: int
    score: float
    plain_score: float
    gain: float
    gain_ci95: Interval
    chance: float
    gains: bool

    def in_words(self, gains: str, on: str) -> str:
        """The gain in a sentence. `gains`: subject and verb, such as "confidences gain"; `on`: what
        not to rely on if they gain nothing."""
        low, high = self.gain_ci95
        gain = (
            f"{self.gain:+.3f} a question, 95% from {low:+.3f} to {high:+.3f}; "
            f"{self.chance:.0%} of shuffled ones gain as much"
        )
        if self.gains:
            return f"On held-out data the {gains} {gain}."
        return f"The {gains} nothing on held-out data ({gain}): do not rely on {on}."


def measure_gain(scores: HeldOutScores, folds: int, shuffles: int = SHUFFLES) -> Gain:
    """The gain of the held-out `scores`, and whether it could be chance."""
    earned, plain = scores(None)
    gain = float((earned - plain).mean())
    interval = mean_interval(Counter((earned - plain).tolist()))
    random = np.random.default_rng(SEED)
    as_much = 1
    for _ in range(shuffles):
        other, without = scores(random)
        as_much += float((other - without).mean()) >= gain
    chance = as_much / (shuffles + 1)
    return Gain(
        folds=folds,
        score=float(earned.mean()),
        plain_score=float(plain.mean()),
        gain=gain,
        gain_ci95=interval,
        chance=chance,
        gains=interval[0] > 0 and chance <= CHANCE,
    )


def folds_of(ids: Sequence[str], folds: int) -> NDArray[np.int64]:
    """The fold of each question, by the hash of its id alone.

    Raises:
        InputError: there are fewer questions than folds, or fewer than two folds.
    """
    if not 2 <= folds <= len(ids):
        raise InputError(f"{len(ids)} questions cannot be checked in {folds} folds")
    order = sorted(range(len(ids)), key=lambda i: hashlib.sha256(ids[i].encode()).digest())
    fold = np.empty(len(ids), dtype=np.int64)
    fold[order] = np.arange(len(ids)) % folds
    return fold
