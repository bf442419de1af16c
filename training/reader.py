"""The offline reader's weights, fitted on candidates from pages that are judged."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.table import Table

from evaluation.dataset import read_examples
from evaluation.judge.protocol import Item
from evaluation.judge.rules import RulesJudge
from evaluation.passages import ranked, titled_passages
from models.ranking.lexical import LexicalReranker
from models.reading.candidates import candidates
from models.records import Passage, Task
from models.web.page import PageText
from models.web.retriever import Retriever
from models.web.scoring import Scorer
from models.web.settings import WebSettings
from training.fitting.folds import FOLDS
from training.fitting.threshold import Bound, best_threshold
from training.records import JsonRow, question_of, read_rows
from training.weak_supervision import (
    BestAnswer,
    RankedQuestion,
    answer_group,
    cross_validate,
    figures,
    figures_table,
    fit,
    write_weights,
)
from utils.deadline import Deadline
from utils.errors import InputError
from utils.model_files import sha256

_SECONDS = 600.0  # for a question's pages: no result may depend on speed
_PASSAGES = 20  # of a question, at most
_WHAT = "weights of models/reading, by weak supervision (training reader)"


@dataclass(frozen=True, slots=True)
class QuestionToRead:
    """A question, the passages to answer it from, best first, and its gold answers.

    Attributes:
        pages: of the passages, by `Passage.page`.
    """

    id: str
    query: str
    passages: Sequence[Passage]
    pages: Mapping[int, PageText]
    golds: tuple[str, ...]


def fit_reader(files: Sequence[Path], out: Path, repeats: int, most_wrong: float) -> Table:
    """Write the weights of the questions of `files` to `out`; the figures as a table.

    Raises:
        InputError: there are too few questions, or a row cannot be read.
        MissingPackageError: scikit-learn is not installed.
    """
    questions: list[RankedQuestion] = []
    for file in files:
        questions += gather(file)
    if not questions:
        raise InputError("no questions in " + ", ".join(map(str, files)))
    outcomes: list[BestAnswer] = []
    for repeat in range(repeats):
        refolded = [replace(each, cluster=f"{repeat} {each.id}") for each in questions]
        outcomes += cross_validate(refolded)
    by_file = {
        file.name: [outcome for outcome in outcomes if outcome.question.domain == file.name]
        for file in files
    }
    bounds = [Bound(answer_group(group), most_wrong) for group in by_file.values()]
    threshold = best_threshold([answer_group(outcomes)], bounds)
    facts = {
        "data": {file.name: sha256(file) for file in files},
        "questions": len(questions),
        "cross_validation": {
            "folds": FOLDS,
            "repeats": repeats,
            **{name: _rounded_figures(group, threshold) for name, group in by_file.items()},
        },
    }
    write_weights(out, fit(questions, threshold), _WHAT, facts)
    return figures_table(outcomes, threshold)


def _rounded_figures(outcomes: Sequence[BestAnswer], threshold: float) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures(outcomes, threshold).items()}


def gather(file: Path) -> Iterator[RankedQuestion]:
    """The candidates of every question, each with the judge's verdict.

    Raises:
        InputError: the file or a row cannot be read.
    """
    judge = RulesJudge()
    for question in read_questions(file):
        answers = candidates(question.query, question.passages, dict(question.pages))
        items = [
            Item(question.id, question.query, question.golds, candidate.answer)
            for candidate in answers
        ]
        yield RankedQuestion(
            id=question.id,
            cluster=question.id,
            domain=file.name,
            answerable=True,
            candidates=tuple((candidate.answer, candidate.features) for candidate in answers),
            verdicts=tuple(judgement.verdict for judgement in judge.judge(items)),
        )


def read_questions(file: Path) -> Iterator[QuestionToRead]:
    """The questions of a file, each with its passages, or with those retrieved from its pages.

    Raises:
        InputError: the file or a row cannot be read.
    """
    first: JsonRow = {}
    if file.suffix == ".jsonl":
        first = next(read_rows(file, JsonRow), {})
    return _with_passages(file) if "passages" in first else _with_pages(file)


def _with_pages(file: Path) -> Iterator[QuestionToRead]:
    """The questions of a CRAG file; their passages are retrieved from their pages."""
    retriever = Retriever(scorer=Scorer(settings=WebSettings(rerank_k=_PASSAGES)))
    for example in read_examples(file):
        question = question_of(example, Task.WEB)
        retrieved = retriever.retrieve(question, Deadline.after(_SECONDS))
        yield QuestionToRead(
            question.id, question.text, retrieved.passages, retrieved.texts, example.golds
        )


def _with_passages(file: Path) -> Iterator[QuestionToRead]:
    """The questions of a file whose rows hold their passages."""
    ranker = LexicalReranker()
    for number, row in enumerate(read_rows(file, JsonRow), start=1):
        try:
            yield _question_of_row(row, ranker)
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{file}, row {number}: not a question: {error!r}") from error


def _question_of_row(row: Mapping[str, Any], ranker: LexicalReranker) -> QuestionToRead:
    query = str(row["query"])
    passages, pages = ranked(query, titled_passages(row), ranker)
    golds = (row["answer"], *row.get("alt_ans", ()))
    return QuestionToRead(
        str(row["interaction_id"]), query, passages, pages, tuple(map(str, golds))
    )
