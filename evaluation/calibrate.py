"""Thresholds for a system whose answers must be sure enough: `python -m evaluation calibrate`.

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

from evaluation.gain import FOLDS, Gain, folds_of, measure_gain
from evaluation.judge.protocol import Item, Judge, Verdict
from evaluation.run_folder import read_results, read_traces
from evaluation.score import WORTH
from utils.errors import InputError

STEP = 0.1  # of the grid, as in the paper
FINEST_STEP = 0.05  # three stages then have 9,261 policies


@dataclass(frozen=True, slots=True)
class StageAnswer:
    """One stage's answer to one question. `confidence` from 0 to 1."""

    confidence: float
    verdict: Verdict


Rows = Mapping[str, Mapping[str, StageAnswer]]  # by question, by the stages that gave an answer


@dataclass(frozen=True, slots=True)
class Figures:
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
    figures: Figures
    held_out: Gain

    def in_words(self) -> str:
        """The calibration for a reader."""
        figures, check = self.figures, self.held_out
        thresholds = ", ".join(f"{name} {value:g}" for name, value in self.thresholds.items())
        verdict = check.in_words("confidences gain", "these thresholds")
        return (
            f"thresholds: {thresholds}\n"
            f"on all {figures.questions} questions: {figures.correct} correct, "
            f"{figures.wrong} wrong, score {figures.score:.3f}\n"
            f"held out, {check.folds} folds: score {check.score:.3f}, without confidences "
            f"{check.plain_score:.3f}\n{verdict}"
        )


class Search:
    """Every policy of a grid on every question: which threshold each stage has to pass."""

    def __init__(self, rows: Rows, stages: Sequence[str], step: float = STEP) -> None:
        """`stages`: in the order in which the system tries them. `step`: of the grid from 0 to 1.
        An answer stands if its confidence is over its stage's threshold, so that 1 lets none
        through."""
        count = round(1 / step)
        grid = [round(i / count, 6) for i in range(count + 1)]
        self.policies = list(itertools.product(grid, repeat=len(stages)))
        self._plain = np.array([set(policy) <= {0.0, 1.0} for policy in self.policies])
        self._sure = np.full((len(stages), len(rows)), -1.0)
        self._worth = np.zeros((len(stages), len(rows)), dtype=np.int8)
        for column, row in enumerate(rows.values()):
            for name, said in row.items():
                place = stages.index(name)
                self._sure[place, column] = said.confidence
                self._worth[place, column] = WORTH[said.verdict]
        self.worths = self._table()

    def _table(self) -> NDArray[np.int8]:
        """What each policy earns on each row: int8[policies, rows] of 1, 0, -1."""
        table = np.zeros((len(self.policies), self._sure.shape[1]), dtype=np.int8)
        for earned, policy in zip(table, self.policies, strict=True):
            stages = zip(self._sure, self._worth, policy, strict=True)
            for sure, worth, threshold in reversed(list(stages)):  # an earlier stage overrules
                np.copyto(earned, worth, where=sure > threshold)
        return table

    def best(self, chosen: NDArray[np.bool_] | None = None, *, plain: bool = False) -> int:
        """The policy that scores most on the `chosen` columns, all by default.

        Of those that score the same, one with the fewest wrong answers; of these, the highest
        thresholds, the first stage's first. `plain`: only policies that look at no confidence.
        """
        table = self.worths if chosen is None else self.worths[:, chosen]
        wrong = (table == -1).sum(axis=1, dtype=np.int64)
        value = table.sum(axis=1, dtype=np.int64) * (table.shape[1] + 1) - wrong
        if plain:
            value = np.where(self._plain, value, np.iinfo(np.int64).min)
        return int(np.flatnonzero(value == value.max())[-1])

    def figures(self, policy: int) -> Figures:
        row = self.worths[policy]
        correct, wrong = int((row == 1).sum()), int((row == -1).sum())
        return Figures(len(row), correct, wrong, (correct - wrong) / len(row))

    def check(self, ids: Sequence[str], folds: int = FOLDS) -> Gain:
        """The gain of the thresholds, cross-validated. The baseline (`plain`) ignores confidences:
        it accepts either all answers of a stage or none.

        Raises:
            InputError: there are fewer questions than folds, or fewer than two folds.
        """
        fold = folds_of(ids, folds)
        earned, plain = np.zeros(len(fold)), np.zeros(len(fold))
        for number in range(folds):
            out = fold == number
            earned[out] = self.worths[self.best(~out), out]
            plain[out] = self.worths[self.best(~out, plain=True), out]
        return measure_gain(earned, plain, folds)


def rows_of_run(run: Path, judge: Judge, stages: Sequence[str]) -> Rows:
    """The answers of the stages in a traced run, judged.

    A step with a stage's name and a confidence is that stage's answer; of several, as after a
    second attempt, the last.

    Raises:
        InputError: the run has no traces or no predictions, or no stage in them.
    """
    results = read_results(run)
    said = [
        (results[id], step)
        for id, steps in read_traces(run).items()
        for step in steps
        if id in results and step.name in stages and "confidence" in step.inputs
    ]
    if not said:
        raise InputError(f"{run}: no step of a trace is one of {', '.join(stages)}")
    items = [Item(f"{r.id} {step.name}", r.query, r.golds, step.output) for r, step in said]
    found: dict[str, dict[str, StageAnswer]] = defaultdict(dict)
    for (result, step), judgement in zip(said, judge.judge(items), strict=True):
        sure = float(step.inputs["confidence"])
        found[result.id][step.name] = StageAnswer(sure, judgement.verdict)
    return found


def calibrate(
    rows: Rows, stages: Sequence[str], *, step: float = STEP, folds: int = FOLDS
) -> Calibration:
    """The calibration of `rows`.

    Raises:
        InputError: it cannot be made of so few rows.
    """
    search = Search(rows, stages, step)
    best = search.best()
    thresholds = dict(zip(stages, search.policies[best], strict=True))
    held_out = search.check(list(rows), folds)
    return Calibration(thresholds, step, search.figures(best), held_out)
