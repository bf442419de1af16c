"""What a report page draws of a run as a whole: risk and coverage, and the time of its steps."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby
from typing import Any

from evaluation.gain import WORTH
from evaluation.judge.protocol import Verdict
from evaluation.score import Result
from models.runtime.trace import Step

_MOST_POINTS = 200  # of a curve


def curve(results: Sequence[Result], confidence: Mapping[str, float]) -> dict[str, Any]:
    """Risk and score where only answers of at least a threshold of `confidence` stand.

    An answer that has no confidence stands always; at least one answer must have one.

    Returns:
        points: `[threshold, coverage, risk, score]` from the highest threshold down; coverage is
            the share of all questions that are answered, risk the wrong share of the answered.
        best: the point of the highest score; as_run: the point of no threshold.
        with_confidence, answered: numbers of answers.
    """
    answered = [result for result in results if result.verdict is not Verdict.MISSING]
    graded = sorted(
        (result for result in answered if result.id in confidence),
        key=lambda result: -confidence[result.id],
    )
    standing = [result for result in answered if result.id not in confidence]
    points = []
    for threshold, group in groupby(graded, key=lambda result: confidence[result.id]):
        standing += group
        wrong = sum(result.verdict is Verdict.WRONG for result in standing)
        score = sum(WORTH[result.verdict] for result in standing) / len(results)
        points.append([threshold, len(standing) / len(results), wrong / len(standing), score])
    return {
        "points": [*points[: -1 : math.ceil(len(points) / _MOST_POINTS)], points[-1]],
        "best": max(points, key=lambda point: point[3]),
        "as_run": points[-1],
        "with_confidence": len(graded),
        "answered": len(answered),
    }


def stages(traces: Iterable[Sequence[Step]]) -> list[dict[str, Any]]:
    """Calls and seconds of each step, the slowest first."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for step in chain.from_iterable(traces):
        seconds[step.name].append(step.seconds)
    return [
        {"name": name, "calls": len(each), "mean": sum(each) / len(each), "sum": sum(each)}
        for name, each in sorted(seconds.items(), key=lambda item: -sum(item[1]))
    ]
