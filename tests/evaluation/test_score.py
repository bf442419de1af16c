"""Figures against those calculated by hand, of all results and group by group."""

import math
from dataclasses import asdict

import pytest

from evaluation.dataset import SLICES
from evaluation.judge.protocol import Verdict
from evaluation.score import FailureCount, QuestionResult, measure, sliced
from tests.evaluation.run_files import result


def some(**counts: int) -> list[QuestionResult]:
    """So many results of each verdict."""
    results: list[QuestionResult] = []
    for name, count in counts.items():
        results += [result(verdict=Verdict(name))] * count
    return results


def test_rates_count_the_unscored_questions_too() -> None:
    metrics = measure(some(correct=4, missing=1, wrong=1, unscored=2))
    assert metrics.total == 8
    assert metrics.correct == 4
    assert metrics.missing == 1
    assert metrics.wrong == 1
    assert metrics.unscored == 2
    assert metrics.accuracy == 4 / 8
    assert metrics.hallucination == 1 / 8
    assert metrics.missing_rate == 1 / 8
    assert metrics.score == 3 / 8
    nothing = asdict(measure([]))
    assert all(not value or value == (0.0, 0.0) for value in nothing.values())


def test_the_intervals_are_the_analytic_ones_within_a_tenth() -> None:
    results = some(correct=800, missing=700, wrong=500)
    metrics = measure(results)
    for mean, variance, interval in (
        (0.15, 0.65 - 0.15**2, metrics.score_ci95),
        (0.4, 0.4 * 0.6, metrics.accuracy_ci95),
        (0.35, 0.35 * 0.65, metrics.missing_ci95),
        (0.25, 0.25 * 0.75, metrics.hallucination_ci95),
    ):
        half = 1.96 * math.sqrt(variance / len(results))
        assert interval == pytest.approx((mean - half, mean + half), abs=0.1 * half)
    assert metrics == measure(results[::-1])
    assert measure(some(correct=7)).score_ci95 == (1.0, 1.0)


def test_latency_and_failures_by_type_are_counted() -> None:
    late = {"kind": "DeadlineExceeded", "step": "web", "example": "no time"}
    api = {"kind": "ApiUnavailable", "step": "ask", "example": "gone"}
    failures = [(late, api, api), (api,), *[()] * 99]
    results = [
        result(seconds=number, failures=failures_of_one)
        for number, failures_of_one in enumerate(failures, 1)
    ]
    metrics = measure(results)
    assert metrics.seconds_p50 == 51.0
    assert metrics.seconds_p95 == 96.0
    assert metrics.seconds_max == 101.0
    assert metrics.over_time == 71
    assert metrics.failures == (
        FailureCount("ApiUnavailable", "ask", 3, 2, "gone"),
        FailureCount("DeadlineExceeded", "web", 1, 1, "no time"),
    )


def test_each_group_is_measured_and_the_largest_comes_first() -> None:
    labels = [
        {"domain": "sports", "question_type": "set"},
        {"domain": "movie", "question_type": "set"},
        {"domain": "movie", "question_type": "simple"},
        {"domain": "finance"},
    ]
    results = [result(number, slices=slices) for number, slices in enumerate(labels)]
    tables = sliced(results)
    assert {name: list(groups) for name, groups in tables.items()} == {
        "domain": ["movie", "finance", "sports"],
        "question_type": ["set", "simple", "unknown"],  # of the other slices nothing is known
    }
    assert tables["domain"]["movie"] == measure(results[1:3])
    assert sliced([]) == dict.fromkeys(SLICES, {})
