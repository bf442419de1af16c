"""The confidence model on predictions whose optimum is known, and on ones that tell nothing.

tests/models/runtime/test_confidence_model.py fits one on a run.
"""

from pathlib import Path

import numpy as np
import pytest

from evaluation.judge.protocol import Verdict
from training.confidence import JudgedAnswer, fit, in_words, plot_reliability
from utils.errors import InputError

TRUE_WEIGHTS = np.array([1.5, -1.0, 0.8])
FEATURES = ("logprob", "spread", "agreement")


def answers(
    count: int, seed: int, *, shuffled: bool = False
) -> tuple[list[JudgedAnswer], np.ndarray]:
    """Answers that are right with a chance that three features tell, and these chances."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(count, 3))
    chances = 1 / (1 + np.exp(-(features @ TRUE_WEIGHTS - 0.2)))
    right = rng.random(count) < chances
    if shuffled:
        features = features[rng.permutation(count)]
    judged = []
    for number, values in enumerate(features.tolist()):
        verdict = Verdict.CORRECT if right[number] else Verdict.WRONG
        by_name = dict(zip(FEATURES, values, strict=True))
        judged.append(JudgedAnswer(f"q{number}", by_name, verdict))
    return judged, chances


def test_it_comes_within_two_points_of_the_known_optimum(tmp_path: Path) -> None:
    """The best that can be done is to answer where the true chance is over a half."""
    judged, _ = answers(1200, 0)
    model, check = fit(judged, "offline")
    assert check.gains and check.gain > 0.1
    assert "On held-out data the confidence gains" in in_words(model, check)
    plot_reliability(tmp_path / "curve.svg", check)
    assert "<svg" in (tmp_path / "curve.svg").read_text()
    assert check.calibration_error < 0.05
    fresh, chances = answers(20_000, 100)
    worth = np.array([1 if answer.verdict is Verdict.CORRECT else -1 for answer in fresh])
    optimum = float(np.where(chances > 0.5, worth, 0).mean())
    stands = np.array([model.probability(answer.features) > model.threshold for answer in fresh])
    assert float(np.where(stands, worth, 0).mean()) > optimum - 0.02
    assert check.score > optimum - 0.06  # of 1,200 questions, whose own luck is 0.03


def test_features_that_tell_nothing_gain_nothing() -> None:
    judged, _ = answers(600, 0, shuffled=True)
    model, check = fit(judged, "offline")
    assert not check.gains and not model.gains and check.gain < 0.03


def test_answers_without_a_verdict_cannot_be_fitted_on() -> None:
    with pytest.raises(InputError, match="of 1 answers none is judged"):
        fit([JudgedAnswer("q", {}, Verdict.UNSCORED)], "offline")


def test_a_missing_feature_counts_as_its_mean() -> None:
    judged, _ = answers(400, 1)
    judged[0] = JudgedAnswer("q0", {"logprob": None}, Verdict.CORRECT)
    model, _ = fit(judged, "offline")
    means = dict(model.means)
    without_spread = {name: value for name, value in means.items() if name != "spread"}
    assert model.probability(means) == pytest.approx(model.probability(without_spread))
    assert model.probability({"logprob": 1e9}) == pytest.approx(1.0)
    assert model.probability({"logprob": -1e9}) == pytest.approx(0.0)
