"""Converts HTML tables to Markdown (electricsheep, appendix C), and detects layout tables."""

import re
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

# A longer cell is prose: the table is layout. One with header cells hardly ever is.
MAX_CELL_CHARS = 300
MAX_CELL_CHARS_UNDER_HEADER = 1000
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
        """Whether its only cell spans several columns and is its only text."""
        if len(self.cells) != 1 or self.cells[0].columns == 1:
            return False
        return len([text for text in self.texts if text]) == 1

    @property
    def is_header(self) -> bool:
        """Whether all of its cells are header cells."""
        return bool(self.cells) and all(cell.header for cell in self.cells)


class _OpenCell(NamedTuple):
    """A cell of an earlier row that spans `rows` more."""

    text: str
    rows: int


def grid_of(rows: Sequence[Sequence[Cell]]) -> list[Line]:
    """The rows and columns with text; a cell that spans several is repeated in each.

    A cell that spans all columns of its row appears only in the first one: it is a caption.
    """
    grid: list[Line] = []
    open_cells: dict[int, _OpenCell] = {}  # by column
    for row in rows:
        texts: list[str] = []
        for cell in row:
            if open_cells:
                _append_open_cells(open_cells, texts)
            if cell.columns == cell.rows == 1:
                texts.append(cell.text)
                continue
            cell_texts = _spanning_texts(cell, alone=len(row) == 1)
            if cell.rows > 1:
                rows_below = min(cell.rows, _MAX_SPAN) - 1
                for column, text in enumerate(cell_texts, start=len(texts)):
                    open_cells[column] = _OpenCell(text, rows_below)
            texts += cell_texts
        _append_open_cells(open_cells, texts)
        if any(texts):
            grid.append(Line(texts, row))
    return _without_empty_columns(grid)


def _spanning_texts(cell: Cell, *, alone: bool) -> list[str]:
    """The text of a cell in each of its columns; `alone` in its row, in the first one only."""
    columns = min(cell.columns, _MAX_SPAN)
    if alone:
        return [cell.text] + [""] * (columns - 1)
    return [cell.text] * columns


def _append_open_cells(open_cells: dict[int, _OpenCell], texts: list[str]) -> None:
    """Append to `texts` the cells of earlier rows that span the next columns of this one."""
    while len(texts) in open_cells:
        column = len(texts)
        cell = open_cells[column]
        if cell.rows > 1:
            open_cells[column] = _OpenCell(cell.text, cell.rows - 1)
        else:
            del open_cells[column]
        texts.append(cell.text)


def _without_empty_columns(grid: Sequence[Line]) -> list[Line]:
    """The lines, padded to the same length, without columns that have no text."""
    columns = zip_longest(*(line.texts for line in grid), fillvalue="")
    columns_with_text = filter(any, columns)
    rows = zip(*columns_with_text, strict=True)
    return [line._replace(texts=texts) for line, texts in zip(grid, rows, strict=True)]


def markdown(rows: Sequence[Sequence[Cell]]) -> list[str] | None:
    """The lines of a Markdown table, or of "label: value" pairs; None if `rows` are layout.

    Pairs are typical of infoboxes: two columns, the first of labels, no header. An empty table has
    no lines.
    """
    if _has_prose(rows):
        return None
    grid = grid_of(rows)
    if not grid:
        return []
    width = len(grid[0].texts)
    if width == 1:
        return None
    first = 0  # line below the captions
    while first < len(grid) - 1 and grid[first].is_caption:
        first += 1
    captions = ["".join(line.texts) for line in grid[:first]]
    lines = [line.texts for line in grid[first:]]
    has_header = grid[first].is_header
    if width == 2 and not has_header:
        return captions + [label_and_value(label, value) for label, value in lines]
    if not has_header and not _is_above_numbers(lines[0], lines[1:]):
        lines = [[""] * width, *lines]
    header, *body = lines
    if not body:
        return [*captions, " | ".join(filter(None, header))]
    rule = "|" + " --- |" * width
    return [*captions, _markdown_row(header), rule, *map(_markdown_row, body)]


def _has_prose(rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether a cell is too long for a table of data."""
    cells = list(chain.from_iterable(rows))
    has_header = any(cell.header for cell in cells)
    max_chars = MAX_CELL_CHARS_UNDER_HEADER if has_header else MAX_CELL_CHARS
    return any(len(cell.text) > max_chars for cell in cells)


def _is_above_numbers(header: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether a row without numbers has a name above a column of numbers."""
    if not body or any(_NUMBER.match(text) for text in header if text):
        return False
    for column, name in enumerate(header):
        if name and all(_NUMBER.match(line[column]) for line in body if line[column]):
            return True
    return False


def label_and_value(label: str, value: str) -> str:
    """A row of an infobox; a label that is too long for one is text beside text."""
    if not label or not value:
        return label or value
    if len(label) > _LONGEST_LABEL:
        return f"{label} | {value}"
    return f"{label.rstrip(': ')}: {value}"


def _markdown_row(texts: Sequence[str]) -> str:
    return "| " + " | ".join(text.replace("|", "/") for text in texts) + " |"
