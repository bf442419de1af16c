"""Questions answered from pages without an LLM: right, wrong and missing answers, and seconds.

The questions are those whose page the reader was not tuned on, a fifth of each file of `--data`:
`nq` with its own text and nine near ones, each as a page; `xquad` and `lists` with their own text;
`tables` by the page that holds the answer, and by all five. Of `lists` an answer is right if it has
all parts.
"""

import html
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

from benchmarks._command import command, show
from benchmarks._memory import peak_mb
from evaluation.dataset import read_examples
from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge
from models.records import Page, Question, Task
from models.subtasks.answer_web import WEIGHTS, ExtractiveReader
from models.web.retriever import Retriever
from training.fitting.folds import Fold
from training.reading.questions import (
    NEAR_TEXTS,
    AnsweredText,
    gold_page,
    near_texts,
    read_texts,
)
from training.records import JsonRow, question_of, read_rows
from utils.deadline import Deadline
from utils.text import words


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with its pages and its right answers.

    Attributes:
        parts: whether all of `golds` together are the answer; else any of them is.
    """

    question: Question
    golds: tuple[str, ...]
    parts: bool = False


@dataclass(frozen=True, slots=True)
class Likeliest:
    """The likeliest answer, and its cost.

    Attributes:
        is_given: whether the reader gives it.
        seconds: after the passages were retrieved.
    """

    is_given: bool
    verdict: Verdict
    seconds: float


def page_of(text: AnsweredText) -> Page:
    """A text as a page."""
    body = f"<title>{html.escape(text.title)}</title><p>{html.escape(text.text)}</p>"
    return Page(text.title, "", "", body)


def of_texts(
    file: Path, held_out: Fold, near: int, *, parts: bool = False
) -> Iterator[GoldQuestion]:
    """The held-out questions of a file of texts, with their own text and near ones."""
    rows = read_texts(file)
    distinct = list({row.text: row for row in rows}.values())
    for row in rows:
        if held_out.holds(row.page):
            pages = [row, *near_texts(row, distinct, near)]
            question = Question(row.id, row.question, None, Task.WEB, tuple(map(page_of, pages)))
            yield GoldQuestion(question, row.answers, parts=parts)


def of_pages(file: Path, held_out: Fold, *, gold_only: bool) -> Iterator[GoldQuestion]:
    """The held-out questions of a file of CRAG's form, with the page that holds the answer alone,
    or with all pages."""
    for example, row in zip(read_examples(file), read_rows(file, JsonRow), strict=True):
        question = question_of(example, Task.WEB)
        gold = gold_page(question, row)
        if held_out.holds(gold.name):
            if gold_only:
                question = replace(question, pages=(gold,))
            yield GoldQuestion(question, example.golds)


def likeliest(row: GoldQuestion, retriever: Retriever, reader: ExtractiveReader) -> Likeliest:
    """What the reader finds."""
    deadline = Deadline.after(60)
    question = row.question
    retrieved = retriever.retrieve(question, deadline)
    start = time.perf_counter()
    best = reader.choice(question, retrieved.passages, retrieved.texts, deadline)
    seconds = time.perf_counter() - start
    if best is None:
        return Likeliest(False, Verdict.MISSING, seconds)
    answer = best.choice.answer
    if row.parts:
        has_all = set(words(" ".join(row.golds))) <= set(words(answer))
        verdict = Verdict.CORRECT if has_all else Verdict.WRONG
    else:
        item = Item(question.id, question.text, row.golds, answer)
        (judgement,) = RulesJudge().judge([item])
        verdict = judgement.verdict
    return Likeliest(reader.answer_of(best).known, verdict, seconds)


def figures_of(results: Sequence[Likeliest]) -> list[str]:
    """The number of questions; the shares whose likeliest answer is right, and that are answered
    rightly, wrongly and not; median and most seconds."""
    total = len(results)
    best, _ = right_and_wrong([each.verdict for each in results], total)
    right, wrong = right_and_wrong([each.verdict for each in results if each.is_given], total)
    shares = [f"{share:.1%}" for share in (best, right, wrong, 1 - right - wrong)]
    seconds = [each.seconds for each in results]
    return [str(total), *shares, f"{median(seconds):.3f}", f"{max(seconds):.3f}"]


def right_and_wrong(verdicts: Sequence[Verdict], total: int) -> tuple[float, float]:
    """Of `total` questions, the shares that are answered rightly and wrongly."""
    right = sum(verdict is Verdict.CORRECT for verdict in verdicts)
    wrong = sum(verdict is Verdict.WRONG for verdict in verdicts)
    return right / total, wrong / total


@command
def main(
    data: Annotated[Path, typer.Option(help="the folder of questions with texts and pages")],
) -> None:
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
    rows: list[list[str]] = []
    for name, questions in sets.items():
        results = [likeliest(row, retriever, reader) for row in questions]
        rows.append([name, *figures_of(results)])
    columns = ["questions", "n", "best right", "right", "wrong", "missing", "median s", "most s"]
    show(f"threshold {reader.model.threshold:.2f}", columns, rows)
    print(f"peak memory {peak_mb():.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
