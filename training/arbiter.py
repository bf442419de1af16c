"""The arbiter's weights, fitted on runs of a system and on the parser's answers.

Neither may have been tuned on the questions: the runs are of adapters that held them out, and the
parser's answers are those of `crag training parser --answers`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from evaluation.judge.protocol import Item, Judge
from evaluation.run_folder import read_results, read_traces
from evaluation.score import QuestionResult
from models.ranking.log_linear import LogLinearModel
from models.records import IDK
from models.runtime.confidence_model import STEP as CONFIDENCE_STEP
from models.runtime.trace import Step
from models.systems.arbiter import ParserAnswer, SystemAnswer, candidates
from training.records import read_rows
from training.weak_supervision import (
    BestAnswer,
    RankedQuestion,
    WrongBounds,
    answer_shares,
    bounded_threshold,
    by_answerable,
    cross_validate,
    fit,
)
from utils.errors import InputError

_LEAST_GAIN = 0.02  # of score, for an arbiter that is worth another step


@dataclass(frozen=True, slots=True)
class OutOfFoldAnswer:
    """The parser's likeliest answer to a question that its weights were not fitted on.

    Attributes:
        wording: questions with the same one stay in one fold.
        answerable: whether the KG has the answer.
        answer: None if no program has a result.
    """

    id: str
    wording: str
    domain: str
    answerable: bool
    answer: str | None
    probability: float

    @classmethod
    def of(cls, best: BestAnswer) -> "OutOfFoldAnswer":
        """The answer as it is written to a file."""
        question = best.question
        return cls(
            id=question.id,
            wording=question.cluster,
            domain=question.domain,
            answerable=question.answerable,
            answer=best.answer,
            probability=round(best.probability, 6),
        )


@dataclass(frozen=True, slots=True)
class ArbiterCheck:
    """What becomes of the questions, by models of the other folds.

    Attributes:
        system: by the system alone.
        parser: by the parser alone, at the arbiter's bounds.
        arbiter: by the arbiter.
        thresholds: of the parser and of the arbiter.
    """

    system: list[BestAnswer]
    parser: list[BestAnswer]
    arbiter: list[BestAnswer]
    thresholds: tuple[float, float]

    def table(self) -> Table:
        """Right and wrong answers of each, in percent of the questions."""
        table = Table("", "right", "wrong", "score", "wrong of unanswerable")
        parser_threshold, arbiter_threshold = self.thresholds
        for name, outcomes, threshold in (
            ("system", self.system, 0.0),
            ("parser", self.parser, parser_threshold),
            ("arbiter", self.arbiter, arbiter_threshold),
        ):
            answerable, unanswerable = by_answerable(outcomes)
            shares = answer_shares(answerable, threshold)
            others = answer_shares(unanswerable, threshold)
            figures = (shares.right, shares.wrong, shares.right - shares.wrong, others.wrong)
            table.add_row(name, *(f"{figure:.1%}" for figure in figures))
        return table


def read_questions(
    runs: Sequence[Path], parser_answers: Path, judge: Judge
) -> list[tuple[RankedQuestion, BestAnswer, BestAnswer]]:
    """Each question of the runs with its candidates, and the answers of system and parser alone.

    Raises:
        InputError: no question of the runs is in the file of the parser's answers.
    """
    answers = {row.id: row for row in read_rows(parser_answers, OutOfFoldAnswer)}
    questions = []
    for run in runs:
        traces = read_traces(run)
        for result in read_results(run).values():
            if result.id in answers:
                steps = traces.get(result.id, [])
                questions.append(_ranked_question(result, steps, answers[result.id], judge))
    if not questions:
        raise InputError(f"no question of {', '.join(map(str, runs))} is in {parser_answers}")
    return questions


def _ranked_question(
    result: QuestionResult, steps: Sequence[Step], parsed: OutOfFoldAnswer, judge: Judge
) -> tuple[RankedQuestion, BestAnswer, BestAnswer]:
    system = None
    for step in steps:  # the last counts: a resumed run may have several
        if step.name == CONFIDENCE_STEP:
            system = SystemAnswer(step.inputs["answer"], step.confidence)
    parser = ParserAnswer(parsed.answer, parsed.probability)
    rows = tuple(candidates(system, parser))
    texts = [str(answer) for answer, _ in rows]
    alone = [system.text if system else IDK, parsed.answer or IDK]
    items = [Item(result.id, result.query, result.golds, text) for text in [*texts, *alone]]
    verdicts = [judgement.verdict for judgement in judge.judge(items)]
    question = RankedQuestion(
        id=result.id,
        cluster=parsed.wording,
        domain=parsed.domain,
        answerable=parsed.answerable,
        candidates=rows,
        verdicts=tuple(verdicts[: len(rows)]),
    )
    of_system, of_parser = verdicts[len(rows) :]
    return (
        question,
        BestAnswer(question, system.text if system else None, of_system, 1.0 if system else 0.0),
        BestAnswer(question, parsed.answer, of_parser, parsed.probability),
    )


def fit_arbiter(
    questions: Sequence[tuple[RankedQuestion, BestAnswer, BestAnswer]],
    folds: int,
    most_wrong: WrongBounds,
) -> tuple[LogLinearModel, ArbiterCheck]:
    """The weights fitted on all questions, and what they do out of fold.

    Raises:
        InputError: there are too few questions, or none has a right candidate.
        MissingPackageError: scikit-learn is not installed.
    """
    ranked = [question for question, _, _ in questions]
    outcomes = cross_validate(ranked, folds)
    parser = [outcome for _, _, outcome in questions]
    threshold = bounded_threshold(outcomes, most_wrong)
    parser_threshold = bounded_threshold(parser, most_wrong)
    check = ArbiterCheck(
        system=[outcome for _, outcome, _ in questions],
        parser=parser,
        arbiter=outcomes,
        thresholds=(parser_threshold, threshold),
    )
    return fit(ranked, threshold), check


def gain_in_words(check: ArbiterCheck) -> str:
    """How many points of score the arbiter gains over the better of the two."""
    scores = []
    thresholds = (0.0, *check.thresholds)
    groups = (check.system, check.parser, check.arbiter)
    for outcomes, threshold in zip(groups, thresholds, strict=True):
        answerable, _ = by_answerable(outcomes)
        shares = answer_shares(answerable, threshold)
        scores.append(shares.right - shares.wrong)
    gain = scores[2] - max(scores[:2])
    verdict = "use it" if gain >= _LEAST_GAIN else "leave it out: that is too little"
    return f"the arbiter gains {100 * gain:.1f} points over the better of the two: {verdict}"
