"""The semantic parser's weights, fitted on candidates that are run over a KG and judged."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator
from rich.table import Table

from evaluation.judge.protocol import Item
from evaluation.judge.rules import RulesJudge
from mock_api.local import LocalClient
from models.batch_input import read_query_time
from models.kg.parsing.parser import ParsedQuestion, SemanticParser
from models.ranking.log_linear import LogLinearModel
from models.records import IDK
from training.fitting.threshold import best_threshold
from training.weak_supervision import (
    AnswerShares,
    BestAnswer,
    RankedQuestion,
    answer_group,
    answer_shares,
    by_answerable,
    cross_validate,
    fit,
    oracle,
    write_weights,
)
from utils.deadline import Deadline
from utils.model_files import sha256
from utils.progress import shown

_SECONDS = 60.0  # a question
_UNFITTED = LogLinearModel({}, {}, 0.0)
_WHAT = "weights of models/kg/parsing, by weak supervision (crag training parser)"
_THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)  # that are shown

_AsText = Annotated[str, BeforeValidator(str)]  # an answer may be a number


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


def fit_parser(
    questions: Sequence[RankedQuestion],
    files: Sequence[Path],
    out: Path,
    folds: int,
    most_wrong: float,
) -> tuple[list[BestAnswer], float]:
    """Write the weights fitted on `questions`, which come from `files`, to `out`.

    Returns:
        the cross-validated outcomes, and the threshold chosen on them.

    Raises:
        InputError: there are too few questions, or none has a right candidate.
        MissingPackageError: scikit-learn is not installed.
    """
    outcomes = cross_validate(questions, folds)
    answerable, unanswerable = by_answerable(outcomes)
    bounded = answer_group(answerable)
    threshold = best_threshold([bounded, answer_group(unanswerable)], [bounded], most_wrong)
    facts = {
        "data": {str(Path(*file.parts[-2:])): sha256(file) for file in files},
        "questions": len(questions),
        "cross_validation": {
            "folds": folds,
            "oracle": round(oracle(questions), 4),
            "answerable": _rounded_shares(answer_shares(answerable, threshold)),
            "unanswerable": _rounded_shares(answer_shares(unanswerable, threshold)),
        },
    }
    write_weights(out, fit(questions, threshold), _WHAT, facts)
    return outcomes, threshold


def _rounded_shares(shares: AnswerShares) -> dict[str, float]:
    return {name: round(value, 4) for name, value in asdict(shares).items()}


def gather(rows: Sequence[KgQuestion], kg: Path, workers: int) -> list[RankedQuestion]:
    """The candidates of every question, each with a verdict."""
    _parser(kg)  # prepares the KG once, before the processes start
    with ProcessPoolExecutor(workers) as pool:
        questions = pool.map(partial(_ranked_question, kg), rows, chunksize=8)
        return list(shown(questions, "questions", len(rows)))


@cache
def _parser(kg: Path) -> SemanticParser:
    return SemanticParser(LocalClient(kg), model=_UNFITTED)


def _ranked_question(kg: Path, row: KgQuestion) -> RankedQuestion:
    now = read_query_time(row.query_time or "")
    parsed = _parser(kg).parse(row.query, now, Deadline.after(_SECONDS))
    derivations = parsed.derivations
    items = [Item("", row.query, row.golds, each.answer or IDK) for each in derivations]
    return RankedQuestion(
        id=row.interaction_id,
        cluster=_cluster(parsed, row.query),
        domain=row.domain,
        answerable=row.kg_has_answer,
        candidates=tuple((each.answer, each.features) for each in derivations),
        verdicts=tuple(judgement.verdict for judgement in RulesJudge().judge(items)),
        ruled_out=tuple(each.features for each in derivations if each.ruled_out),
    )


def _cluster(parsed: ParsedQuestion, query: str) -> str:
    """The words of a question without its names and times: questions of one wording share them."""
    if parsed.coverage is None:
        return query
    spans = parsed.coverage.spans
    named: set[int] = set()  # the places of words
    for thing in spans.things:
        named.update(thing.positions)
    for _, places in spans.times:
        named.update(places)
    stems = {stem for place, stem in enumerate(spans.stems) if place not in named}
    return " ".join(sorted(stems))


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
