"""An answer out of the table whose row and column the question names."""

import re
from collections.abc import Iterator, Mapping, Sequence

from models.records import Answer, Passage, Question, Source
from models.subtasks.reading.asked import Asked, Kind, asked_by
from models.subtasks.reading.candidates import candidates
from models.subtasks.reading.label import WHEN, WHERE, likely, means
from models.subtasks.reading.plain import LONGEST
from models.web.page import PageText
from utils.text import fold, stems, words

_OPEN = re.compile(r"^(?:what|which)\b")
_CONTENT = re.compile(r"[^\W_]")
_NOTHING = frozenset("tbd tba tbc n/a na none unknown nil vacant".split())
# "Built", "Succeeded by", "Bought from": who did it to whom does not show.
_VERB = re.compile(
    r"ed$|^(?:built|won|lost|lose|beat|sold|bought|made)$|\b(?:by|from|to|for|of)$", re.I
)


class CellReader:
    """Copies a cell that stands in a row and below a header which the question names.

    Each word of the question must be in the page's title, in other cells of the row, or mean the
    header; no word of these cells, of the header and of the table's caption may be left over. The
    cell must have the form of what is asked, and all such cells must agree.
    """

    def answer(
        self, question: Question, passages: Sequence[Passage], texts: Mapping[int, PageText]
    ) -> Answer:
        asked = asked_by(question.text)
        if asked.kind in (Kind.COUNT, Kind.CHOICE) or "this" in words(question.text):
            return Answer()
        if asked.kind is Kind.NONE and not _OPEN.search(fold(question.text).strip()):
            return Answer()
        said = stems(question.text)
        cells: dict[str, tuple[str, str]] = {}
        for passage in likely(passages):
            title = texts[passage.page].title
            caption = stems(passage.text[: passage.text.find("| ")])
            if not caption <= said | stems(title):
                continue  # it is of something else
            for row, header in _rows(passage.text):
                for cell, label in _named(said, stems(title) | caption, row, header):
                    if _fits(cell, label, asked):
                        cells.setdefault(fold(cell), (cell, f"{title}: {' | '.join(row)}"))
        if len(cells) != 1:
            return Answer()
        text, grounds = next(iter(cells.values()))
        return Answer(text, Source.WEB, grounds)


def _fits(cell: str, label: set[str], asked: Asked) -> bool:
    """Whether `cell`, below a header of the stems `label`, has the form of what is asked."""
    if len(cell) > LONGEST or not _CONTENT.search(cell) or fold(cell) in _NOTHING:
        return False
    if asked.kind is Kind.NONE:
        return True
    if asked.kind is Kind.PLACE:
        return bool(label & WHERE) and cell[0].isupper() and not re.search(r"\d", cell)
    return any(found.text == cell for found in candidates(cell, asked))


def _rows(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """The rows of the Markdown tables in `text`, each with its header (models/web/tables.py)."""
    header: list[str] = []
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if not line.startswith("| "):
            header = []
        elif i + 1 < len(lines) and lines[i + 1].startswith("| --- |"):
            header = _cells(line)
        elif not line.startswith("| --- |") and len(row := _cells(line)) == len(header):
            yield row, header


def _cells(line: str) -> list[str]:
    return line.removeprefix("| ").removesuffix(" |").split(" | ")


def _named(
    said: set[str], title: set[str], row: Sequence[str], header: Sequence[str]
) -> Iterator[tuple[str, set[str]]]:
    """The cells of `row` that are asked for, by the stems of the question and of the title, each
    with the stems of its header."""
    there = [stems(cell) for cell in row]
    known = [bool(cell) and cell <= said for cell in there]
    subject = set().union(*(cell for cell, is_known in zip(there, known, strict=True) if is_known))
    if not subject - title:
        return
    left = said - title - subject
    for cell, label, is_known in zip(row, header, known, strict=True):
        if is_known or _VERB.search(label):
            continue
        column = stems(label)
        if any(means(open_, column) for open_ in (left, left - WHEN)):
            yield cell, column
