"""Figures of a run: counts of verdicts, rates, intervals and latency; of all and by group."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from pydantic import AliasChoices, Field

from evaluation.dataset import SLICES, UNKNOWN
from evaluation.judge.protocol import Verdict
from models.records import IDK

TIME_LIMIT = 30.0  # seconds a question: the contest's limit
WORTH = {Verdict.CORRECT: 1, Verdict.WRONG: -1, Verdict.MISSING: 0, Verdict.UNSCORED: 0}
SEED = 20240320
RESAMPLES = 5000

# A question's id in the files of a run: named as in the data; runs of older versions have "id".
StoredId = Annotated[str, Field(validation_alias=AliasChoices("interaction_id", "id"))]
Groups = dict[str, "Metrics"]
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """What became of one question.

    Attributes:
        seconds: its batch's time over the batch's size, which the contest limits.
        answered_after: seconds from its batch's start to its answer; None: the model did not tell.
        failures: all that failed on the way, each with its `kind`, its `step` and its message as
            `example`.
        usage: the tokens and dollars of each step, by its name.
        reason: why the judge gave the verdict.
        judge_failed: the judge, not the prediction, is why the verdict is UNSCORED.
        rule: what gave the verdict, such as "number" or an LLM; empty: nothing did.
        disputed: two judges disagreed.
        by_model: a model gave the verdict.
        slices: its group in each slice, such as "movie" in "domain".
        batch_failed: the setup failed for each question of its batch, whether it has an answer, by
            other means, or not; or the model raised.
    """

    id: StoredId
    query: str
    prediction: str
    verdict: Verdict
    seconds: float
    answered_after: float | None = None
    failures: tuple[Mapping[str, str], ...] = ()
    usage: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reason: str = ""
    judge_failed: bool = False
    rule: str = ""
    disputed: bool = False
    by_model: bool = False
    golds: tuple[str, ...] = ()
    slices: Mapping[str, str] = field(default_factory=dict)
    batch_failed: bool = False

    @property
    def lost(self) -> bool:
        """Whether the model or its setup, such as a dead server, failed for its whole batch, or the
        setup is why it has no answer; a resumed run asks it again."""
        if self.batch_failed:
            return True
        return self.prediction == IDK and any(row.get("of_setup") for row in self.failures)


@dataclass(frozen=True, slots=True)
class FailureCount:
    """How often one kind of failure happened in one step, for how many questions; one example."""

    kind: str
    step: str
    times: int
    questions: int
    example: str


@dataclass(frozen=True, slots=True)
class Metrics:
    """The figures of a set of results. Rates are fractions of ALL questions; intervals are 95%.

    An unscored question counts 0, as a missing one does, and has its own count.

    Attributes:
        timed_each: the seconds below are those to each answer, of which the model told; else they
            are each batch's time over its size.
        over_time: questions whose batch took more than the contest's limit for each of them.
        failures: the most frequent first.
        usage: the sums over all questions, by step.
        score_bounds: the score if all unscored answers were wrong, and if all were right.
        verdicts_by_rule: how many of each verdict each rule or LLM of the judge gave.
        disputed: answers on which two judges disagreed.
        lost: questions that the setup, such as a dead server, failed (`QuestionResult.lost`).
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
    timed_each: bool
    seconds_p50: float
    seconds_p95: float
    seconds_max: float
    over_time: int
    judge_failures: int
    score_bounds: Interval
    verdicts_by_rule: Mapping[str, Mapping[str, int]]
    disputed: int
    lost: int
    failures: tuple[FailureCount, ...]
    usage: Mapping[str, Mapping[str, Any]]


def measure(results: Sequence[QuestionResult]) -> Metrics:
    """The figures of `results`; of none, zeros throughout."""
    counts = Counter(result.verdict for result in results)
    correct = counts[Verdict.CORRECT]
    missing = counts[Verdict.MISSING]
    wrong = counts[Verdict.WRONG]
    unscored = counts[Verdict.UNSCORED]
    total = len(results)
    denominator = max(1, total)
    times = [result.answered_after for result in results if result.answered_after is not None]
    timed_each = bool(times) and len(times) == len(results)
    if not timed_each:
        times = [result.seconds for result in results]
    seconds = np.array(times or [0.0])
    return Metrics(
        total=total,
        correct=correct,
        missing=missing,
        wrong=wrong,
        unscored=unscored,
        accuracy=correct / denominator,
        hallucination=wrong / denominator,
        missing_rate=missing / denominator,
        score=(correct - wrong) / denominator,
        score_ci95=mean_interval({1: correct, -1: wrong, 0: missing + unscored}),
        accuracy_ci95=mean_interval({1: correct, 0: total - correct}),
        hallucination_ci95=mean_interval({1: wrong, 0: total - wrong}),
        missing_ci95=mean_interval({1: missing, 0: total - missing}),
        timed_each=timed_each,
        seconds_p50=float(np.percentile(seconds, 50)),
        seconds_p95=float(np.percentile(seconds, 95)),
        seconds_max=float(seconds.max()),
        over_time=sum(result.seconds > TIME_LIMIT for result in results),
        judge_failures=sum(result.judge_failed for result in results),
        score_bounds=(
            (correct - wrong - unscored) / denominator,
            (correct - wrong + unscored) / denominator,
        ),
        verdicts_by_rule=_count_verdicts(results),
        disputed=sum(result.disputed for result in results),
        lost=sum(result.lost for result in results),
        failures=_count_failures(results),
        usage=sum_usage([result.usage for result in results]),
    )


def _count_verdicts(results: Sequence[QuestionResult]) -> dict[str, dict[str, int]]:
    """How many of each verdict each rule gave; rules in the order of their frequency."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        if result.rule:
            counts[result.rule][result.verdict.value] += 1
    return {name: dict(counts[name]) for name in sorted(counts, key=lambda n: -counts[n].total())}


def mean_interval(counts: Mapping[float, int]) -> Interval:
    """The 95% interval, by bootstrap, of the mean of values; (0, 0) of no values.

    To draw n values with replacement and count them is to draw the counts from a multinomial
    distribution.

    Args:
        counts: how often each value occurs.
    """
    total = sum(counts.values())
    if total == 0:
        return 0.0, 0.0
    values = np.array(sorted(counts))
    shares = np.array([counts[value] for value in sorted(counts)]) / total
    resampled_counts = np.random.default_rng(SEED).multinomial(total, shares, RESAMPLES)
    low, high = np.percentile(resampled_counts @ values / total, [2.5, 97.5])
    return float(low), float(high)


def _count_failures(results: Sequence[QuestionResult]) -> tuple[FailureCount, ...]:
    """The failures by kind and step, the most frequent first."""
    times: Counter[tuple[str, str]] = Counter()
    question_numbers: dict[tuple[str, str], set[int]] = defaultdict(set)
    examples: dict[tuple[str, str], str] = {}
    for number, result in enumerate(results):
        for failure in result.failures:
            name = (failure["kind"], failure["step"])
            times[name] += 1
            question_numbers[name].add(number)
            examples.setdefault(name, failure["example"])
    return tuple(
        FailureCount(kind, step, count, len(question_numbers[kind, step]), examples[kind, step])
        for (kind, step), count in times.most_common()
    )


def sum_usage(usages: Iterable[Mapping[str, Mapping[str, Any]]]) -> dict[str, dict[str, Any]]:
    """The tokens and dollars of the steps of all questions together; texts are the last ones."""
    sums: dict[str, dict[str, Any]] = {}
    for usage in usages:
        for step, figures in usage.items():
            step_sums = sums.setdefault(step, {})
            for name, value in figures.items():
                if isinstance(value, str):
                    step_sums[name] = value
                else:
                    step_sums[name] = step_sums.get(name, 0) + value
    return sums


def group_of(result: QuestionResult, slice_name: str) -> str:
    """The group that a result is in, in the slice of that name."""
    return result.slices.get(slice_name) or UNKNOWN


def sliced(results: Sequence[QuestionResult]) -> dict[str, Groups]:
    """The figures of each group by slice, the largest group first, groups of one size by name.

    A slice of which nothing is known is left out, but for the first.
    """
    slice_names = list(SLICES)
    for result in results:
        slice_names += [name for name in result.slices if name not in slice_names]
    tables: dict[str, Groups] = {}
    for name in slice_names:
        members: dict[str, list[QuestionResult]] = defaultdict(list)
        for result in results:
            members[group_of(result, name)].append(result)
        nothing_known = list(members) == [UNKNOWN]
        if name != SLICES[0] and nothing_known:
            continue
        groups = sorted(members, key=lambda group: (-len(members[group]), group))
        tables[name] = {group: measure(members[group]) for group in groups}
    return tables
