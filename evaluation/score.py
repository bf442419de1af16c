"""From verdicts to figures: counts, rates, their intervals, and latency; of all, and by group."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evaluation.dataset import SLICES, UNKNOWN
from evaluation.judge.protocol import Verdict

TIME_LIMIT = 30.0  # seconds a question: the contest's limit
WORTH = {Verdict.CORRECT: 1, Verdict.WRONG: -1, Verdict.MISSING: 0, Verdict.UNSCORED: 0}
SEED = 20240320
RESAMPLES = 5000

Groups = dict[str, "Metrics"]
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one question. `seconds` is its batch's time over the batch's size.

    `failures` are all that failed on the way, each with its `kind`, its `step` and an `example` of
    what was said. `usage` has the tokens and dollars of each step, by its name. `judge_failed` says
    that the judge, not the prediction, is why the verdict is UNSCORED.
    """

    id: str
    query: str
    prediction: str
    verdict: Verdict
    seconds: float
    failures: tuple[Mapping[str, str], ...] = ()
    usage: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reason: str = ""
    judge_failed: bool = False
    golds: tuple[str, ...] = ()
    slices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failed:
    """What failed of one kind in one step: how often, for how many questions, and one example."""

    kind: str
    step: str
    times: int
    questions: int
    example: str


@dataclass(frozen=True, slots=True)
class Metrics:
    """The figures of a set of results. Rates are fractions of ALL questions; intervals are 95%.

    An unscored question counts 0, as a missing one does, and is shown apart. `failures` has what
    failed most often first; `usage` the sums over all questions, by step.
    """

    total: int
    correct: int
    missing: int
    wrong: int
    unscored: int
    accuracy: float
    hallucination: float
    missing_rate: float
    score: float
    score_ci95: Interval
    accuracy_ci95: Interval
    hallucination_ci95: Interval
    missing_ci95: Interval
    seconds_p50: float
    seconds_p95: float
    seconds_max: float
    over_time: int
    judge_failures: int
    failures: tuple[Failed, ...]
    usage: Mapping[str, Mapping[str, Any]]


def measure(results: Sequence[Result]) -> Metrics:
    """The figures of `results`; of none, zeros throughout."""
    counts = Counter(result.verdict for result in results)
    total = len(results)
    correct, missing = counts[Verdict.CORRECT], counts[Verdict.MISSING]
    wrong, unscored = counts[Verdict.WRONG], counts[Verdict.UNSCORED]
    whole = max(1, total)
    seconds = np.array([result.seconds for result in results] or [0.0])
    return Metrics(
        total=total,
        correct=correct,
        missing=missing,
        wrong=wrong,
        unscored=unscored,
        accuracy=correct / whole,
        hallucination=wrong / whole,
        missing_rate=missing / whole,
        score=(correct - wrong) / whole,
        score_ci95=mean_interval({1: correct, -1: wrong, 0: missing + unscored}),
        accuracy_ci95=mean_interval({1: correct, 0: total - correct}),
        hallucination_ci95=mean_interval({1: wrong, 0: total - wrong}),
        missing_ci95=mean_interval({1: missing, 0: total - missing}),
        seconds_p50=float(np.percentile(seconds, 50)),
        seconds_p95=float(np.percentile(seconds, 95)),
        seconds_max=float(seconds.max()),
        over_time=sum(result.seconds > TIME_LIMIT for result in results),
        judge_failures=sum(result.judge_failed for result in results),
        failures=_count_failures(results),
        usage=sum_usage([result.usage for result in results]),
    )


def mean_interval(counts: Mapping[float, int]) -> Interval:
    """The 95% interval, by bootstrap, of the mean of values, each given with its count; (0, 0) of
    no values.

    To draw n values with replacement and count them is to draw the counts from a multinomial
    distribution.
    """
    total = sum(counts.values())
    if not total:
        return 0.0, 0.0
    values, number = zip(*sorted(counts.items()), strict=True)
    drawn = np.random.default_rng(SEED).multinomial(total, np.array(number) / total, RESAMPLES)
    low, high = np.percentile(drawn @ np.array(values) / total, [2.5, 97.5])
    return float(low), float(high)


def _count_failures(results: Sequence[Result]) -> tuple[Failed, ...]:
    found: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for number, result in enumerate(results):
        for failure in result.failures:
            found[failure["kind"], failure["step"]].append((number, failure["example"]))
    return tuple(
        Failed(*name, len(each), len({number for number, _ in each}), each[0][1])
        for name, each in sorted(found.items(), key=lambda item: -len(item[1]))
    )


def sum_usage(each: Iterable[Mapping[str, Mapping[str, Any]]]) -> dict[str, dict[str, Any]]:
    """The tokens and dollars of the steps of all questions together; texts are the last ones."""
    summed: dict[str, dict[str, Any]] = {}
    for usage in each:
        for step, figures in usage.items():
            row = summed.setdefault(step, {})
            for name, value in figures.items():
                row[name] = value if isinstance(value, str) else row.get(name, 0) + value
    return summed


def group_of(result: Result, name: str) -> str:
    """The group of the slice `name` that a result is in."""
    return result.slices.get(name) or UNKNOWN


def sliced(results: Sequence[Result]) -> dict[str, Groups]:
    """The figures of each group by slice, the largest group first, groups of one size by name.

    A slice of which nothing is known is left out, but for the first.
    """
    tables: dict[str, Groups] = {}
    for name in dict.fromkeys((*SLICES, *(name for result in results for name in result.slices))):
        members: dict[str, list[Result]] = defaultdict(list)
        for result in results:
            members[group_of(result, name)].append(result)
        if name == SLICES[0] or list(members) != [UNKNOWN]:
            order = sorted(members, key=lambda group: (-len(members[group]), group))
            tables[name] = {group: measure(members[group]) for group in order}
    return tables
