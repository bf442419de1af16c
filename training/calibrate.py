"""Thresholds for a system whose answers must be sure enough: `crag training calibrate`.

A grid search for the CRAG score, correct - wrong, on a traced run over held-out questions
(dragonrangers, section 4.1.4). Its gain is cross-validated.
"""

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluation.judge.protocol import Item, Judge, Verdict
from evaluation.run_folder import read_results, read_traces
from evaluation.score import WORTH
from training.fitting.folds import FOLDS, folds_of
from training.fitting.gain import Gain, measure_gain
from utils.errors import InputError

STEP = 0.1  # of the grid, as in the paper
FINEST_STEP = 0.05  # three stages then have 9,261 policies


@dataclass(frozen=True, slots=True)
class StageAnswer:
    """One stage's answer to one question. `confidence` from 0 to 1."""

    confidence: float
    verdict: Verdict


# By question, by the stages that gave an answer.
StageAnswers = Mapping[str, Mapping[str, StageAnswer]]


@dataclass(frozen=True, slots=True)
class PolicyFigures:
    """What a policy scores on some questions; an answer that cannot be judged counts as missing."""

    questions: int
    correct: int
    wrong: int
    score: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Thresholds by stage, found on a grid of `step`; their figures, and what they gain."""

    thresholds: Mapping[str, float]
    step: float
    figures: PolicyFigures
    held_out: Gain

    def in_words(self) -> str:
        """The calibration for a reader."""
        figures = self.figures
        check = self.held_out
        thresholds = ", ".join(f"{name} {value:g}" for name, value in self.thresholds.items())
        verdict = check.in_words("confidences gain", "these thresholds")
        return (
            f"thresholds: {thresholds}\n"
            f"on all {figures.questions} questions: {figures.correct} correct, "
            f"{figures.wrong} wrong, score {figures.score:.3f}\n"
            f"held out, {check.folds} folds: score {check.score:.3f}, without confidences "
            f"{check.plain_score:.3f}\n{verdict}"
        )


class PolicySearch:
    """Every policy of a grid on every question: which threshold each stage has to pass."""

    def __init__(self, answers: StageAnswers, stages: Sequence[str], step: float = STEP) -> None:
        """Try every policy.

        Args:
            answers: to each question, by stage.
            stages: in the order in which the system tries them.
            step: of the grid from 0 to 1. An answer stands if its confidence is over its stage's
                threshold, so that 1 lets none through.
        """
        count = round(1 / step)
        grid = [round(i / count, 6) for i in range(count + 1)]
        self.policies = list(itertools.product(grid, repeat=len(stages)))
        self._plain = np.array([set(policy) <= {0.0, 1.0} for policy in self.policies])
        shape = (len(stages), len(answers))
        self._confidences = np.full(shape, -1.0)
        self._worths = np.zeros(shape, dtype=np.int8)
        for column, by_stage in enumerate(answers.values()):
            for name, answer in by_stage.items():
                place = stages.index(name)
                self._confidences[place, column] = answer.confidence
                self._worths[place, column] = WORTH[answer.verdict]
        self.earned = self._earned_by_policy()

    def _earned_by_policy(self) -> NDArray[np.int8]:
        """What each policy earns on each question: int8[policies, questions] of 1, 0, -1."""
        stages, questions = self._confidences.shape
        table = np.zeros((len(self.policies), questions), dtype=np.int8)
        for earned, policy in zip(table, self.policies, strict=True):
            for stage in reversed(range(stages)):  # an earlier one overrules
                stands = self._confidences[stage] > policy[stage]
                np.copyto(earned, self._worths[stage], where=stands)
        return table

    def best(self, chosen: NDArray[np.bool_] | None = None, *, plain: bool = False) -> int:
        """The policy that scores most on the `chosen` questions, all by default.

        Of those that score the same, one with the fewest wrong answers; of these, the highest
        thresholds, the first stage's first.

        Args:
            chosen: bool[questions].
            plain: only policies that look at no confidence.
        """
        table = self.earned if chosen is None else self.earned[:, chosen]
        score = table.sum(axis=1, dtype=np.int64)
        wrong = (table == -1).sum(axis=1, dtype=np.int64)
        questions = table.shape[1]
        value = score * (questions + 1) - wrong
        if plain:
            value = np.where(self._plain, value, np.iinfo(np.int64).min)
        best = np.flatnonzero(value == value.max())
        return int(best[-1])

    def figures(self, policy: int) -> PolicyFigures:
        """What a policy scores on all questions."""
        earned = self.earned[policy]
        correct = int((earned == 1).sum())
        wrong = int((earned == -1).sum())
        return PolicyFigures(len(earned), correct, wrong, (correct - wrong) / len(earned))

    def check(self, ids: Sequence[str], folds: int = FOLDS) -> Gain:
        """The gain of the thresholds, cross-validated.

        The baseline ignores confidences: it accepts either all answers of a stage or none.

        Raises:
            InputError: there are fewer questions than folds, or fewer than two folds.
        """
        fold = folds_of(ids, folds)
        earned = np.zeros(len(fold))
        plain = np.zeros(len(fold))
        for number in range(folds):
            held_out = fold == number
            best = self.best(~held_out)
            best_plain = self.best(~held_out, plain=True)
            earned[held_out] = self.earned[best, held_out]
            plain[held_out] = self.earned[best_plain, held_out]
        return measure_gain(earned, plain, folds)


def stage_answers(run: Path, judge: Judge, stages: Sequence[str]) -> StageAnswers:
    """The answers of the stages in a traced run, judged.

    A step with a stage's name and a confidence is that stage's answer; of several, as after a
    second attempt, the last.

    Raises:
        InputError: the run has no traces or no predictions, or no stage in them.
    """
    results = read_results(run)
    items = []
    steps = []
    for id, trace in read_traces(run).items():
        result = results.get(id)
        if result is None:
            continue
        for step in trace:
            if step.name in stages and "confidence" in step.inputs:
                item_id = f"{result.id} {step.name}"
                items.append(Item(item_id, result.query, result.golds, step.output))
                steps.append((result.id, step))
    if not steps:
        raise InputError(f"{run}: no step of a trace is one of {', '.join(stages)}")
    answers: dict[str, dict[str, StageAnswer]] = defaultdict(dict)
    for (id, step), judgement in zip(steps, judge.judge(items), strict=True):
        confidence = float(step.inputs["confidence"])
        answers[id][step.name] = StageAnswer(confidence, judgement.verdict)
    return answers


def calibrate(
    answers: StageAnswers, stages: Sequence[str], *, step: float = STEP, folds: int = FOLDS
) -> Calibration:
    """The thresholds that score most on `answers`, with their cross-validated gain.

    Raises:
        InputError: there are fewer questions than folds.
    """
    search = PolicySearch(answers, stages, step)
    best = search.best()
    thresholds = dict(zip(stages, search.policies[best], strict=True))
    held_out = search.check(list(answers), folds)
    return Calibration(thresholds, step, search.figures(best), held_out)
