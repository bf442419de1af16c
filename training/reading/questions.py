"""Questions with the passages to answer them from, read from files of three forms.

Each is a JSON line a question (docs/training.md):

- texts: `query`, `answers` (any of them is right), `text`, and perhaps the `title` of its page; its
  passages are that one and the nearest texts of other questions that lack the answer;
- pages: CRAG's rows, whose passages are retrieved from their pages;
- passages: CRAG's rows with `passages` in the place of pages (evaluation/passages.py).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.dataset import read_examples
from evaluation.passages import ranked, titled_passages
from models.ranking.lexical import LexicalReranker
from models.records import Page, Passage, Question, Task
from models.web.page import PageText
from models.web.retriever import Retriever
from models.web.scoring import Scorer
from models.web.settings import WebSettings
from training.records import JsonRow, question_of, read_rows
from utils.deadline import Deadline
from utils.errors import InputError
from utils.text import words

NEAR_TEXTS = 9  # that a question is asked with, beside its own
_SECONDS = 600.0  # for a question's pages: no result may depend on speed
_PASSAGES = 20  # of a question, at most


@dataclass(frozen=True, slots=True)
class QuestionToRead:
    """A question, the passages to answer it from, best first, and its gold answers.

    Attributes:
        pages: of the passages, by `Passage.page`.
        source: what is held out together: the title or the text of its page.
    """

    id: str
    query: str
    passages: Sequence[Passage]
    pages: Mapping[int, PageText]
    golds: tuple[str, ...]
    source: str = ""


def read_questions(
    file: Path, *, gold_only: bool = False, parts: bool = False
) -> Iterator[QuestionToRead]:
    """The questions of a file, each with its passages, or with those retrieved from its pages.

    Args:
        gold_only: of its pages, only the one that a row names as its `gold_page`.
        parts: whether the answers of a text are parts of one answer.

    Raises:
        InputError: the file or a row cannot be read.
    """
    first: JsonRow = {}
    if file.suffix == ".jsonl":
        first = next(read_rows(file, JsonRow), {})
    if "text" in first:
        return _with_near_texts(read_texts(file, parts=parts))
    return _with_passages(file) if "passages" in first else _with_pages(file, gold_only=gold_only)


@dataclass(frozen=True, slots=True)
class AnsweredText:
    """A row of a file of texts: a question, and a text that holds its answer.

    Attributes:
        parts: whether `answers` are parts of one answer; else any of them is right.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    title: str
    text: str
    parts: bool = False

    @property
    def golds(self) -> tuple[str, ...]:
        """The right answers."""
        return (", ".join(self.answers),) if self.parts else self.answers

    @property
    def page(self) -> str:
        """What is held out together."""
        return self.title or self.text

    def is_answered_by(self, text: str) -> bool:
        """Whether a text has the words of an answer."""
        return has_answer(self.answers, text)


def read_texts(file: Path, *, parts: bool = False) -> list[AnsweredText]:
    """The rows of a file of texts, whose answers are `parts` of one or not.

    Raises:
        InputError: the file or a row cannot be read.
    """
    rows: list[AnsweredText] = []
    for number, row in enumerate(read_rows(file, JsonRow), start=1):
        try:
            answers = tuple(map(str, row["answers"]))
            title = str(row.get("title") or "")
            rows.append(AnsweredText(row["id"], row["query"], answers, title, row["text"], parts))
        except (KeyError, TypeError) as error:
            raise InputError(f"{file}, row {number}: not a question: {error!r}") from error
    return rows


def near_texts(
    row: AnsweredText, others: Sequence[AnsweredText], most: int
) -> Iterator[AnsweredText]:
    """Those of the others that have the most of a question's words and lack its answer."""
    scores = LexicalReranker().score(
        row.question, [f"{other.title}\n{other.text}" for other in others]
    )
    taken = 0
    for index in np.argsort(-scores, kind="stable").tolist():
        other = others[index]
        if taken == most:
            return
        if other.text != row.text and not row.is_answered_by(other.text):
            taken += 1
            yield other


def has_answer(answers: Sequence[str], text: str) -> bool:
    """Whether a text has the words of one of the answers, one after the other."""
    plain = f" {' '.join(words(text))} "
    return any(f" {' '.join(words(answer))} " in plain for answer in answers)


def alone(row: AnsweredText) -> QuestionToRead:
    """A question with its own text alone, as one asks about a page."""
    passages, pages = ranked(row.question, [(row.title, row.text)], LexicalReranker())
    return QuestionToRead(row.id, row.question, passages, pages, row.golds, row.page)


def _with_near_texts(rows: Sequence[AnsweredText]) -> Iterator[QuestionToRead]:
    ranker = LexicalReranker()
    texts = list({row.text: row for row in rows}.values())
    for row in rows:
        titled = [(row.title, row.text)]
        titled += [(other.title, other.text) for other in near_texts(row, texts, NEAR_TEXTS)]
        passages, pages = ranked(row.question, titled, ranker)
        yield QuestionToRead(row.id, row.question, passages, pages, row.golds, row.page)


def _with_pages(file: Path, *, gold_only: bool) -> Iterator[QuestionToRead]:
    """The questions of a CRAG file; their passages are retrieved from their pages."""
    retriever = Retriever(scorer=Scorer(settings=WebSettings(rerank_k=_PASSAGES)))
    rows = read_rows(file, JsonRow)
    for example, row in zip(read_examples(file), rows, strict=True):
        question = question_of(example, Task.WEB)
        source = example.id
        if "gold_page" in row:
            gold = gold_page(question, row)
            source = gold.name
            if gold_only:
                question = replace(question, pages=(gold,))
        retrieved = retriever.retrieve(question, Deadline.after(_SECONDS))
        yield QuestionToRead(
            question.id, question.text, retrieved.passages, retrieved.texts, example.golds, source
        )


def gold_page(question: Question, row: JsonRow) -> Page:
    """The page of a question that its row names as its `gold_page`."""
    files = [Path(str(page.get("page_file", ""))).name for page in row["search_results"]]
    return question.pages[files.index(str(row["gold_page"]))]


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
        str(row["interaction_id"]), query, passages, pages, tuple(map(str, golds)), query
    )
