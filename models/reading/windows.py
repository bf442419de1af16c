"""What the span reader reads at once: a passage below its page's title, or one row of a table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from models.ranking.lexical import LexicalReranker
from models.records import Passage
from models.web.page import PageText, Span

MOST_ROWS = 12  # that are read
MAX_ROWS = 400  # of all tables of a question; adversarial pages have more
_MAX_TITLE = 120  # characters
_MAX_TEXT = 1200  # characters of a passage; the default's passages have 700
_MAX_CELL = 160  # characters; a longer cell is prose
_MAX_HEADER = 60  # characters
RULE = re.compile(r"\| --- \|(?: --- \|)*")
_CELLS = re.compile(r" ?\| ?")


@dataclass(frozen=True, slots=True)
class Window:
    """One input of the encoder, and where answers may stand in it.

    Attributes:
        text: the title, and below it a passage; or the title, a caption, and the cells of a row,
            each behind its column's header.
        page: the page's index in `Question.pages`.
        start: where the title ends.
        cells: the values of a row; empty where any words of the text may be the answer.
        passage: the index of the passage.
    """

    text: str
    page: int
    start: int
    cells: tuple[Span, ...] = ()
    passage: int = 0


def windows_of(
    passages: Sequence[Passage], texts: Mapping[int, PageText]
) -> tuple[list[Window], list[Window]]:
    """The passages without tables, in their order, and the rows of those that are tables."""
    of_text: list[Window] = []
    rows: list[Window] = []
    for number, passage in enumerate(passages):
        title = " ".join(texts[passage.page].title[:_MAX_TITLE].split())
        lines = passage.text.split("\n")
        rule = next((i for i, line in enumerate(lines) if RULE.fullmatch(line)), None)
        if rule:
            table_rows = _rows(lines, rule, title, passage.page, number)
            rows += islice(table_rows, MAX_ROWS - len(rows))
            continue
        head = f"{title}. " if title else ""
        body = " ".join(passage.text[:_MAX_TEXT].split())
        of_text.append(Window(head + body, passage.page, len(head), passage=number))
    return of_text, rows


def best_rows(question: str, rows: Sequence[Window], most: int = MOST_ROWS) -> list[Window]:
    """The rows that have the most of the question's words, best first."""
    if not rows:
        return []
    scores = LexicalReranker().score(question, [row.text for row in rows])
    return [rows[index] for index in np.argsort(-scores, kind="stable")[:most]]


def _rows(lines: Sequence[str], rule: int, title: str, page: int, passage: int) -> Iterator[Window]:
    """The rows of a Markdown table, whose header stands above the line `rule`."""
    headers = [header[:_MAX_HEADER] for header in cells_of(lines[rule - 1])]
    caption = " ".join(lines[: rule - 1])[:_MAX_TITLE]
    head = "".join(f"{part}. " for part in (title, caption) if part)
    for line in lines[rule + 1 :]:
        cells = cells_of(line)
        if len(cells) != len(headers) or not line.startswith("|"):
            continue
        text = head
        spans: list[Span] = []
        for header, cell in zip(headers, cells, strict=True):
            value = cell[:_MAX_CELL]
            if not value:
                continue
            text += f"{header}: " if header else ""
            if len(cell) <= _MAX_CELL:
                spans.append((len(text), len(text) + len(value)))
            text += f"{value}; "
        if spans:
            yield Window(text.removesuffix("; "), page, len(head), tuple(spans), passage)


def cells_of(line: str) -> list[str]:
    """The cells of a row in Markdown."""
    return _CELLS.split(line.removeprefix("| ").removesuffix(" |").strip("|"))
