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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

from benchmarks._command import command, show
from evaluation.dataset import read_examples
from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge
from evaluation.score import mean_interval
from models.records import Page, Question, Task
from models.subtasks.answer_web import WEIGHTS, ExtractiveReader
from models.web.make_retriever import make_retriever
from models.web.retriever import Retriever
from models.web.settings import WebSettings
from training.fitting.folds import Fold
from training.reading.questions import (
    NEAR_TEXTS,
    AnsweredText,
    gold_page,
    has_answer,
    near_texts,
    read_texts,
)
from training.records import JsonRow, question_of, read_rows
from utils.deadline import Deadline
from utils.posix import resource
from utils.text import words

RECALL_AT = (1000, 4000)  # characters
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with its pages and its right answers.

    Attributes:
        gold_page: the index of the page that has the answer.
        parts: whether all of `golds` together are the answer; else any of them is.
    """

    question: Question
    golds: tuple[str, ...]
    gold_page: int = 0
    parts: bool = False


@dataclass(frozen=True, slots=True)
class Likeliest:
    """The likeliest answer, whatever its probability, and its cost.

    Attributes:
        is_given: whether the reader gives it.
        seconds: after the passages were retrieved.
    """

    is_given: bool
    probability: float
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
            pages = (gold,) if gold_only else question.pages
            asked = replace(question, pages=pages)
            yield GoldQuestion(asked, example.golds, pages.index(gold))


def likeliest(row: GoldQuestion, retriever: Retriever, reader: ExtractiveReader) -> Likeliest:
    """What the reader finds."""
    deadline = Deadline.after(60)
    question = row.question
    retrieved = retriever.retrieve(question, deadline)
    start = time.perf_counter()
    best = reader.choice(question, retrieved.passages, retrieved.texts, deadline)
    seconds = time.perf_counter() - start
    if best is None:
        return Likeliest(False, 0.0, Verdict.MISSING, seconds)
    answer = best.choice.answer
    if row.parts:
        has_all = set(words(" ".join(row.golds))) <= set(words(answer))
        verdict = Verdict.CORRECT if has_all else Verdict.WRONG
    else:
        item = Item(question.id, question.text, row.golds, answer)
        (judgement,) = RulesJudge().judge([item])
        verdict = judgement.verdict
    is_given = reader.answer_of(best).known
    return Likeliest(is_given, best.choice.probability, verdict, seconds)


def figures_of(results: Sequence[Likeliest]) -> list[str]:
    """The number of questions; the shares whose likeliest answer is right, and that are answered
    rightly, wrongly and not; median and most seconds."""
    total = len(results)
    best, _ = right_and_wrong([each.verdict for each in results], total)
    right, wrong = right_and_wrong([each.verdict for each in results if each.is_given], total)
    shares = [f"{share:.1%}" for share in (best, right, wrong, 1 - right - wrong)]
    seconds = [each.seconds for each in results]
    return [str(total), *shares, f"{median(seconds):.3f}", f"{max(seconds):.3f}"]


def curve_of(results: Sequence[Likeliest]) -> list[str]:
    """The shares of right and wrong answers at each of `THRESHOLDS`."""
    points: list[str] = []
    for least in THRESHOLDS:
        verdicts = [each.verdict for each in results if each.probability >= least]
        right, wrong = right_and_wrong(verdicts, len(results))
        points.append(f"{right:.0%} / {wrong:.0%}")
    return points


def right_and_wrong(verdicts: Sequence[Verdict], total: int) -> tuple[float, float]:
    """Of `total` questions, the shares that are answered rightly and wrongly."""
    right = sum(verdict is Verdict.CORRECT for verdict in verdicts)
    wrong = sum(verdict is Verdict.WRONG for verdict in verdicts)
    return right / total, wrong / total


def show_crag(figures: Mapping[str, float]) -> None:
    """Print the figures of CRAG's passages on the card, with an interval of the score."""
    total = int(figures["questions"])
    shares = {name: figures[name] for name in ("best right", "right", "wrong")}
    right, wrong = (round(shares[name] * total) for name in ("right", "wrong"))
    low, high = mean_interval({1: right, -1: wrong, 0: total - right - wrong})
    cells = [str(total), *(f"{share:.1%}" for share in shares.values()), f"{low:.1%} to {high:.1%}"]
    show("CRAG's passages, by folds", ["n", *shares, "right - wrong, 95%"], [cells])


def ranking_of(questions: Sequence[GoldQuestion], settings: WebSettings) -> list[str]:
    """How well passages are ranked: the shares of questions whose first passage is of the page
    with the answer, and whose answer stands in the first characters; seconds a question."""
    retriever = make_retriever(settings)
    first = 0
    with_answer = dict.fromkeys(RECALL_AT, 0)
    start = time.perf_counter()
    for row in questions:
        retrieved = retriever.retrieve(row.question, Deadline.after(60))
        first += bool(retrieved.passages) and retrieved.passages[0].page == row.gold_page
        for most in RECALL_AT:
            text = "\n".join(passage.text for passage in retrieved.passages)[:most]
            with_answer[most] += has_answer(row.golds, text)
    seconds = (time.perf_counter() - start) / len(questions)
    counts = (first, *with_answer.values())
    return [*(f"{count / len(questions):.1%}" for count in counts), f"{seconds:.2f}"]


def compare_rankings(data: Path, held_out: Fold, embedder: str | None) -> None:
    """Print the rankings by BM25, by the reader's encoder, and by an embedder."""
    sets = {
        "nq, ten pages": list(of_texts(data / "nq.jsonl", held_out, NEAR_TEXTS)),
        "tables, five pages": list(of_pages(data / "tables.jsonl", held_out, gold_only=False)),
    }
    rankings = {"BM25": WebSettings(), "the reader": WebSettings(reranker="reader")}
    if embedder is not None:
        rankings[embedder] = WebSettings(embedder=embedder)
    rows = []
    for name, questions in sets.items():
        for ranking, settings in rankings.items():
            rows.append([name, ranking, *ranking_of(questions, settings)])
    recalls = [f"answer in {most}" for most in RECALL_AT]
    show("", ["questions", "ranked by", "its page first", *recalls, "s"], rows)


@command
def main(
    data: Annotated[Path, typer.Option(help="the folder of questions with texts and pages")],
    crag: Annotated[bool, typer.Option(help="the card's figures of CRAG's passages, too")] = False,
    rankings: Annotated[
        bool, typer.Option("--rankings", help="how passages are ranked, not how they are read")
    ] = False,
    embedder: Annotated[
        str | None, typer.Option(help="of a further ranking, as in web.embedder")
    ] = None,
) -> int:
    card = json.loads(WEIGHTS.read_text(encoding="utf-8"))["card"]
    held_out = Fold.of(card["held_out"])
    if rankings:
        compare_rankings(data, held_out, embedder)
        return 0
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
    curves: list[list[str]] = []
    for name, questions in sets.items():
        results = [likeliest(row, retriever, reader) for row in questions]
        rows.append([name, *figures_of(results)])
        curves.append([name, *curve_of(results)])
    columns = ["questions", "n", "best right", "right", "wrong", "missing", "median s", "most s"]
    show(f"threshold {reader.model.threshold:.2f}", columns, rows)
    show("right / wrong at a threshold", ["questions", *map(str, THRESHOLDS)], curves)
    if crag:
        show_crag(card["cross_validation"]["retrieved"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    show("", ["peak MB"], [[str(peak)]])
    return 0


if __name__ == "__main__":
    sys.exit(main())
