"""Figures against those calculated by hand, of all results and group by group."""

import math
from dataclasses import asdict

import pytest

from evaluation.dataset import SLICES
from evaluation.judge.protocol import Verdict
from evaluation.score import Result, measure, sliced
from tests.evaluation.made import result


def some(correct: int = 0, missing: int = 0, wrong: int = 0, unscored: int = 0) -> list[Result]:
    counts = (correct, missing, wrong, unscored)  # in the order of the verdicts
    verdicts = [verdict for verdict, n in zip(Verdict, counts, strict=True) for _ in range(n)]
    return [result(verdict=verdict) for verdict in verdicts]


def test_rates_are_of_all_questions_also_the_unscored() -> None:
    metrics = measure(some(correct=4, missing=1, wrong=1, unscored=2))
    assert (metrics.total, metrics.correct, metrics.missing, metrics.wrong) == (8, 4, 1, 1)
    assert (metrics.accuracy, metrics.hallucination, metrics.missing_rate) == (4 / 8, 1 / 8, 1 / 8)
    assert (metrics.score, metrics.unscored) == (3 / 8, 2)
    nothing = asdict(measure([]))
    assert all(not value or value == (0.0, 0.0) for value in nothing.values())


def test_the_intervals_are_the_analytic_ones_within_a_tenth() -> None:
    n, correct, missing, wrong = 2000, 800, 700, 500
    results = some(correct=correct, missing=missing, wrong=wrong)
    metrics = measure(results)
    score = (correct - wrong) / n
    means_and_variances = {
        (score, (correct + wrong) / n - score**2): metrics.score_ci95,
        (correct / n, correct / n * (1 - correct / n)): metrics.accuracy_ci95,
        (missing / n, missing / n * (1 - missing / n)): metrics.missing_ci95,
        (wrong / n, wrong / n * (1 - wrong / n)): metrics.hallucination_ci95,
    }
    for (mean, variance), interval in means_and_variances.items():
        half = 1.96 * math.sqrt(variance / n)
        assert interval == pytest.approx((mean - half, mean + half), abs=0.1 * half)
    assert metrics == measure(results[::-1])
    assert measure(some(correct=7)).score_ci95 == (1.0, 1.0)


def test_latency_and_what_is_beyond_thirty_seconds() -> None:
    metrics = measure([result(seconds=float(seconds)) for seconds in range(1, 102)])
    assert (metrics.seconds_p50, metrics.seconds_p95, metrics.seconds_max) == (51.0, 96.0, 101.0)
    assert metrics.over_time == 71


def test_failures_are_counted_by_type_the_commonest_first() -> None:
    api, late = (
        {"kind": kind, "step": "web", "example": f"no {kind}"}
        for kind in ("ApiUnavailable", "DeadlineExceeded")
    )
    metrics = measure([result(failures=each) for each in ((late, api, api), (api,), ())])
    assert [(row.kind, row.times, row.questions, row.example) for row in metrics.failures] == [
        ("ApiUnavailable", 3, 2, "no ApiUnavailable"),
        ("DeadlineExceeded", 1, 1, "no DeadlineExceeded"),
    ]


def test_each_group_is_measured_by_itself_the_largest_first() -> None:
    labels = [
        {"domain": "sports", "question_type": "set"},
        {"domain": "movie", "question_type": "set"},
        {"domain": "movie", "question_type": "simple"},
        {"domain": "finance"},
    ]
    results = [result(n, slices=each) for n, each in enumerate(labels)]
    tables = sliced(results)
    assert {name: list(groups) for name, groups in tables.items()} == {
        "domain": ["movie", "finance", "sports"],
        "question_type": ["set", "simple", "unknown"],  # of the other slices nothing is known
    }
    assert tables["domain"]["movie"] == measure(results[1:3])
    assert sliced([]) == dict.fromkeys(SLICES, {})
