"""An answer out of the table whose row and column the question names."""

from collections.abc import Iterator, Mapping, Sequence

from models.records import Answer, Passage, Question, Source
from models.subtasks.reading.label import likely, means, needed
from models.web.page import PageText
from utils.text import fold, stems


class CellReader:
    """Copies a cell that stands in a row and below a header which the question names.

    Each word of the question must be in the page's title, in other cells of the row, or mean the
    header; no word of these cells and of the header may be left over. All such cells must agree.
    """

    def answer(
        self, question: Question, passages: Sequence[Passage], texts: Mapping[int, PageText]
    ) -> Answer:
        asked = needed(question.text)
        cells: dict[str, tuple[str, str]] = {}
        for passage in likely(passages):
            title = texts[passage.page].title
            for row, header in _rows(passage.text):
                for cell in _named(asked, stems(question.text), stems(title), row, header):
                    cells.setdefault(fold(cell), (cell, f"{title}: {' | '.join(row)}"))
        if len(cells) != 1:
            return Answer()
        text, grounds = next(iter(cells.values()))
        return Answer(text, Source.WEB, grounds)


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
    asked: set[str], said: set[str], title: set[str], row: Sequence[str], header: Sequence[str]
) -> Iterator[str]:
    """The cells of `row` that are asked for; `said`: the question's words of asking too."""
    there = [stems(cell) for cell in row]
    known = [bool(cell) and cell <= asked for cell in there]
    subject = set().union(*(cell for cell, is_known in zip(there, known, strict=True) if is_known))
    if not subject - title:
        return
    for cell, label, is_known in zip(row, header, known, strict=True):
        column = stems(label)
        if cell and not is_known and any(
            means(some - title - subject, column) for some in (asked, said)
        ):  # fmt: skip
            yield cell
