"""What confidences gain on questions that they were not fitted on, with a bootstrap interval."""

from collections import Counter
from dataclasses import dataclass

from evaluation.score import Interval, mean_interval
from training.fitting.weights import Vector


@dataclass(frozen=True, slots=True)
class Gain:
    """What confidences gain on questions that they were not fitted on.

    Attributes:
        folds: each part of the questions is judged by what was fitted on the others.
        score: with confidences.
        plain_score: with the best way that looks at no confidence, chosen on the same other parts.
        gain: `score` - `plain_score`.
        gain_ci95: its interval, by bootstrap over questions.
        gains: whether the interval is above 0.
    """

    folds: int
    score: float
    plain_score: float
    gain: float
    gain_ci95: Interval
    gains: bool

    def in_words(self, gains: str, on: str) -> str:
        """The gain in a sentence.

        Args:
            gains: the subject and verb, such as "confidences gain".
            on: what not to rely on if they gain nothing.
        """
        low, high = self.gain_ci95
        gain = f"{self.gain:+.3f} a question, 95% from {low:+.3f} to {high:+.3f}"
        if self.gains:
            return f"On held-out data the {gains} {gain}."
        return f"The {gains} nothing on held-out data ({gain}): do not rely on {on}."


def measure_gain(earned: Vector, plain: Vector, folds: int) -> Gain:
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
