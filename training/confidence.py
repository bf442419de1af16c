"""A confidence model and its threshold, fitted on held-out predictions to maximise the CRAG score.

`training.calibrate` puts a threshold on one confidence of each step; this weighs all features of an
answer (models/runtime/confidence_model.py). Its gain is cross-validated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from evaluation.judge.protocol import Item, Judge, Verdict
from evaluation.run_folder import (
    RUN,
    TRACES,
    read_object,
    read_results,
    read_traces,
    write_json,
)
from models.runtime.confidence_model import STEP, ConfidenceModel
from training.fitting.calibration import Bin, reliability
from training.fitting.folds import FOLDS, FoldNumbers, folds_of
from training.fitting.gain import Gain, measure_gain
from training.fitting.threshold import AnswerGroup, Worths, best_threshold, worths_of
from training.fitting.weights import (
    Prior,
    Vector,
    confidence_loss,
    fit_weights,
    probabilities,
)
from training.plots import plot
from utils.errors import InputError
from utils.model_files import sha256

_RIDGE = 1.0
_BIAS_RIDGE = 1e-6  # next to none; it keeps the bias finite where all answers are right


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """One answer: its features by name, some of which may be missing, and its verdict."""

    id: str
    features: Mapping[str, float | None]
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class HeldOutCheck(Gain):
    """What the model gains and how well its probabilities are calibrated, both cross-validated."""

    brier: float
    calibration_error: float
    reliability: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class _Features:
    """The features of answers, scaled to mean 0 and deviation 1; a missing one is 0.

    Attributes:
        values: float64[answers, features].
        means: of each feature, over the answers that have it.
        scales: its standard deviation; 1 where it is always the same.
    """

    names: Sequence[str]
    values: Vector
    means: Vector
    scales: Vector


@dataclass(frozen=True, slots=True)
class _Fit:
    """A logistic model and the threshold that scores most with it."""

    weights: Vector
    bias: float
    threshold: float

    def chances(self, values: Vector) -> Vector:
        """The probability that each answer is right."""
        return probabilities(values @ self.weights + self.bias)


def fit(answers: Sequence[JudgedAnswer], system: str) -> tuple[ConfidenceModel, HeldOutCheck]:
    """The model fitted on all `answers` of `system`, and its cross-validated gain.

    Raises:
        InputError: there are too few answers, or none is judged right or wrong.
        MissingPackageError: scipy is not installed.
    """
    worths = worths_of(answer.verdict for answer in answers)
    if not worths.any():
        raise InputError(f"of {len(answers)} answers none is judged right or wrong")
    features = _scaled_features(answers)
    folds = folds_of([answer.id for answer in answers], FOLDS)
    check = _held_out_check(features.values, worths, folds)
    fitted = _fit_logistic(features.values, worths)
    model = ConfidenceModel(
        means=_by_name(features.names, features.means),
        scales=_by_name(features.names, features.scales),
        weights=_by_name(features.names, fitted.weights),
        bias=fitted.bias,
        threshold=fitted.threshold,
        gains=check.gains,
        system=system,
    )
    return model, check


def _by_name(names: Sequence[str], values: Vector) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))


def _scaled_features(answers: Sequence[JudgedAnswer]) -> _Features:
    present: set[str] = set()
    for answer in answers:
        present.update(name for name, value in answer.features.items() if value is not None)
    names = sorted(present)
    rows = [[answer.features.get(name) for name in names] for answer in answers]
    raw = np.array(rows, dtype=float)
    known = np.isfinite(raw)
    counts = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, raw, 0.0).sum(axis=0) / counts
    centred = np.where(known, raw - means, 0.0)
    deviations = np.sqrt((centred**2).sum(axis=0) / counts)
    scales = np.where(deviations > 0, deviations, 1.0)
    return _Features(names, centred / scales, means, scales)


def _held_out_check(values: Vector, worths: Worths, folds: FoldNumbers) -> HeldOutCheck:
    """The figures of the models of the other folds.

    Without a model all answers are given or none, whichever was better on the other folds.
    """
    earned = np.zeros(len(worths))
    plain = np.zeros(len(worths))
    chances = np.zeros(len(worths))
    for number in range(FOLDS):
        held_out = folds == number
        fitted = _fit_logistic(values[~held_out], worths[~held_out])
        chances[held_out] = fitted.chances(values[held_out])
        earned[held_out] = np.where(chances[held_out] > fitted.threshold, worths[held_out], 0)
        if worths[~held_out].sum() > 0:
            plain[held_out] = worths[held_out]
    gain = measure_gain(earned, plain, FOLDS)
    judged = worths != 0
    right = worths[judged] == 1
    bins = reliability(chances[judged], right)
    distances = sum(abs(each.chance - each.right) * each.count for each in bins)
    return HeldOutCheck(
        **asdict(gain),
        brier=float(((chances[judged] - right) ** 2).mean()),
        calibration_error=distances / len(right),
        reliability=bins,
    )


def _fit_logistic(values: Vector, worths: Worths) -> _Fit:
    """The model of whether an answer is right; answers without a verdict do not count."""
    judged = worths != 0
    ones = np.ones((int(judged.sum()), 1))
    rows = np.hstack([values[judged], ones])
    priors = [*[Prior(_RIDGE)] * values.shape[1], Prior(_BIAS_RIDGE)]
    weights = fit_weights(rows, confidence_loss(worths[judged] == 1), priors)
    bias = float(weights[-1])
    chances = probabilities(values @ weights[:-1] + bias)
    return _Fit(weights[:-1], bias, best_threshold([AnswerGroup(chances, worths)]))


def plot_reliability(file: Path, check: HeldOutCheck) -> None:
    """Write the curve as SVG, with the diagonal of perfect calibration."""
    points = [(one.chance, one.right) for one in check.reliability]
    count = sum(one.count for one in check.reliability)
    lines = {"measured": points, "perfect": [(0.0, 0.0), (1.0, 1.0)]}
    title = f"Reliability, held out ({count} answers)"
    plot(file, title, "predicted chance", "share that is right", lines)


def answers_of_run(run: Path, judge: Judge) -> list[JudgedAnswer]:
    """The known answers of a run with traces, judged as they stood before any confidence model.

    Raises:
        InputError: the run has no predictions, or no answer in its traces.
    """
    results = read_results(run)
    items: dict[str, Item] = {}
    features: dict[str, Mapping[str, float | None]] = {}
    for id, steps in read_traces(run).items():
        result = results.get(id)
        if result is None:
            continue
        for step in steps:
            if step.name == STEP:
                items[id] = Item(id, result.query, result.golds, step.inputs["answer"])
                features[id] = step.confidence
    if not items:
        raise InputError(f"{run}: no trace has an answer with features; run it without --no-trace")
    judgements = judge.judge(list(items.values()))
    return [
        JudgedAnswer(id, features[id], judgement.verdict)
        for id, judgement in zip(items, judgements, strict=True)
    ]


def fit_runs(runs: Sequence[Path], judge: Judge, out: Path) -> tuple[ConfidenceModel, HeldOutCheck]:
    """The model fitted on the answers of runs of one system; written to `out` with its figures.

    Raises:
        InputError: a run has no answers in its traces, or there are too few of them.
    """
    answers: list[JudgedAnswer] = []
    for run in runs:
        answers += answers_of_run(run, judge)
    model, check = fit(answers, str(read_object(runs[0] / RUN)["system"]))
    data = {"sha256": [sha256(run / TRACES) for run in runs], "answers": len(answers)}
    write_json(out, {"model": asdict(model), "held_out": asdict(check), "data": data})
    return model, check


def in_words(model: ConfidenceModel, check: HeldOutCheck) -> str:
    """A summary in sentences."""
    weights = ", ".join(f"{name} {value:+.2f}" for name, value in model.weights.items())
    verdict = check.in_words("confidence gains", "it")
    return (
        f"weights: {weights}; threshold {model.threshold:.3f}\n"
        f"held out, {check.folds} folds: score {check.score:.3f}, without {check.plain_score:.3f}; "
        f"Brier {check.brier:.3f}, calibration error {check.calibration_error:.3f}\n{verdict}"
    )
