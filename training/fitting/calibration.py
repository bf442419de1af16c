"""How well probabilities are calibrated: the mean probability against the share that is right."""

from dataclasses import dataclass

import numpy as np

from training.fitting.weights import Truths, Vector

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of similar probability: its mean, the share of right answers, and their number."""

    chance: float
    right: float
    count: int


def reliability(chances: Vector, right: Truths) -> tuple[Bin, ...]:
    """The reliability curve: bins of equal numbers of answers, the least probable ones first.

    Bins of equal width would hold a few answers in the middle and nearly all at the ends (Nixon et
    al. 2019, "Measuring Calibration in Deep Learning").

    Args:
        chances: float64[answers].
        right: bool[answers].
    """
    order = np.argsort(chances, kind="stable")
    bins = []
    for places in np.array_split(order, BINS):
        if len(places):
            chance = float(chances[places].mean())
            share = float(right[places].mean())
            bins.append(Bin(chance, share, len(places)))
    return tuple(bins)
