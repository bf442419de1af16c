"""The questions that the web benchmarks ask."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks._command import rows_of
from evaluation.dataset import read_examples
from evaluation.gold_in_text import holds, is_short
from evaluation.passages import titled_passages
from models.records import Question, Task
from training.records import JsonRow, question_of

OTHERS = 9  # questions whose passages are added to a pool
SEED = 20240320


Passages = tuple[JsonRow, list[tuple[str, str]]]  # a question, its passages as (title, text)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its gold answers, and the pages or texts to answer it from."""

    question: Question
    golds: tuple[str, ...]
    texts: tuple[tuple[str, str], ...] = ()  # (title, text), where there are no pages


def dev(folder: Path) -> list[Asked]:
    """The official sample: ten questions with five real pages each."""
    rows = read_examples(folder / "dev_data.jsonl.bz2")
    return [Asked(question_of(row, Task.WEB), row.golds) for row in rows]


def task3(asked: Sequence[Asked]) -> list[Asked]:
    """Each question with the pages of all: its own five first."""
    made = []
    for item in asked:
        others = (other.question.pages for other in asked if other is not item)
        pages = sum(others, item.question.pages)
        question = replace(item.question, task=Task.END_TO_END, pages=pages)
        made.append(Asked(question, item.golds))
    return made


def with_passages(folder: Path) -> list[Passages]:
    """The rows of the passages file, each with its passages."""
    rows = rows_of(folder / "passages_validation.jsonl")
    return [(row, titled_passages(row)) for row in rows]


def with_gold(rows: Sequence[Passages]) -> list[Asked]:
    """The questions whose passages hold a short gold, word by word."""
    found = []
    for row, passages in rows:
        golds = tuple(gold for gold in (row["answer"], *row["alt_ans"]) if is_short(gold))
        if golds and holds(joined(passages), golds):
            question = Question(row["interaction_id"], row["query"], None, Task.WEB)
            found.append(Asked(question, golds, tuple(passages)))
    return found


def pools(folder: Path) -> list[Asked]:
    """Each question with a short gold, its passages, and those of nine others without the gold."""
    rows = with_passages(folder)
    draw = random.Random(SEED)
    out = []
    for asked in with_gold(rows):
        others = [found for other, found in rows if other["interaction_id"] != asked.question.id]
        clean = [found for found in others if found and not holds(joined(found), asked.golds)]
        texts = [*asked.texts, *(text for found in draw.sample(clean, OTHERS) for text in found)]
        draw.shuffle(texts)
        out.append(replace(asked, texts=tuple(texts)))
    return out


def joined(texts: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"{title}\n{text}" for title, text in texts)
