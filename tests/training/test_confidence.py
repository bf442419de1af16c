"""The confidence model on predictions whose optimum is known, and on ones that tell nothing.

tests/models/runtime/test_confidence_model.py fits one on a run.
"""

from pathlib import Path

import numpy as np
import pytest

from evaluation.judge.protocol import Verdict
from training.confidence import Predicted, best_threshold, fit, in_words, plot_reliability
from utils.errors import InputError

TRUE_WEIGHTS = np.array([1.5, -1.0, 0.8])


def answers(count: int, seed: int, *, shuffled: bool = False) -> tuple[list[Predicted], np.ndarray]:
    """Answers that are right with a chance that three features tell, and these chances."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(count, 3))
    chances = 1 / (1 + np.exp(-(features @ TRUE_WEIGHTS - 0.2)))
    right = rng.random(count) < chances
    if shuffled:
        features = features[rng.permutation(count)]
    names, verdicts = ("logprob", "spread", "agreement"), (Verdict.WRONG, Verdict.CORRECT)
    rows = [
        Predicted(f"q{n}", dict(zip(names, told, strict=True)), verdicts[int(right[n])])
        for n, told in enumerate(features.tolist())
    ]
    return rows, chances


def test_it_comes_within_two_points_of_the_known_optimum(tmp_path: Path) -> None:
    """The best that can be done is to answer where the true chance is over a half."""
    rows, _ = answers(1200, 0)
    model, check = fit(rows, "offline")
    assert check.gains and check.gain > 0.1
    assert "On held-out data the confidence gains" in in_words(model, check)
    plot_reliability(tmp_path / "curve.svg", check)
    assert "<svg" in (tmp_path / "curve.svg").read_text()
    assert check.calibration_error < 0.05
    fresh, chances = answers(20_000, 100)
    worth = np.array([1 if row.verdict is Verdict.CORRECT else -1 for row in fresh])
    optimum = float(np.where(chances > 0.5, worth, 0).mean())
    stands = np.array([model.chance(row.features) > model.threshold for row in fresh])
    assert float(np.where(stands, worth, 0).mean()) > optimum - 0.02
    assert check.score > optimum - 0.06  # of 1,200 questions, whose own luck is 0.03


def test_what_tells_nothing_gains_nothing_and_it_says_so() -> None:
    rows, _ = answers(600, 0, shuffled=True)
    model, check = fit(rows, "offline")
    assert not check.gains and not model.gains and check.gain < 0.03
    with pytest.raises(InputError, match="of 1 answers none is judged"):
        fit([Predicted("q", {}, Verdict.UNSCORED)], "offline")


def test_a_missing_feature_counts_as_its_mean() -> None:
    rows, _ = answers(400, 1)
    rows[0] = Predicted("q0", {"logprob": None}, Verdict.CORRECT)
    model, _ = fit(rows, "offline")
    means = dict(model.means)
    without = {name: value for name, value in means.items() if name != "spread"}
    assert model.chance(means) == pytest.approx(model.chance(without))
    assert model.chance({"logprob": 1e9}) == pytest.approx(1.0)
    assert model.chance({"logprob": -1e9}) == pytest.approx(0.0)


def test_the_threshold_scores_most() -> None:
    chances = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    assert 0.7 < best_threshold(chances, np.array([1, 1, -1, 1, -1])) < 0.8
    assert best_threshold(chances, np.full(5, -1)) > 0.9
    assert best_threshold(chances, np.full(5, 1)) == 0.0
    assert best_threshold(np.full(4, 0.5), np.array([1, 1, 1, -1])) == 0.0
