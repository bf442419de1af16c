"""Folds, weights and thresholds, against what is known of them."""

import numpy as np
import pytest

from training.fitting.calibration import reliability
from training.fitting.folds import Fold, folds_of
from training.fitting.threshold import AnswerGroup, Bound, best_threshold
from training.fitting.weights import Prior, confidence_loss, fit_weights, ranking_loss
from utils.errors import InputError


def group(chances: list[float], worths: list[int]) -> AnswerGroup:
    return AnswerGroup(np.array(chances), np.array(worths))


def test_a_group_stays_in_one_fold_whatever_the_order() -> None:
    names = [f"q{number % 30}" for number in range(90)]
    fold_by_name = dict(zip(names, folds_of(names, 3), strict=True))
    assert len(set(zip(names, folds_of(names, 3).tolist(), strict=True))) == 30
    assert np.bincount(list(fold_by_name.values())).tolist() == [10, 10, 10]
    backwards = names[::-1]
    assert dict(zip(backwards, folds_of(backwards, 3), strict=True)) == fold_by_name
    assert folds_of(names, 3, salt="other").tolist() != folds_of(names, 3).tolist()


@pytest.mark.parametrize("folds", [1, 3])
def test_there_must_be_two_folds_and_a_group_for_each(folds: int) -> None:
    with pytest.raises(InputError, match=f"2 questions cannot be checked in {folds} folds"):
        folds_of(["a", "b", "b"], folds)


def test_the_folds_of_a_command_hold_each_question_once() -> None:
    folds = [Fold.of(f"{number}/3") for number in range(3)]
    counts = [0, 0, 0]
    for group in map(str, range(300)):
        (holder,) = [fold.number for fold in folds if fold.holds(group)]
        counts[holder] += 1
    assert min(counts) > 70
    for text in ("3/3", "1", "a/b", "-1/3"):
        with pytest.raises(InputError, match="a fold is K/N"):
            Fold.of(text)


def test_the_threshold_scores_most() -> None:
    chances = [0.9, 0.8, 0.7, 0.6, 0.5]
    assert 0.7 < best_threshold([group(chances, [1, 1, -1, 1, -1])]) < 0.8
    assert best_threshold([group(chances, [-1] * 5)]) > 0.9
    assert best_threshold([group(chances, [1] * 5)]) == 0.0
    assert best_threshold([group([0.5] * 4, [1, 1, 1, -1])]) == 0.0


def test_the_threshold_keeps_to_the_bound_on_wrong_answers() -> None:
    answers = group([0.9, 0.8, 0.7, 0.6], [1, -1, 1, 1])
    assert best_threshold([answers]) == 0.0
    assert best_threshold([answers], [Bound(answers, 0.25)]) == 0.0
    assert 0.8 < best_threshold([answers], [Bound(answers, 0.2)]) < 0.9


def test_a_threshold_over_all_answers_is_always_allowed() -> None:
    answers = group([0.9], [-1])
    assert best_threshold([answers], [Bound(answers, 0.0)]) > 0.9


def test_each_group_keeps_to_its_own_bound() -> None:
    answerable = group([0.9, 0.8, 0.7, 0.6], [1, 1, 1, -1])
    unanswerable = group([0.85, 0.75, 0.5, 0.4], [-1, -1, -1, -1])
    loose = Bound(answerable, 0.25)
    assert 0.6 < best_threshold([answerable], [loose, Bound(unanswerable, 0.5)]) < 0.7
    assert 0.75 < best_threshold([answerable], [loose, Bound(unanswerable, 0.25)]) < 0.8


def test_an_answer_that_counts_three_times_is_as_three_answers() -> None:
    rows = np.ones((2, 1))
    loss = confidence_loss(np.array([True, False]), np.array([3.0, 1.0]))
    (bias,) = fit_weights(rows, loss, [Prior(ridge=0.0)])
    assert 1 / (1 + np.exp(-bias)) == pytest.approx(0.75, abs=1e-4)


def test_a_question_that_counts_more_decides_between_contrary_ones() -> None:
    """Of two questions, the feature of the right candidate is the wrong one's of the other."""
    rows = np.array([[1.0], [0.0], [0.0], [1.0]])
    right = np.array([True, False, True, False])
    for counts, sign in (([3.0, 1.0], 1), ([1.0, 3.0], -1)):
        loss = ranking_loss([0, 0, 1, 1], right, np.array(counts))
        (weight,) = fit_weights(rows, loss, [Prior(ridge=0.01)])
        assert weight * sign > 0.5


def test_the_bins_of_the_reliability_curve_hold_equal_numbers_of_answers() -> None:
    chances = np.linspace(0.01, 1.0, 100)
    bins = reliability(chances, chances > 0.5)
    assert [each.count for each in bins] == [10] * 10
    assert [each.right for each in bins] == [0.0] * 5 + [1.0] * 5
    assert bins[0].chance == pytest.approx(0.055)
    assert len(reliability(np.array([0.3]), np.array([True]))) == 1


def test_a_confidence_without_features_is_the_share_of_right_answers() -> None:
    right = np.array([True, True, True, False])
    (bias,) = fit_weights(np.ones((4, 1)), confidence_loss(right), [Prior(ridge=0.0)])
    assert 1 / (1 + np.exp(-bias)) == pytest.approx(0.75, abs=1e-4)


def test_without_features_there_are_no_weights() -> None:
    loss = confidence_loss(np.array([True]))
    assert fit_weights(np.zeros((1, 0)), loss, []).tolist() == []


def test_a_ranker_prefers_the_features_of_right_candidates() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    right = np.array([True, False, True, False])
    good, bad = fit_weights(rows, ranking_loss([0, 0, 1, 1], right), [Prior(ridge=0.1)] * 2)
    assert good > 0.5
    assert bad == pytest.approx(-good, abs=1e-4)


def test_a_bound_weight_stays_below_it_and_an_unused_one_at_its_prior() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 0.0]])
    loss = ranking_loss([0, 0], np.array([True, False]))
    priors = [Prior(ridge=0.1, highest=0.0), Prior(ridge=0.1, value=-0.5, highest=0.0)]
    bound, unused = fit_weights(rows, loss, priors)
    assert bound == 0.0
    assert unused == -0.5


@pytest.mark.parametrize("loss_of", ["ranking", "confidence"])
def test_the_slope_is_that_of_the_loss(loss_of: str) -> None:
    right = np.array([True, False, False, True, True])
    ranking = ranking_loss([0, 0, 1, 1, 1], right)
    loss = ranking if loss_of == "ranking" else confidence_loss(right)
    margins = np.array([0.3, -1.2, 2.0, 0.1, -0.4])
    _, slope = loss(margins)
    for place in range(len(margins)):
        step = np.zeros(len(margins))
        step[place] = 1e-6
        higher, _ = loss(margins + step)
        lower, _ = loss(margins - step)
        assert slope[place] == pytest.approx((higher - lower) / 2e-6, abs=1e-6)
