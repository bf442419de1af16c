"""Figures against what a pencil gives."""

import math

import pytest

from evaluation.judge.protocol import Verdict
from evaluation.score import Metrics, Result, measure


def result(verdict: Verdict, seconds: float = 1.0, **given: object) -> Result:
    return Result("q", "who?", "he", verdict, seconds, **given)  # type: ignore[arg-type]


def some(correct: int = 0, missing: int = 0, wrong: int = 0, unscored: int = 0) -> list[Result]:
    counts = zip(
        (Verdict.CORRECT, Verdict.MISSING, Verdict.WRONG, Verdict.UNSCORED),
        (correct, missing, wrong, unscored),
        strict=True,
    )
    return [result(verdict) for verdict, count in counts for _ in range(count)]


def test_counts_and_rates() -> None:
    metrics = measure(some(correct=5, missing=2, wrong=3))
    assert (metrics.total, metrics.correct, metrics.missing, metrics.wrong) == (10, 5, 2, 3)
    assert (metrics.accuracy, metrics.hallucination, metrics.missing_rate) == (0.5, 0.3, 0.2)
    assert metrics.score == 0.2
    assert metrics.unscored == 0


def test_the_denominator_is_all_questions_also_the_unscored() -> None:
    metrics = measure(some(correct=4, missing=1, wrong=1, unscored=2))
    assert metrics.score == 3 / 8
    assert metrics.accuracy == 4 / 8
    assert metrics.hallucination == 1 / 8
    assert metrics.unscored == 2


def test_a_judges_failure_is_no_hallucination() -> None:
    """The public evaluator counted an answer as wrong when its judge could not be read."""
    failed = [result(Verdict.UNSCORED, judge_failed=True)] * 4
    metrics = measure([*failed, result(Verdict.CORRECT)])
    assert metrics.hallucination == 0.0
    assert metrics.wrong == 0
    assert metrics.judge_failures == 4
    assert metrics.score == 0.2


def test_of_nothing_all_is_zero() -> None:
    assert measure([]) == Metrics(
        total=0,
        correct=0,
        missing=0,
        wrong=0,
        unscored=0,
        accuracy=0.0,
        hallucination=0.0,
        missing_rate=0.0,
        score=0.0,
        score_ci95=(0.0, 0.0),
        accuracy_ci95=(0.0, 0.0),
        hallucination_ci95=(0.0, 0.0),
        missing_ci95=(0.0, 0.0),
        seconds_p50=0.0,
        seconds_p95=0.0,
        seconds_max=0.0,
        over_time=0,
        judge_failures=0,
        failures=(),
        usage={},
    )


def test_the_intervals_are_the_analytic_ones_within_a_tenth() -> None:
    n, correct, missing, wrong = 2000, 800, 700, 500
    metrics = measure(some(correct=correct, missing=missing, wrong=wrong))

    def close(interval: tuple[float, float], mean: float, variance: float) -> None:
        half = 1.96 * math.sqrt(variance / n)
        assert interval[0] == pytest.approx(mean - half, abs=0.1 * half)
        assert interval[1] == pytest.approx(mean + half, abs=0.1 * half)

    for share, interval in (
        (correct / n, metrics.accuracy_ci95),
        (missing / n, metrics.missing_ci95),
        (wrong / n, metrics.hallucination_ci95),
    ):
        close(interval, share, share * (1 - share))
    right, false = correct / n, wrong / n
    close(metrics.score_ci95, right - false, right + false - (right - false) ** 2)


def test_the_intervals_are_the_same_every_time_and_certain_where_nothing_varies() -> None:
    results = some(correct=5, missing=2, wrong=3, unscored=1)
    assert measure(results) == measure(list(reversed(results)))
    assert measure(some(correct=7)).score_ci95 == (1.0, 1.0)


def test_latency() -> None:
    metrics = measure([result(Verdict.CORRECT, float(seconds)) for seconds in range(1, 102)])
    assert (metrics.seconds_p50, metrics.seconds_p95, metrics.seconds_max) == (51.0, 96.0, 101.0)


def test_over_time_is_beyond_thirty_seconds() -> None:
    results = [result(Verdict.MISSING, seconds) for seconds in (29.9, 30.0, 30.1, 300.0)]
    assert measure(results).over_time == 2


def test_failures_are_counted_by_type_the_commonest_first() -> None:
    api, late = (
        {"kind": kind, "step": "web", "example": f"no {kind}"}
        for kind in ("ApiUnavailable", "DeadlineExceeded")
    )
    each = [(late, api, api), (api,), ()]
    metrics = measure([result(Verdict.MISSING, failures=failures) for failures in each])
    assert [(row.kind, row.times, row.questions) for row in metrics.failures] == [
        ("ApiUnavailable", 3, 2),
        ("DeadlineExceeded", 1, 1),
    ]
    assert metrics.failures[0].example == "no ApiUnavailable"


def test_tokens_and_dollars_are_summed_by_step() -> None:
    usage = {"answer": {"llm": "default", "adapter": "", "calls": 1, "prompt": 90, "cached": 0,
                        "completion": 5, "dollars": 0.25}}  # fmt: skip
    metrics = measure([result(Verdict.MISSING, usage=usage)] * 2)
    row = metrics.usage["answer"]
    assert (row["llm"], row["calls"], row["prompt"], row["dollars"]) == ("default", 2, 180, 0.5)
