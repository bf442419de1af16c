"""From verdicts to figures: counts, rates, their intervals, and latency; of all, and by group."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from evaluation.bootstrap import Interval, mean_interval
from evaluation.dataset import SLICES, UNKNOWN
from evaluation.judge.protocol import Verdict

TIME_LIMIT = 30.0  # seconds a question: the contest's limit

Groups = dict[str, "Metrics"]


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

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON values."""
        return asdict(self)


def measure(results: Sequence[Result]) -> Metrics:
    """The figures of `results`; of none, zeros throughout."""
    counts = Counter(result.verdict for result in results)
    total = len(results)
    correct, missing, wrong = (
        counts[verdict] for verdict in (Verdict.CORRECT, Verdict.MISSING, Verdict.WRONG)
    )
    whole = max(1, total)
    unscored = total - correct - missing - wrong

    def interval(counts: Mapping[float, int]) -> Interval:
        rest = total - sum(counts.values())
        return mean_interval({**counts, 0: rest})

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
        score_ci95=interval({1: correct, -1: wrong}),
        accuracy_ci95=interval({1: correct}),
        hallucination_ci95=interval({1: wrong}),
        missing_ci95=interval({1: missing}),
        seconds_p50=float(np.percentile(seconds, 50)),
        seconds_p95=float(np.percentile(seconds, 95)),
        seconds_max=float(seconds.max()),
        over_time=sum(result.seconds > TIME_LIMIT for result in results),
        judge_failures=sum(result.judge_failed for result in results),
        failures=count_failures([result.failures for result in results]),
        usage=sum_usage([result.usage for result in results]),
    )


def count_failures(each: Sequence[Sequence[Mapping[str, str]]]) -> tuple[Failed, ...]:
    """What failed for each question, counted by kind and step."""
    times: Counter[tuple[str, str]] = Counter()
    questions: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    for failures in each:
        names = [(failure["kind"], failure["step"]) for failure in failures]
        times.update(names)
        questions.update(set(names))
        for name, failure in zip(names, failures, strict=True):
            examples.setdefault(name, failure["example"])
    return tuple(
        Failed(*name, count, questions[name], examples[name]) for name, count in times.most_common()
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
