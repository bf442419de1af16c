"""The semantic parser's weights, fitted on candidates that are run over a KG and judged."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator
from rich.table import Table

from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge
from mock_api.local import LocalClient
from models.batch_input import read_query_time
from models.kg.parsing.semantic_parser import SemanticParser
from models.ranking.log_linear import LogLinearModel
from models.records import IDK, INVALID
from training.fitting.calibration import Bin, reliability
from training.kg import Kg
from training.records import AnnotatedProgram, read_rows
from training.weak_supervision import (
    AnswerShares,
    BestAnswer,
    RankedQuestion,
    WrongBounds,
    answer_shares,
    best_answer,
    bounded_threshold,
    by_answerable,
    cross_validate,
    fit,
    oracle,
    write_weights,
)
from training.wording import wording_of
from utils.deadline import Deadline
from utils.model_files import sha256
from utils.progress import shown

_SECONDS = 60.0  # a question
_UNFITTED = LogLinearModel({}, {}, 0.0)
_WHAT = "weights of models/kg/parsing, by weak supervision (crag training parser)"
_THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)  # that are shown

_AsText = Annotated[str, BeforeValidator(str)]  # an answer may be a number


class Source(StrEnum):
    """Where questions come from. Figures, threshold and calibration are of `REAL` ones alone."""

    REAL = "real"  # with answers, as people ask them
    UNANSWERED = "unanswered"  # real ones that the KG cannot answer, beyond those of REAL
    INVENTED = "invented"

    @property
    def weight(self) -> float:
        """How often a question counts in the fit.

        Real questions are few beside the invented ones, so that each counts more. docs/LOG.md, 26
        November, has other weights.
        """
        return _WEIGHTS[self]


_WEIGHTS = {Source.REAL: 5.0, Source.UNANSWERED: 1.0, Source.INVENTED: 1.0}


@dataclass(frozen=True, slots=True)
class KgQuestion:
    """A row of the data: a question with its answers.

    Attributes:
        answer: "i don't know" if the KG cannot answer it.
        alt_ans: other answers that are right.
        answerable: whether the KG can answer it; where it is absent, only a row with a `why` cannot
            be answered.
        why: the reason why the KG cannot answer it.
    """

    query: str
    answer: _AsText
    alt_ans: tuple[_AsText, ...] = ()
    interaction_id: _AsText = ""
    query_time: str | None = None
    domain: str = "unknown"
    answerable: bool | None = None
    why: str | None = None

    @property
    def golds(self) -> tuple[str, ...]:
        """All answers that are right."""
        return (self.answer, *self.alt_ans)

    @property
    def kg_has_answer(self) -> bool:
        """Whether the KG can answer it."""
        return self.why is None if self.answerable is None else self.answerable


@dataclass(frozen=True, slots=True)
class SourcedQuestion:
    """A question, where it comes from, and whether the KG has what its program reads.

    Attributes:
        has_evidence: false if the program annotated for it returns nothing, so that every answer is
            a guess.
    """

    row: KgQuestion
    source: Source
    has_evidence: bool = True


def read_questions(
    files: Mapping[Source, Sequence[Path]], programs: Path | None, kg: Path
) -> list[SourcedQuestion]:
    """The questions of all files; of those with one id in several files, the first.

    Args:
        files: by source.
        programs: rows with an annotated program for some of the questions.
        kg: over which the programs are run.

    Raises:
        InputError: a row cannot be read.
    """
    program_by_id: dict[str, str] = {}
    if programs is not None:
        for row in read_rows(programs, AnnotatedProgram):
            program_by_id[row.interaction_id] = row.program
    graph = Kg(kg)
    questions: dict[str, SourcedQuestion] = {}
    for source in Source:
        for file in files.get(source, ()):
            for question in read_rows(file, KgQuestion):
                id = question.interaction_id or f"{file} {len(questions)}"
                program = program_by_id.get(id)
                has_evidence = True
                if program is not None:
                    has_evidence = graph.returned(program, question.query_time or "").something
                questions.setdefault(id, SourcedQuestion(question, source, has_evidence))
    return list(questions.values())


def gather(questions: Sequence[SourcedQuestion], kg: Path, workers: int) -> list[RankedQuestion]:
    """Each question with its candidates and their verdicts."""
    _parser(kg)  # prepares the KG once, before the processes start
    with ProcessPoolExecutor(workers) as pool:
        results = pool.map(partial(_ranked_question, kg), questions, chunksize=8)
        return list(shown(results, "questions", len(questions)))


@cache
def _parser(kg: Path) -> SemanticParser:
    return SemanticParser(LocalClient(kg), model=_UNFITTED)


def _ranked_question(kg: Path, question: SourcedQuestion) -> RankedQuestion:
    row = question.row
    now = read_query_time(row.query_time or "")
    parsed = _parser(kg).parse(row.query, now, Deadline.after(_SECONDS))
    derivations = parsed.derivations
    items = [Item("", row.query, row.golds, each.answer or IDK) for each in derivations]
    verdicts = [judgement.verdict for judgement in RulesJudge().judge(items)]
    if not question.has_evidence:
        answers = [derivation.answer for derivation in derivations]
        verdicts = list(without_guesses(answers, verdicts))
    return RankedQuestion(
        id=row.interaction_id,
        cluster=wording_of(parsed, row.query),
        domain=row.domain,
        answerable=question.source is not Source.UNANSWERED and row.kg_has_answer,
        candidates=tuple((each.answer, each.features) for each in derivations),
        verdicts=tuple(verdicts),
        ruled_out=tuple(each.features for each in derivations if each.ruled_out),
        weight=question.source.weight,
        calibrates=question.source is Source.REAL,
        source=question.source,
    )


def without_guesses(
    answers: Sequence[str | None], verdicts: Sequence[Verdict]
) -> Iterator[Verdict]:
    """The verdicts where the KG lacks the facts: a right "no" is a guess, and counts as wrong."""
    for answer, verdict in zip(answers, verdicts, strict=True):
        is_answer = answer is not None and answer != INVALID
        yield Verdict.WRONG if is_answer else verdict


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The best answers to the questions whose figures are shown.

    Attributes:
        measured: those of the real questions; without any, of the invented ones.
        unanswered: those of real questions that the KG cannot answer, beyond the measured ones.
        threshold: minimum probability of an answer that is given.
    """

    measured: list[BestAnswer]
    unanswered: list[BestAnswer]
    threshold: float

    @property
    def reliability(self) -> tuple[Bin, ...]:
        """The calibration of the measured answers that the judge could score."""
        could_tell = (Verdict.CORRECT, Verdict.WRONG)
        scored = [each for each in self.measured if each.verdict in could_tell]
        chances = np.array([each.probability for each in scored])
        right = np.array([each.verdict is Verdict.CORRECT for each in scored])
        return reliability(chances, right)


def fit_parser(
    questions: Sequence[RankedQuestion],
    files: Sequence[Path],
    out: Path,
    folds: int,
    most_wrong: WrongBounds,
) -> Outcomes:
    """Write the weights fitted on `questions`, which come from `files`, to `out`.

    Returns:
        the outcomes by models of the other folds, with the threshold chosen on them.

    Raises:
        InputError: there are too few questions, or none has a right candidate.
        MissingPackageError: scikit-learn is not installed.
    """
    outcomes = cross_validate(questions, folds)
    measured = _measured(outcomes)
    unanswered = _outcomes_of(Source.UNANSWERED, outcomes)
    answerable, unanswerable = by_answerable(measured)
    threshold = bounded_threshold(measured, most_wrong)
    check = Outcomes(measured, unanswered, threshold)
    counts = Counter(question.source for question in questions)
    facts = {
        "data": {str(Path(*file.parts[-2:])): sha256(file) for file in files},
        "questions": {str(source): counts[source] for source in Source},
        "out_of_fold": {
            "folds": folds,
            "some_right": round(oracle([outcome.question for outcome in measured]), 4),
            "answerable": _rounded_shares(answer_shares(answerable, threshold)),
            "unanswerable": _rounded_shares(answer_shares(unanswerable, threshold)),
            "unanswered": _rounded_shares(answer_shares(unanswered, threshold)),
            "reliability": [_rounded(asdict(each)) for each in check.reliability],
        },
    }
    write_weights(out, fit(questions, threshold), _WHAT, facts)
    return check


def score_parser(questions: Sequence[RankedQuestion], model: LogLinearModel) -> Outcomes:
    """The best answers of given weights."""
    outcomes = [best_answer(question, model) for question in questions]
    unanswered = _outcomes_of(Source.UNANSWERED, outcomes)
    return Outcomes(_measured(outcomes), unanswered, model.threshold)


def _measured(outcomes: Sequence[BestAnswer]) -> list[BestAnswer]:
    """Those whose figures are shown: of the real questions; without any, of the invented ones."""
    real = _outcomes_of(Source.REAL, outcomes)
    return real or _outcomes_of(Source.INVENTED, outcomes)


def _outcomes_of(source: Source, outcomes: Sequence[BestAnswer]) -> list[BestAnswer]:
    return [outcome for outcome in outcomes if outcome.question.source == source]


def _rounded_shares(shares: AnswerShares) -> dict[str, float]:
    return _rounded(asdict(shares))


def _rounded(values: Mapping[str, Any]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}


def threshold_table(outcomes: Sequence[BestAnswer]) -> Table:
    """The figures at other thresholds."""
    table = Table("threshold", "right", "wrong", "wrong of unanswerable", "false premises")
    answerable, unanswerable = by_answerable(outcomes)
    for threshold in _THRESHOLDS:
        shares = answer_shares(answerable, threshold)
        other = answer_shares(unanswerable, threshold)
        cells = [f"{each:.1%}" for each in (shares.right, shares.wrong, other.wrong)]
        table.add_row(f"{threshold:.1f}", *cells, str(other.invalid))
    return table


def reliability_table(bins: Sequence[Bin]) -> Table:
    """The mean probability of each bin's answers against the share that is right."""
    table = Table("answers", "mean probability", "right", "difference")
    for each in bins:
        difference = f"{each.chance - each.right:+.1%}"
        table.add_row(str(each.count), f"{each.chance:.1%}", f"{each.right:.1%}", difference)
    return table
