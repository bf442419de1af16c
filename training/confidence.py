"""A confidence model and its threshold, fitted on held-out predictions to maximise the CRAG score.

`evaluation.calibrate` puts a threshold on one confidence of each step; this weighs all features of
an answer (models/runtime/confidence_model.py). Its gain is cross-validated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation.gain import FOLDS, Floats, Gain, folds_of, measure_gain
from evaluation.judge.protocol import Item, Judge, Verdict
from evaluation.run_folder import TRACES, read_results
from evaluation.score import WORTH
from models.runtime.confidence_model import STEP, ConfidenceModel
from training.plots import plot
from training.records import Row, read_rows
from utils.errors import InputError

BINS = 10
_RIDGE = 1.0
_NEWTON_STEPS = 30
Worths = NDArray[np.int64]  # 1: right, -1: wrong, 0: neither
Folds = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Predicted:
    """One answer: its features by name, some of which may be missing, and its verdict."""

    id: str
    features: Mapping[str, float | None]
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of similar probability: its mean, the share of right answers, and their number."""

    chance: float
    right: float
    count: int


@dataclass(frozen=True, slots=True)
class HeldOutCheck(Gain):
    """What the model gains and how well its probabilities are calibrated, both cross-validated."""

    brier: float
    calibration_error: float
    reliability: tuple[Bin, ...]


def fit(rows: Sequence[Predicted], system: str) -> tuple[ConfidenceModel, HeldOutCheck]:
    """The model fitted on all `rows`, answers of `system`, and its cross-validated gain.

    Raises:
        InputError: there are too few rows, or none is judged right or wrong.
    """
    worth = np.array([WORTH[row.verdict] for row in rows], dtype=np.int64)
    if not worth.any():
        raise InputError(f"of {len(rows)} answers none is judged right or wrong")
    names = sorted({n for row in rows for n, v in row.features.items() if v is not None})
    values, means, scales = _standardised(rows, names)
    check = _check(values, worth, folds_of([row.id for row in rows], FOLDS))
    weights, threshold = _fitted(values, worth)
    centres, spreads, by_name = (
        dict(zip(names, column.tolist(), strict=True)) for column in (means, scales, weights[:-1])
    )
    bias = float(weights[-1])
    return ConfidenceModel(centres, spreads, by_name, bias, threshold, check.gains, system), check


def _standardised(rows: Sequence[Predicted], names: Sequence[str]) -> tuple[Floats, Floats, Floats]:
    """The features as float64[answers, features], the mean for missing ones; means and scales."""
    raw = np.array([[row.features.get(n) for n in names] for row in rows], dtype=float)
    known = np.isfinite(raw)
    counts = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, raw, 0.0).sum(axis=0) / counts
    centred = np.where(known, raw - means, 0.0)
    spread = np.sqrt((centred**2).sum(axis=0) / counts)
    scales = np.where(spread > 0, spread, 1.0)
    return centred / scales, means, scales


def best_threshold(chances: Floats, worth: Worths) -> float:
    """The threshold that scores most: an answer stands if its chance is over it. Of those that
    score the same, the highest."""
    order = np.argsort(-chances, kind="stable")
    ranked = chances[order]
    earned = np.concatenate([[0], np.cumsum(worth[order])])
    # no threshold separates answers of one probability
    open_ = np.concatenate([[True], ranked[1:] < ranked[:-1], [True]])
    best = int(np.flatnonzero(open_ & (earned == earned[open_].max()))[0])
    if best == len(ranked):
        return 0.0
    above = ranked[best - 1] if best else 1.0
    return float((above + ranked[best]) / 2)


def _check(values: Floats, worth: Worths, fold: Folds) -> HeldOutCheck:
    earned, plain, chances = _held_out(values, worth, fold)
    gain = measure_gain(earned, plain, FOLDS)
    judged = worth != 0
    chances, right = chances[judged], (worth[judged] == 1).astype(np.float64)
    bins = reliability(chances, right)
    return HeldOutCheck(
        **asdict(gain),
        brier=float(((chances - right) ** 2).mean()),
        calibration_error=sum(abs(b.chance - b.right) * b.count for b in bins) / len(right),
        reliability=bins,
    )


def _held_out(values: Floats, worth: Worths, fold: Folds) -> tuple[Floats, Floats, Floats]:
    """What each answer earns with the model of the other folds and without, and its probability.

    Without, all are answered or none, whichever was better on the other folds.
    """
    earned, plain, chances = (np.zeros(len(worth)) for _ in range(3))
    for number in range(FOLDS):
        out = fold == number
        weights, threshold = _fitted(values[~out], worth[~out])
        chances[out] = _chances(values[out], weights)
        earned[out] = np.where(chances[out] > threshold, worth[out], 0)
        plain[out] = worth[out] if worth[~out].sum() > 0 else 0
    return earned, plain, chances


def _fitted(values: Floats, worth: Worths) -> tuple[Floats, float]:
    """The weights of a model, and its threshold."""
    weights = _logistic(values, worth)
    return weights, best_threshold(_chances(values, weights), worth)


def _logistic(values: Floats, worth: Worths) -> Floats:
    """Weights, the bias last, by Newton's method with a ridge; answers without a verdict do not
    count."""
    judged = worth != 0
    rows = np.hstack([values[judged], np.ones((int(judged.sum()), 1))])
    right = (worth[judged] == 1).astype(np.float64)
    ridge = np.diag([_RIDGE] * values.shape[1] + [1e-6])
    weights = np.zeros(rows.shape[1])
    for _ in range(_NEWTON_STEPS):
        chances = _chances(values[judged], weights)
        slope = rows.T @ (right - chances) - ridge @ weights
        curve = (rows * (chances * (1 - chances))[:, None]).T @ rows + ridge
        step = np.linalg.solve(curve, slope)
        weights = weights + np.clip(step, -5.0, 5.0)
        if np.abs(step).max() < 1e-8:
            break
    return weights


def _chances(values: Floats, weights: Floats) -> Floats:
    """The chance that each answer is right: the last weight is the bias."""
    margins = np.clip(values @ weights[:-1] + weights[-1], -60.0, 60.0)
    return np.asarray(1.0 / (1.0 + np.exp(-margins)), dtype=np.float64)


def reliability(chances: Floats, right: Floats) -> tuple[Bin, ...]:
    """The reliability curve: bins of equal width, without empty ones."""
    place = np.minimum((chances * BINS).astype(np.int64), BINS - 1)
    return tuple(
        Bin(float(chances[inside].mean()), float(right[inside].mean()), int(inside.sum()))
        for number in range(BINS)
        if (inside := place == number).any()
    )


def plot_reliability(file: Path, check: HeldOutCheck) -> None:
    """Write the curve as SVG, with the diagonal of perfect calibration."""
    points = [(one.chance, one.right) for one in check.reliability]
    title = f"Reliability, held out ({sum(b.count for b in check.reliability)} answers)"
    lines = {"measured": points, "perfect": [(0.0, 0.0), (1.0, 1.0)]}
    plot(file, title, "predicted chance", "share that is right", lines)


def predicted_of_run(run: Path, judge: Judge) -> list[Predicted]:
    """The known answers of a run with traces, judged as they stood before any confidence model.

    Raises:
        InputError: the run has no predictions, or no answer in its traces.
    """
    results = read_results(run)
    found: dict[str, tuple[Item, Mapping[str, float | None]]] = {}
    for trace in read_rows(run / TRACES, Row):
        result = results.get(trace["id"])
        for step in trace["steps"]:  # the last counts: a resumed run may have several
            if step["name"] == STEP and result is not None:
                item = Item(result.id, result.query, result.golds, str(step["inputs"]["answer"]))
                found[item.id] = item, step["confidence"]
    if not found:
        raise InputError(f"{run}: no trace has an answer with features; run it without --no-trace")
    judgements = judge.judge([item for item, _ in found.values()])
    return [
        Predicted(item.id, features, judged.verdict)
        for (item, features), judged in zip(found.values(), judgements, strict=True)
    ]


def in_words(model: ConfidenceModel, check: HeldOutCheck) -> str:
    """A summary in sentences."""
    weights = ", ".join(f"{name} {value:+.2f}" for name, value in model.weights.items())
    verdict = check.in_words("confidence gains", "it")
    return (
        f"weights: {weights}; threshold {model.threshold:.3f}\n"
        f"held out, {check.folds} folds: score {check.score:.3f}, without {check.plain_score:.3f}; "
        f"Brier {check.brier:.3f}, calibration error {check.calibration_error:.3f}\n{verdict}"
    )
