"""The questions that the web benchmarks ask."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._command import rows_of
from evaluation.gold_in_text import holds, is_short
from evaluation.passages import titled_passages
from models.records import Page, Question, Task

OTHERS = 9  # questions whose passages are added to a pool
SEED = 20240320


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its gold answers, and the pages or texts to answer it from."""

    question: Question
    golds: tuple[str, ...]
    texts: tuple[tuple[str, str], ...] = ()  # (title, text), where there are no pages


def dev(folder: Path) -> list[Asked]:
    """The official sample: ten questions with five real pages each."""
    out = []
    for row in rows_of(folder / "dev_data.jsonl.bz2"):
        pages = tuple(
            Page(
                p["page_name"] or "", p["page_url"], p["page_snippet"] or "", p["page_result"] or ""
            )
            for p in row["search_results"]
        )
        question = Question(row["interaction_id"], row["query"], None, Task.WEB, pages)
        out.append(Asked(question, (row["answer"],)))
    return out


def task3(asked: Sequence[Asked]) -> list[Asked]:
    """Each question with the pages of all: its own five first."""
    return [
        Asked(
            Question(
                item.question.id,
                item.question.text,
                None,
                Task.END_TO_END,
                item.question.pages
                + tuple(p for other in asked if other is not item for p in other.question.pages),
            ),
            item.golds,
        )
        for item in asked
    ]


def with_passages(folder: Path) -> list[tuple[dict[str, Any], list[tuple[str, str]]]]:
    """The rows of the passages file, each with its (title, text) passages."""
    rows = rows_of(folder / "passages_validation.jsonl")
    return [(row, titled_passages(row)) for row in rows]


def pools(folder: Path) -> list[Asked]:
    """Each question with a short gold, its passages, and those of nine others without the gold."""
    rows = with_passages(folder)
    draw = random.Random(SEED)
    out = []
    for row, own in rows:
        golds = tuple(gold for gold in (row["answer"], *row["alt_ans"]) if is_short(gold))
        if not golds or not holds(_joined(own), golds):
            continue
        others = [found for other, found in rows if other is not row and found]
        clean = [found for found in others if not holds(_joined(found), golds)]
        texts = [*own, *(text for found in draw.sample(clean, OTHERS) for text in found)]
        draw.shuffle(texts)
        question = Question(row["interaction_id"], row["query"], None, Task.WEB)
        out.append(Asked(question, golds, tuple(texts)))
    return out


def _joined(texts: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"{title}\n{text}" for title, text in texts)
