"""Converts HTML tables to Markdown (electricsheep, appendix C), and detects layout tables."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

# A longer cell is prose: the table is layout. One with header cells hardly ever is.
MAX_CELL_CHARS, MAX_CELL_CHARS_UNDER_HEADER = 300, 1000
_MAX_SPAN = 50  # larger colspan and rowspan are mistakes or adversarial
_NUMBER = re.compile(r"[\d.,%$\u20ac\u00a3+\-\u2212\u2013\s/:()]+$")
_LONGEST_LABEL = 60
_MAX_CAPTIONS = 20
_LEAST_ROOM = 0.25  # of a piece for its rows; repeated headers multiply a table's size


class Cell(NamedTuple):
    """A cell as in the source."""

    text: str
    header: bool = False
    columns: int = 1
    rows: int = 1


Grid = list[list[str]]


def grid_of(rows: Sequence[Sequence[Cell]]) -> Grid:
    """The cells' texts as a rectangle; a cell that spans rows or columns is repeated in each.

    A cell that spans all columns of its row appears only in the first one: it is a caption.
    """
    grid: Grid = []
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
            grid.append(line)
    width = max(map(len, grid), default=0)
    return [line + [""] * (width - len(line)) for line in grid]


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
    longest = max((len(cell.text) for row in rows for cell in row), default=0)
    if longest > MAX_CELL_CHARS:
        headed = any(cell.header for row in rows for cell in row)
        if not headed or longest > MAX_CELL_CHARS_UNDER_HEADER:
            return None
    grid = _without_empty_columns(grid_of(rows))
    if not grid:
        return []
    if len(grid[0]) < 2:
        return None
    captions: list[str] = []
    while (
        len(grid) > 1
        and len(captions) < _MAX_CAPTIONS
        and sum(map(bool, grid[0])) == 1
        and _spans(rows, len(captions))
    ):
        captions.append(next(filter(None, grid.pop(0))))
    if len(grid[0]) == 2 and not _has_header(rows, len(captions)):
        return [*captions, *(_pair(*line) for line in grid)]
    header, body = (grid[0], grid[1:]) if _is_header(grid, rows, len(captions)) else ([], grid)
    if not body:
        return [*captions, " | ".join(filter(None, header))]
    head = [_row(header or [""] * len(grid[0])), "|" + " --- |" * len(grid[0])]
    return [*captions, *head, *map(_row, body)]


def split_lines(lines: Sequence[str], max_chars: int) -> list[tuple[int, int, int]]:
    """Where to split the lines of a table: (header lines, first, last) of pieces up to `max_chars`.

    The header lines, up to the one of dashes, are repeated before each piece, unless they leave
    little room; a row longer than `max_chars` is a piece of its own.
    """
    head = next((i + 1 for i, line in enumerate(lines) if line.startswith("| --- |")), 0)
    room = max_chars - sum(len(line) + 1 for line in lines[:head])
    if room < _LEAST_ROOM * max_chars:
        head, room = 0, max_chars
    pieces: list[tuple[int, int, int]] = []
    first, size = head, 0
    for i in range(head, len(lines)):
        if size and size + len(lines[i]) > room:
            pieces.append((head, first, i))
            first, size = i, 0
        size += len(lines[i]) + 1
    return [*pieces, (head, first, len(lines))] if len(lines) > head else pieces


def _without_empty_columns(grid: Grid) -> Grid:
    if not grid:
        return grid
    kept = [i for i, column in enumerate(zip(*grid, strict=True)) if any(column)]
    if len(kept) == len(grid[0]):
        return grid
    return [[line[i] for i in kept] for line in grid]


def _filled(rows: Sequence[Sequence[Cell]], skip: int) -> Sequence[Cell]:
    """The first row with text, after skipping `skip` such rows."""
    filled = (row for row in rows if any(cell.text for cell in row))
    return next(islice(filled, skip, None), ())


def _spans(rows: Sequence[Sequence[Cell]], skip: int) -> bool:
    row = _filled(rows, skip)
    return len(row) == 1 and row[0].columns > 1


def _has_header(rows: Sequence[Sequence[Cell]], skip: int) -> bool:
    """Whether the first row's cells are all header cells."""
    row = _filled(rows, skip)
    return bool(row) and all(cell.header for cell in row)


def _is_header(grid: Grid, rows: Sequence[Sequence[Cell]], skip: int) -> bool:
    """Whether the first row names the columns: by markup, or as words above columns of numbers."""
    if _has_header(rows, skip):
        return True
    if len(grid) < 2 or any(_NUMBER.match(text) for text in grid[0] if text):
        return False
    return any(
        grid[0][i] and all(_NUMBER.match(line[i]) for line in grid[1:] if line[i])
        for i in range(len(grid[0]))
    )


def _pair(label: str, value: str) -> str:
    if not label or not value or len(label) > _LONGEST_LABEL:
        return label or value if not (label and value) else f"{label} | {value}"
    return f"{label.rstrip(': ')}: {value}"


def _row(line: Sequence[str]) -> str:
    return "| " + " | ".join(text.replace("|", "/") for text in line) + " |"
