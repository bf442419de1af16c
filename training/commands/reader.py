"""`python -m training reader`: the offline reader's weights, from questions, answers and pages."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path

from rich.console import Console
from rich.table import Table

from evaluation.dataset import read_examples, to_batch
from evaluation.judge.protocol import Item
from evaluation.judge.rules import RulesJudge
from evaluation.passages import ranked, titled_passages
from evaluation.run_folder import write_text
from models.batch import read_batch
from models.ranking.lexical import LexicalReranker
from models.reading.candidates import candidates
from models.records import Passage, Question, Task
from models.subtasks.answer_web import WEIGHTS
from models.web.page import PageText
from models.web.retriever import Retriever
from training.parser import (
    FOLDS,
    Example,
    Outcome,
    cross_validate,
    fit,
    oracle,
    share,
)
from training.records import file_hash, json_lines
from utils.deadline import Deadline
from utils.errors import InputError

HELP = "fit the weights of the offline reader by weak supervision"
_SECONDS = 600.0  # to read a question's pages: no answer may depend on the time it takes
# A question, its passages and their pages, its golds.
Row = tuple[str, str, Sequence[Passage], dict[int, PageText], tuple[str, ...]]


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, nargs="+", required=True, metavar="FILE",
        help="questions with answers, and with `passages` or with web pages as CRAG's have them",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, default=WEIGHTS, metavar="FILE")
    parser.add_argument(
        "--repeats", type=int, default=5, help="how often to cross-validate, on other folds"
    )
    parser.add_argument(
        "--most-wrong", type=float, default=0.02, metavar="SHARE",
        help="the share of wrong answers that the threshold allows, on folds, in each file",
    )  # fmt: skip


def run(options: Namespace, console: Console) -> int:
    examples = [example for file in options.data for example in gather(file)]
    if not examples:
        raise InputError("no questions in " + ", ".join(map(str, options.data)))
    outcomes = [
        outcome
        for repeat in range(options.repeats)
        for outcome in cross_validate([replace(e, cluster=f"{repeat} {e.id}") for e in examples])
    ]
    threshold = _threshold([_of(outcomes, file) for file in options.data], options.most_wrong)
    figures = {file.name: _figures(outcomes, file, threshold) for file in options.data}
    card = {
        "what": "weights of models/reading, by weak supervision (training reader)",
        "date": date.today().isoformat(),
        "data": {file.name: file_hash(file) for file in options.data},
        "questions": len(examples),
        "cross_validation": {"folds": FOLDS, "repeats": options.repeats, **figures},
    }
    told = {"card": card, "model": asdict(fit(examples, threshold))}
    write_text(options.out, json.dumps(told, indent=1, sort_keys=True) + "\n")
    console.print(_table(figures, threshold))
    console.print(f"{options.out}", highlight=False)
    return 0


def gather(file: Path) -> Iterator[Example]:
    """The candidates of every question, each with the judge's verdict.

    Raises:
        InputError: a file or a row that cannot be read.
    """
    judge = RulesJudge()
    first = next((row for _, row in json_lines(file)), {}) if file.suffix == ".jsonl" else {}
    for id, query, passages, texts, golds in _rows(file, has_passages="passages" in first):
        found = candidates(query, passages, texts)
        items = [Item(id, query, golds, candidate.answer) for candidate in found]
        yield Example(
            id, id, file.name, True,
            tuple((candidate.answer, candidate.features) for candidate in found),
            tuple(judgement.verdict for judgement in judge.judge(items)),
        )  # fmt: skip


def _rows(file: Path, *, has_passages: bool) -> Iterator[Row]:
    if has_passages:
        ranker = LexicalReranker()
        for number, row in json_lines(file):
            try:
                id, query = str(row["interaction_id"]), str(row["query"])
                golds = tuple(map(str, (row["answer"], *row.get("alt_ans", ()))))
                passages, texts = ranked(query, titled_passages(row), ranker)
            except (KeyError, TypeError, AttributeError) as error:
                raise InputError(f"{file}, line {number}: no question: {error!r}") from error
            yield id, query, passages, texts, golds
        return
    for example in read_examples(file):
        (question,) = read_batch(to_batch([example]), lambda pages: Task.WEB)
        if isinstance(question, Question):
            got = Retriever().retrieve(question, Deadline.after(_SECONDS))
            yield question.id, question.text, got.passages, dict(got.texts), example.golds


def _threshold(files: Sequence[Sequence[Outcome]], most_wrong: float) -> float:
    """The threshold with the best score (right less wrong) over all files, among those at which
    at most a share of `most_wrong` is wrong in each."""
    tried = [round(0.02 * step, 2) for step in range(10, 50)]
    kept = [t for t in tried if all(share(own, t).wrong <= most_wrong for own in files)]
    everything = [outcome for own in files for outcome in own]

    def score(threshold: float) -> float:
        found = share(everything, threshold)
        return found.right - found.wrong

    return max(kept, key=score) if kept else tried[-1]


def _of(outcomes: Sequence[Outcome], file: Path) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.example.domain == file.name]


def _figures(outcomes: Sequence[Outcome], file: Path, threshold: float) -> dict[str, float]:
    """Shares of a file's questions: some candidate is right; the best is; and of what is said."""
    own = _of(outcomes, file)
    said, most = share(own, threshold), share(own, 0.0)
    found = {
        "some right": oracle([outcome.example for outcome in own]),
        "best right": most.right,
        "right": said.right,
        "wrong": said.wrong,
        "unscored": said.unscored,
    }
    return {name: round(value, 4) for name, value in found.items()}


def _table(figures: dict[str, dict[str, float]], threshold: float) -> Table:
    names = next(iter(figures.values()))
    table = Table("data", *names, title=f"cross-validated, threshold {threshold:.2f}")
    for file, shares in figures.items():
        table.add_row(file, *(f"{shares[name]:.1%}" for name in names))
    return table
