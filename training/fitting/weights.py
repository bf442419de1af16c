"""The weights of a log-linear model: the least loss plus a ridge, by scipy's L-BFGS-B.

Two losses: that of a ranker, which compares the candidates of one question, and that of a
confidence, which tells right answers from wrong ones.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from utils.packages import training_package

_MOST_STEPS = 1000

Vector = NDArray[np.float64]
Truths = NDArray[np.bool_]
Loss = Callable[[Vector], tuple[float, Vector]]  # the rows' margins -> the loss and its slope


@dataclass(frozen=True, slots=True)
class Prior:
    """What a weight is if the data say nothing.

    Attributes:
        ridge: how strongly the weight is drawn to `value`.
        value: of the weight.
        highest: the highest value that the weight may have; None: any.
    """

    ridge: float
    value: float = 0.0
    highest: float | None = None


def fit_weights(rows: Any, loss: Loss, priors: Sequence[Prior]) -> Vector:
    """The weights with the least `loss` plus ridge / 2 * (weight - prior)^2: float64[features].

    Args:
        rows: float64[rows, features], as a numpy array or a scipy sparse matrix.
        loss: of the rows' margins, which are `rows @ weights`.
        priors: of each feature.

    Raises:
        MissingPackageError: scipy is not installed.
    """
    optimize = training_package("scipy.optimize")
    if not priors:
        return np.zeros(0)
    centres = np.array([prior.value for prior in priors])
    ridges = np.array([prior.ridge for prior in priors])

    def penalised(weights: Vector) -> tuple[float, Vector]:
        value, slope = loss(rows @ weights)
        distances = weights - centres
        penalty = 0.5 * float(ridges @ distances**2)
        return value + penalty, rows.T @ slope + ridges * distances

    result = optimize.minimize(
        penalised,
        centres,
        jac=True,
        method="L-BFGS-B",
        bounds=[(None, prior.highest) for prior in priors],
        options={"maxiter": _MOST_STEPS},
    )
    return np.asarray(result.x, dtype=np.float64)


def probabilities(margins: Vector) -> Vector:
    """The probability that a margin stands for, by the logistic function."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -margins)), dtype=np.float64)


def confidence_loss(right: Truths, counts: Vector | None = None) -> Loss:
    """The negative log likelihood of a logistic model of which answers are `right`.

    Args:
        right: bool[answers].
        counts: how often each answer counts: float64[answers]; None: once.
    """
    signs = np.where(right, 1.0, -1.0)
    times = np.ones(len(right)) if counts is None else counts

    def loss(margins: Vector) -> tuple[float, Vector]:
        value = float(times @ np.logaddexp(0.0, -signs * margins))
        return value, times * (probabilities(margins) - right)

    return loss


def ranking_loss(questions: Sequence[int], right: Truths, counts: Vector | None = None) -> Loss:
    """The negative log likelihood that the candidate chosen for each question is a right one.

    Args:
        questions: the number of each candidate's question, in ascending order.
        right: whether each candidate is right; every question has one that is.
        counts: how often each question counts: float64[questions]; None: once.
    """
    _, starts, places = np.unique(questions, return_index=True, return_inverse=True)
    times = np.ones(len(starts)) if counts is None else counts

    def log_sums(margins: Vector) -> Vector:
        """log(sum(exp(margins))) of each question."""
        highest = np.maximum.reduceat(margins, starts)
        sums = np.add.reduceat(np.exp(margins - highest[places]), starts)
        return np.asarray(highest + np.log(sums), dtype=np.float64)

    def loss(margins: Vector) -> tuple[float, Vector]:
        right_margins = np.where(right, margins, -np.inf)
        of_all = log_sums(margins)
        of_right = log_sums(right_margins)
        among_all = np.exp(margins - of_all[places])
        among_right = np.exp(right_margins - of_right[places])
        slope = times[places] * (among_all - among_right)
        return float(times @ (of_all - of_right)), slope

    return loss
