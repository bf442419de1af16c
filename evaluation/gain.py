"""What confidences gain on questions that they were not fitted on: folds and bootstrap."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.score import Interval, mean_interval
from utils.errors import InputError

FOLDS = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Gain:
    """What confidences gain on questions that they were not fitted on.

    Attributes:
        folds: each part of the questions is judged by what was fitted on the others.
        score: with confidences; plain_score: with the best way that looks at no confidence, chosen
            on the same other parts.
        gain: `score` - `plain_score`; gain_ci95: its interval, by bootstrap over questions.
        gains: whether the interval is above 0.
    """

    folds: int
    score: float
    plain_score: float
    gain: float
    gain_ci95: Interval
    gains: bool

    def in_words(self, gains: str, on: str) -> str:
        """The gain in a sentence. `gains`: subject and verb, such as "confidences gain"; `on`: what
        not to rely on if they gain nothing."""
        low, high = self.gain_ci95
        gain = f"{self.gain:+.3f} a question, 95% from {low:+.3f} to {high:+.3f}"
        if self.gains:
            return f"On held-out data the {gains} {gain}."
        return f"The {gains} nothing on held-out data ({gain}): do not rely on {on}."


def measure_gain(earned: Floats, plain: Floats, folds: int) -> Gain:
    """The gain from each question's held-out score, with confidences and for the baseline."""
    gain = earned - plain
    interval = mean_interval(Counter(gain.tolist()))
    return Gain(
        folds=folds,
        score=float(earned.mean()),
        plain_score=float(plain.mean()),
        gain=float(gain.mean()),
        gain_ci95=interval,
        gains=interval[0] > 0,
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
