"""What the encoder learns from: a question with one window, and where its answer stands there.

A window that is near the question and lacks the answer teaches to abstain: the best other texts by
BM25, the best rows of the same table, the passages that were retrieved.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from evaluation.dataset import read_examples
from evaluation.gold_in_text import has_gold
from evaluation.judge.settle import is_invalid, is_missing
from models.reading.windows import Window, best_rows, windows_of
from models.records import Passage, Task
from models.web.page import PageText, Span
from models.web.page_reader import InProcess
from training.reading.questions import AnsweredText, QuestionToRead, has_answer, near_texts
from training.records import JsonRow, question_of
from utils.deadline import Deadline
from utils.text import words

_SECONDS = 600.0  # for a page: no result may depend on speed
_NEAR_TEXTS = 2  # without the answer, of each question
_NEAR_ROWS = 2
_LOOKUPS = 5  # invented ones, of each page with tables
_REVERSE_SHARE = 0.4  # of them
_LONGEST_KEY = 50  # characters of a cell that an invented question names
# Questions about a whole column, whose answer in one cell cannot be known from its row.
_OF_A_COLUMN = re.compile(
    r"\b(?:how many|number of|total|average|difference|more|fewer|less|same|next|previous|before"
    r"|after|first|last|consecutive|or|\w{2,}est|most|least|higher|lower|longer|larger|smaller"
    r"|better|above|below|top|bottom)\b",
    re.I,
)
_LOOKUP = (
    "what is the {header} of {key}?",
    "what was {key}'s {header}?",
    "which {header} does {key} have?",
    "{key} {header}",
    "what {header} is listed for {key}?",
)
_REVERSE_LOOKUP = (
    "which {key_header} has the {header} {value}?",
    "what {key_header} had {value} as its {header}?",
    "who or what has {value} as {header}?",
    "{key_header} with {header} {value}",
)


@dataclass(frozen=True, slots=True)
class ReadingExample:
    """A question and one window.

    Attributes:
        spans: where an answer stands in `text`; none: it is not there.
        is_row: whether the text is a row of a table.
    """

    id: str
    question: str
    text: str
    spans: tuple[Span, ...]
    is_row: bool = False

    @classmethod
    def of(cls, row: JsonRow) -> "ReadingExample":
        """The example that was written as JSON."""
        return cls(**{**row, "spans": tuple((start, end) for start, end in row["spans"])})


def of_texts(rows: Sequence[AnsweredText]) -> Iterator[ReadingExample]:
    """Each question with its own text, and with the nearest others that lack the answer."""
    texts = list({row.text: row for row in rows}.values())
    for row in rows:
        window = _window_of(row)
        spans = spans_of(row.answers, window)
        if spans:
            yield _example(row.id, row.question, window, spans)
        for other in near_texts(row, texts, _NEAR_TEXTS):
            yield _example(row.id, row.question, _window_of(other), ())


def _window_of(row: AnsweredText) -> Window:
    (windows, _) = windows_of([Passage(row.text, 0, 0, 0)], {0: PageText(row.title, "")})
    return windows[0]


def of_pages(questions: Iterable[QuestionToRead]) -> Iterator[ReadingExample]:
    """For each question the rows of its pages' tables that are nearest to it: one with the answer,
    unless the question is about a whole column, and others without it."""
    for question in questions:
        windows, rows = windows_of(question.passages, question.pages)
        near = best_rows(question.query, rows)
        with_answer = [row for row in near if spans_of(question.golds, row)]
        if with_answer and not _OF_A_COLUMN.search(question.query):
            spans = spans_of(question.golds, with_answer[0])
            yield _example(question.id, question.query, with_answer[0], spans)
        others = [row for row in near if not has_answer(question.golds, row.text)][:_NEAR_ROWS]
        others += [text for text in windows if not has_answer(question.golds, text.text)][:1]
        for window in others:
            yield _example(question.id, question.query, window, ())


def of_retrieved(questions: Iterable[QuestionToRead]) -> Iterator[ReadingExample]:
    """Each question with the passages that were retrieved for it: those with a short gold answer,
    and those that lack it. One whose gold says that there is none has only the latter."""
    for question in questions:
        is_without = any(is_invalid(gold) or is_missing(gold) for gold in question.golds)
        for window in chain.from_iterable(windows_of(question.passages, question.pages)):
            spans = () if is_without else spans_of(question.golds, window)
            is_lacking = has_gold(window.text, question.query, question.golds) is False
            if spans or is_without or is_lacking:
                yield _example(question.id, question.query, window, spans)


def invented_lookups(file: Path, is_used: Callable[[str], bool]) -> Iterator[ReadingExample]:
    """Questions that we invent about rows of the pages' tables, each with its row and with two
    others of its table: what stands in a row's other cells, and in which row something stands."""
    reader = InProcess()
    seen: set[str] = set()
    for example in read_examples(file):
        question = question_of(example, Task.WEB)
        for page in question.pages:
            if page.name in seen or not is_used(page.name):
                continue
            seen.add(page.name)
            (read,) = reader.read((page,), [0], Deadline.after(_SECONDS)).values()
            if read.text is None:
                continue
            passages = [chunk.passage for chunk in read.chunks]
            _, rows = windows_of(passages, {0: read.text})
            rng = random.Random(page.name)
            tellable = [row for row in rows if len(row.cells) > 1]
            for row in rng.sample(tellable, min(_LOOKUPS, len(tellable))):
                yield from _lookup(page.name, row, rows, rng)


def _lookup(
    page: str, row: Window, rows: Sequence[Window], rng: random.Random
) -> Iterator[ReadingExample]:
    """One invented question about a row."""
    named = [cell for cell in row.cells if _is_name(row.text[slice(*cell)])]
    values = [cell for cell in row.cells if _header_of(row, cell)]
    if not named or not values:
        return
    key = named[0]
    value = rng.choice(values)
    if value == key:
        return
    is_reverse = rng.random() < _REVERSE_SHARE
    parts = {
        "key": row.text[slice(*key)],
        "key_header": _header_of(row, key) or "one",
        "header": _header_of(row, value),
        "value": row.text[slice(*value)][:_LONGEST_KEY],
    }
    template = rng.choice(_REVERSE_LOOKUP if is_reverse else _LOOKUP)
    question = template.format(**{name: part.lower() for name, part in parts.items()})
    name = f"lookup {page} {row.text[slice(*key)]}"
    yield _example(name, question, row, (key if is_reverse else value,))
    said = parts["value"] if is_reverse else parts["key"]
    others = [other for other in rows if other.passage == row.passage and said not in other.text]
    for other in rng.sample(others, min(_NEAR_ROWS, len(others))):
        yield _example(name, question, other, ())


def _is_name(value: str) -> bool:
    return len(value) <= _LONGEST_KEY and any(map(str.isalpha, value))


def _header_of(row: Window, cell: Span) -> str:
    """The header that stands before a cell."""
    before = row.text[row.start : cell[0]].rpartition("; ")[2]
    return before.removesuffix(": ") if before.endswith(": ") else ""


def spans_of(answers: Iterable[str], window: Window) -> tuple[Span, ...]:
    """Where one of `answers` stands in a window: whole words behind the title, or a whole cell."""
    if window.cells:
        wanted = [words(answer) for answer in answers]
        return tuple(
            (start, end) for start, end in window.cells if words(window.text[start:end]) in wanted
        )
    spans: dict[Span, None] = {}
    text = window.text
    for answer in answers:
        pattern = re.compile(rf"(?<!\w){re.escape(answer.strip())}(?!\w)", re.I)
        for match in pattern.finditer(text, window.start):
            if match.end() > match.start():
                spans[match.span()] = None
    return tuple(spans)


def _example(name: str, question: str, window: Window, spans: tuple[Span, ...]) -> ReadingExample:
    return ReadingExample(name, question, window.text, spans, bool(window.cells))
