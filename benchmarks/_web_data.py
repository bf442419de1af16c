"""The questions of the web benchmarks."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from benchmarks._command import rows_of
from evaluation.dataset import read_examples
from evaluation.gold_in_text import holds, is_short
from evaluation.passages import titled_passages
from models.records import Question, Task
from training.records import JsonRow, question_of

OTHERS = 9  # questions whose passages are added to a pool
SEED = 20240320
PASSAGES = "passages_validation.jsonl"

TitledText = tuple[str, str]  # title, text
RowWithPassages = tuple[JsonRow, list[TitledText]]


@dataclass(frozen=True, slots=True)
class WebQuestion:
    """A question with its gold answers, and the pages or texts to answer it from.

    Attributes:
        question: with its pages, if there are any.
        golds: the right answers.
        texts: passages in place of pages.
    """

    question: Question
    golds: tuple[str, ...]
    texts: tuple[TitledText, ...] = ()


def by_kind(folder: Path) -> dict[str, list[WebQuestion]]:
    """The questions of each kind: with five pages, with fifty, and, if their file is there, with
    pools of passages."""
    questions = dev(folder)
    items = {"dev": questions, "task3": task3(questions)}
    if (folder / PASSAGES).is_file():
        items["pool"] = pools(folder)
    return items


def dev(folder: Path) -> list[WebQuestion]:
    """The official sample: ten questions with five real pages each."""
    examples = read_examples(folder / "dev_data.jsonl.bz2")
    return [WebQuestion(question_of(row, Task.WEB), row.golds) for row in examples]


def task3(items: Sequence[WebQuestion]) -> list[WebQuestion]:
    """Each question with the pages of all: its own five first."""
    with_all_pages: list[WebQuestion] = []
    for item in items:
        pages = list(item.question.pages)
        for other in items:
            if other is not item:
                pages += other.question.pages
        question = replace(item.question, task=Task.END_TO_END, pages=tuple(pages))
        with_all_pages.append(WebQuestion(question, item.golds))
    return with_all_pages


def with_passages(folder: Path) -> list[RowWithPassages]:
    """The rows of the passages file, each with its passages."""
    rows = rows_of(folder / PASSAGES)
    return [(row, titled_passages(row)) for row in rows]


def with_gold(rows: Sequence[RowWithPassages]) -> list[WebQuestion]:
    """The questions whose passages contain a short gold, word by word."""
    items: list[WebQuestion] = []
    for row, passages in rows:
        answers = (row["answer"], *row["alt_ans"])
        golds = tuple(answer for answer in answers if is_short(answer))
        if golds and holds(joined(passages), golds):
            question = Question(row["interaction_id"], row["query"], None, Task.WEB)
            items.append(WebQuestion(question, golds, tuple(passages)))
    return items


def pools(folder: Path) -> list[WebQuestion]:
    """Each question with a short gold, its passages, and those of nine others without the gold."""
    rows = with_passages(folder)
    draw = random.Random(SEED)
    items: list[WebQuestion] = []
    for item in with_gold(rows):
        without_gold = [
            passages
            for row, passages in rows
            if row["interaction_id"] != item.question.id
            and passages
            and not holds(joined(passages), item.golds)
        ]
        distractors = draw.sample(without_gold, OTHERS)
        texts = [*item.texts, *chain.from_iterable(distractors)]
        draw.shuffle(texts)
        items.append(replace(item, texts=tuple(texts)))
    return items


def joined(texts: Iterable[TitledText]) -> str:
    """The texts below each other, each below its title."""
    return "\n".join(f"{title}\n{text}" for title, text in texts)
