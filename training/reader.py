"""The offline reader's weights, fitted on candidates from pages that are judged."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

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
from training.records import Row, question_of, read_rows
from training.weak_supervision import (
    FOLDS,
    RankedQuestion,
    best_threshold,
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
# A question, its passages and their pages, its golds.
Read = tuple[str, str, Sequence[Passage], dict[int, PageText], tuple[str, ...]]


def fit_reader(files: Sequence[Path], out: Path, repeats: int, most_wrong: float) -> Table:
    """Write the weights of the questions of `files` to `out`; the figures as a table.

    Raises:
        InputError: there are no questions, or a row cannot be read.
    """
    examples = [example for file in files for example in gather(file)]
    if not examples:
        raise InputError("no questions in " + ", ".join(map(str, files)))
    outcomes = [
        outcome
        for repeat in range(repeats)
        for outcome in cross_validate([replace(e, cluster=f"{repeat} {e.id}") for e in examples])
    ]
    by_file = {f.name: [o for o in outcomes if o.example.domain == f.name] for f in files}
    threshold = best_threshold(list(by_file.values()), most_wrong, [outcomes])
    shares = {
        name: {key: round(value, 4) for key, value in figures(own, threshold).items()}
        for name, own in by_file.items()
    }
    facts = {
        "data": {file.name: sha256(file) for file in files},
        "questions": len(examples),
        "cross_validation": {"folds": FOLDS, "repeats": repeats, **shares},
    }
    write_weights(out, fit(examples, threshold), _WHAT, facts)
    return figures_table(outcomes, threshold)


def gather(file: Path) -> Iterator[RankedQuestion]:
    """The candidates of every question, each with the judge's verdict.

    Raises:
        InputError: the file or a row cannot be read.
    """
    judge = RulesJudge()
    for id, query, passages, texts, golds in _questions(file):
        found = candidates(query, passages, texts)
        items = [Item(id, query, golds, candidate.answer) for candidate in found]
        yield RankedQuestion(
            id, id, file.name, True,
            tuple((candidate.answer, candidate.features) for candidate in found),
            tuple(judgement.verdict for judgement in judge.judge(items)),
        )  # fmt: skip


def _questions(file: Path) -> Iterator[Read]:
    if file.suffix != ".jsonl" or "passages" not in next(read_rows(file, Row), {}):
        retriever = Retriever(scorer=Scorer(settings=WebSettings(rerank_k=_PASSAGES)))
        for example in read_examples(file):
            question = question_of(example, Task.WEB)
            got = retriever.retrieve(question, Deadline.after(_SECONDS))
            yield question.id, question.text, got.passages, dict(got.texts), example.golds
        return
    ranker = LexicalReranker()
    for number, row in enumerate(read_rows(file, Row), start=1):
        try:
            id, query = str(row["interaction_id"]), str(row["query"])
            golds = tuple(map(str, (row["answer"], *row.get("alt_ans", ()))))
            passages, texts = ranked(query, titled_passages(row), ranker)
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{file}, row {number}: not a question: {error!r}") from error
        yield id, query, passages, texts, golds
