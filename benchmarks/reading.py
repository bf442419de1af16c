"""Questions answered from pages without an LLM: right, wrong and missing answers, and seconds.

The questions are those whose page the reader was not tuned on, a fifth of each file of `--data`:
`nq` with its own text and nine near ones, each as a page; `xquad` and `lists` with their own text;
`tables` by the page that holds the answer, and by all five. Of `lists` an answer is right if it has
all parts. With `--crag`, CRAG's passages too: the shipped encoder was tuned on them, so that their
figures are those of the cross-validation (the card in `models/reading/weights.json`).
"""

import html
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

from benchmarks._command import command, show
from evaluation.dataset import read_examples
from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge
from models.records import Page, Question, Task
from models.subtasks.answer_web import WEIGHTS, ExtractiveReader
from models.web.retriever import Retriever
from training.fitting.folds import Fold
from training.reading.questions import NEAR_TEXTS, AnsweredText, near_texts, read_texts
from training.records import JsonRow, question_of, read_rows
from utils.deadline import Deadline
from utils.posix import resource
from utils.text import words

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its pages.

    Attributes:
        parts: whether all of `golds` together are the answer; else any of them is.
    """

    question: Question
    golds: tuple[str, ...]
    parts: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """The likeliest answer, whatever its probability, and its cost.

    Attributes:
        seconds: after the passages were retrieved.
    """

    probability: float
    verdict: Verdict
    seconds: float


def page_of(text: AnsweredText) -> Page:
    """A text as a page."""
    body = f"<title>{html.escape(text.title)}</title><p>{html.escape(text.text)}</p>"
    return Page(text.title, "", "", body)


def of_texts(file: Path, held_out: Fold, near: int, *, parts: bool = False) -> Iterator[Asked]:
    """The held-out questions of a file of texts, with their own text and near ones."""
    rows = read_texts(file)
    distinct = list({row.text: row for row in rows}.values())
    for row in rows:
        if held_out.holds(row.page):
            pages = [row, *near_texts(row, distinct, near)]
            question = Question(row.id, row.question, None, Task.WEB, tuple(map(page_of, pages)))
            yield Asked(question, row.answers, parts)


def of_pages(file: Path, held_out: Fold, *, gold_only: bool) -> Iterator[Asked]:
    """The held-out questions of a file of CRAG's form, with the page that holds the answer alone,
    or with all pages."""
    for example, row in zip(read_examples(file), read_rows(file, JsonRow), strict=True):
        question = question_of(example, Task.WEB)
        files = [Path(str(page["page_file"])).name for page in row["search_results"]]
        gold = question.pages[files.index(str(row["gold_page"]))]
        if held_out.holds(gold.name):
            pages = (gold,) if gold_only else question.pages
            yield Asked(
                Question(question.id, question.text, question.asked_at, Task.WEB, pages),
                example.golds,
            )


def read(asked: Asked, retriever: Retriever, reader: ExtractiveReader) -> Read:
    """What the reader finds."""
    deadline = Deadline.after(60)
    question = asked.question
    retrieved = retriever.retrieve(question, deadline)
    start = time.perf_counter()
    best = reader.choice(question, retrieved.passages, retrieved.texts, deadline)
    seconds = time.perf_counter() - start
    if best is None:
        return Read(0.0, Verdict.MISSING, seconds)
    answer = best.choice.answer
    if asked.parts:
        has_all = set(words(" ".join(asked.golds))) <= set(words(answer))
        verdict = Verdict.CORRECT if has_all else Verdict.WRONG
    else:
        item = Item(question.id, question.text, asked.golds, answer)
        (judgement,) = RulesJudge().judge([item])
        verdict = judgement.verdict
    return Read(best.choice.probability, verdict, seconds)


def shares(results: Sequence[Read], threshold: float) -> tuple[float, float]:
    """The shares of right and of wrong answers at a threshold."""
    given = [each for each in results if each.probability >= threshold]
    right = sum(each.verdict is Verdict.CORRECT for each in given)
    wrong = sum(each.verdict is Verdict.WRONG for each in given)
    return right / len(results), wrong / len(results)


@command
def main(
    data: Annotated[Path, typer.Option(help="the folder of questions with texts and pages")],
    crag: Annotated[bool, typer.Option(help="the card's figures of CRAG's passages, too")] = False,
) -> int:
    card = json.loads(WEIGHTS.read_text(encoding="utf-8"))["card"]
    held_out = Fold.of(card["held_out"])
    reader = ExtractiveReader()
    retriever = Retriever()
    sets = {
        "nq, ten pages": of_texts(data / "nq.jsonl", held_out, NEAR_TEXTS),
        "xquad": of_texts(data / "xquad.jsonl", held_out, 0),
        "lists": of_texts(data / "lists.jsonl", held_out, 0, parts=True),
        "tables, one page": of_pages(data / "tables.jsonl", held_out, gold_only=True),
        "tables, five pages": of_pages(data / "tables.jsonl", held_out, gold_only=False),
    }
    threshold = reader.model.threshold
    rows: list[list[str]] = []
    curve: list[list[str]] = []
    for name, questions in sets.items():
        results = [read(asked, retriever, reader) for asked in questions]
        right, wrong = shares(results, threshold)
        best, _ = shares(results, 0.0)
        seconds = [each.seconds for each in results]
        rows.append(
            [
                name,
                str(len(results)),
                *(f"{share:.1%}" for share in (best, right, wrong, 1 - right - wrong)),
                f"{median(seconds):.3f}",
                f"{max(seconds):.3f}",
            ]
        )
        at = [shares(results, each) for each in THRESHOLDS]
        curve.append([name, *(f"{right:.0%} / {wrong:.0%}" for right, wrong in at)])
    if crag:
        figures = card["cross_validation"]["retrieved"]
        share = {key: f"{figures[key]:.1%}" for key in ("best right", "right", "wrong")}
        missing = f"{1 - figures['right'] - figures['wrong']:.1%}"
        rows.append(
            ["CRAG's passages, by folds", str(figures["questions"]), *share.values(), missing]
        )
    columns = ["questions", "n", "best right", "right", "wrong", "missing", "median s", "most s"]
    show(f"threshold {threshold:.2f}", columns, rows)
    show("right / wrong at a threshold", ["questions", *map(str, THRESHOLDS)], curve)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    show("", ["peak MB"], [[str(peak)]])
    return 0


if __name__ == "__main__":
    sys.exit(main())
