"""Converts HTML tables to Markdown (electricsheep, appendix C), and detects layout tables."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

# A longer cell is prose: the table is layout. One with header cells hardly ever is.
MAX_CELL_CHARS, MAX_CELL_CHARS_UNDER_HEADER = 300, 1000
_MAX_SPAN = 50  # larger colspan and rowspan are mistakes or adversarial
_NUMBER = re.compile(r"[\d.,%$\u20ac\u00a3+\-\u2212\u2013\s/:()]+$")
_LONGEST_LABEL = 60


class Cell(NamedTuple):
    """A cell as in the source."""

    text: str
    header: bool = False
    columns: int = 1
    rows: int = 1


class Line(NamedTuple):
    """A line of a table's grid: its texts, and the cells of its row in the source."""

    texts: Sequence[str]
    cells: Sequence[Cell]

    @property
    def is_caption(self) -> bool:
        return len(self.cells) == 1 < self.cells[0].columns and sum(map(bool, self.texts)) == 1

    @property
    def is_header(self) -> bool:
        return bool(self.cells) and all(cell.header for cell in self.cells)


def grid_of(rows: Sequence[Sequence[Cell]]) -> list[Line]:
    """The rows and columns with text; a cell that spans several is repeated in each.

    A cell that spans all columns of its row appears only in the first one: it is a caption.
    """
    grid: list[Line] = []
    waiting: dict[int, tuple[str, int]] = {}  # column -> text, rows it still spans
    for row in rows:
        line: list[str] = []
        for cell in row:
            if waiting:
                _take(waiting, line)
            if cell.columns == cell.rows == 1:
                line.append(cell.text)
                continue
            columns = min(cell.columns, _MAX_SPAN)
            texts = [cell.text] * columns if len(row) > 1 else [cell.text] + [""] * (columns - 1)
            if cell.rows > 1:
                for i, text in enumerate(texts):
                    waiting[len(line) + i] = (text, min(cell.rows, _MAX_SPAN) - 1)
            line += texts
        _take(waiting, line)
        if any(line):
            grid.append(Line(line, row))
    filled = filter(any, zip_longest(*(line.texts for line in grid), fillvalue=""))
    lines = zip(*filled, strict=True)
    return [line._replace(texts=texts) for line, texts in zip(grid, lines, strict=True)]


def _take(waiting: dict[int, tuple[str, int]], line: list[str]) -> None:
    """Append to `line` the cells of earlier rows that still span it."""
    while len(line) in waiting:
        column = len(line)
        text, rows = waiting[column]
        if rows > 1:
            waiting[column] = (text, rows - 1)
        else:
            del waiting[column]
        line.append(text)


def markdown(rows: Sequence[Sequence[Cell]]) -> list[str] | None:
    """The lines of a Markdown table, or of "label: value" pairs; None if `rows` are layout.

    Pairs are typical of infoboxes: two columns, the first of labels, no header. An empty table has
    no lines.
    """
    cells = [cell for row in rows for cell in row]
    most = MAX_CELL_CHARS_UNDER_HEADER if any(c.header for c in cells) else MAX_CELL_CHARS
    if any(len(cell.text) > most for cell in cells):
        return None
    grid = grid_of(rows)
    if not grid:
        return []
    width = len(grid[0].texts)
    if width < 2:
        return None
    first = 0
    while first < len(grid) - 1 and grid[first].is_caption:
        first += 1
    captions = ["".join(line.texts) for line in grid[:first]]
    by_markup = grid[first].is_header
    header, *body = lines = [line.texts for line in grid[first:]]
    if width == 2 and not by_markup:
        return [*captions, *(_pair(*line) for line in lines)]
    if not by_markup and not _is_above_numbers(header, body):
        header, body = [""] * width, lines
    if not body:
        return [*captions, " | ".join(filter(None, header))]
    return [*captions, _row(header), "|" + " --- |" * width, *map(_row, body)]


def _is_above_numbers(header: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether a row without numbers has a name above a column of numbers."""
    if not body or any(_NUMBER.match(text) for text in header if text):
        return False
    return any(
        name and all(_NUMBER.match(line[i]) for line in body if line[i])
        for i, name in enumerate(header)
    )


def _pair(label: str, value: str) -> str:
    if not label or not value:
        return label or value
    if len(label) > _LONGEST_LABEL:
        return f"{label} | {value}"
    return f"{label.rstrip(': ')}: {value}"


def _row(line: Sequence[str]) -> str:
    return "| " + " | ".join(text.replace("|", "/") for text in line) + " |"
