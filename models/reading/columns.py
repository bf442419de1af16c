"""The one superlative that a table answers safely: the row with the extreme of a named column.

"Which township has the most land area?" is a cell of one row, but no row says that it is the one.
The column has to be named in the question, its numbers to have one unit, its extreme to stand in
one row, and the title, the headers or some rows to have what else the question names.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from models.english.quantities import as_number
from models.english.quantity_words import NUMBER_WORDS, ORDINAL_WORDS, any_of
from models.reading.spans import FoundSpan
from models.reading.windows import MAX_ROWS, RULE, Window, cells_of
from models.records import Passage
from models.web.page import PageText
from utils.text import content_words, stem, words

_TABLES = 4  # that are looked at, those of the best passages
_FEWEST_ROWS = 3
_NUMBERS = 0.8  # of the cells of a column of numbers
_MOST = "most|highest|largest|greatest|biggest|longest|maximum|tallest|heaviest"
_LEAST = "least|fewest|lowest|smallest|shortest|minimum|lightest"
_SUPERLATIVE = re.compile(rf"(?<!\bat )\b(?:(?P<most>{_MOST})|(?P<least>{_LEAST}))\b")
# Another row than that of the extreme, or not all rows: "the second largest", "after the largest".
_ANOTHER = re.compile(
    r"\b(?:not|never|no|except|besides|without|after|before|than|next|behind|\d+(?:st|nd|rd|th)"
    rf"|{any_of([*ORDINAL_WORDS, *list(NUMBER_WORDS)[2:]])})\b|n't\b"
)
_FIRST_NUMBER = re.compile(r"[-−]?\$?\d[\d,]*(?:\.\d+)?")
_WHOLE_NUMBER = re.compile(r"\d+")
_ASIDE = re.compile(r"\[[^\]]*\]|\([^)]*\)")  # a footnote, a remark
_OF_ALL = re.compile(r"(?:grand |sub-?)?totals?\b.*|(?:all|average|overall|sum|mean)\W*", re.I)


@dataclass(frozen=True, slots=True)
class TableText:
    """A table of a page, as Markdown was read."""

    page: int
    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]

    def span_at(self, row: int, column: int) -> FoundSpan | None:
        """A cell with its row around it; None: it is empty."""
        text = f"{self.title}. "
        start = 0
        for index, (header, cell) in enumerate(zip(self.headers, self.rows[row], strict=True)):
            text += f"{header}: "
            if index == column:
                start = len(text)
            text += f"{cell}; "
        cell = self.rows[row][column]
        window = Window(text.removesuffix("; "), self.page, len(self.title) + 2)
        return FoundSpan(window, cell, start, start + len(cell), 0.0) if cell else None

    @property
    def known(self) -> set[str]:
        """The stems of its title and headers."""
        return _stems(" ".join([self.title, *self.headers]))

    def rows_with(self, wanted: set[str]) -> list[int]:
        """The rows that have all of these words that any row has, and no header or title."""
        of_rows = [_stems(" ".join(row)) for row in self.rows]
        in_rows = (wanted - self.known).intersection(set().union(*of_rows))
        return [index for index, of_row in enumerate(of_rows) if in_rows <= of_row]

    def has_numbers_of(self, question: str, row: Sequence[str]) -> bool:
        """Whether the years and numbers of a question stand in a row, or in the title."""
        numbers = set(_WHOLE_NUMBER.findall(question)) - set(_WHOLE_NUMBER.findall(self.title))
        return numbers <= set(_WHOLE_NUMBER.findall(" ".join(row)))


def extreme_cell(
    question: str, passages: Sequence[Passage], texts: Mapping[int, PageText]
) -> FoundSpan | None:
    """The cell that a superlative asks for, of the first table that has its column; None: no table
    answers it. Its margin is 0: no encoder has read it."""
    match = _SUPERLATIVE.search(question.lower())
    if match is None or _ANOTHER.search(question.lower()):
        return None
    asked_for = _stems_in_order(question[: match.start()])
    compared = _stems(question[match.end() :])
    for table in _tables(passages, texts):
        column = _named_column(table, compared)
        if column is None or not _FEWEST_ROWS <= len(table.rows) <= MAX_ROWS:
            continue
        if not compared <= table.known.union(*(_stems(" ".join(row)) for row in table.rows)):
            return None  # a condition of which the table says nothing
        rows = table.rows_with({*asked_for[1:], *compared})  # the first word is of the kind
        if not all(table.has_numbers_of(question, table.rows[index]) for index in rows):
            return None
        row = _extreme_row(table, rows, column, least=match["least"] is not None)
        asks_for_it = not asked_for and question.lower().startswith(("what", "how"))
        cell = column if asks_for_it else _column_of_names(table, column, asked_for)
        return None if row is None or cell is None else table.span_at(row, cell)
    return None


def _extreme_row(table: TableText, rows: Sequence[int], column: int, *, least: bool) -> int | None:
    """Of these rows the one with the largest or the smallest number in a column; None: there are
    several."""
    numbers: dict[int, float] = {}
    for index in rows:
        row = table.rows[index]
        number, _ = _number_and_unit(row[column])
        if number is not None and not any(map(_OF_ALL.fullmatch, row)):
            numbers[index] = -number if least else number
    most = max(numbers.values(), default=0.0)
    best = [index for index, number in numbers.items() if number == most]
    return best[0] if len(best) == 1 else None


def _column_of_names(table: TableText, numbers: int, asked_for: Sequence[str]) -> int | None:
    """The column that names what is asked for: by its header, by its cells, or the first one of
    names. Of several words that are asked for, the first counts most: "which region has the town"
    asks for a region."""
    others = [column for column in range(len(table.headers)) if column != numbers]
    for word in asked_for:
        for column in others:
            if word in _stems(table.headers[column]):
                return column
    with_word = [column for column in others if _has_in_each_cell(table, column, set(asked_for))]
    of_names = [column for column in others if _is_of_names(table, column)]
    return next(iter(with_word + of_names), None)


def _has_in_each_cell(table: TableText, column: int, wanted: set[str]) -> bool:
    return all(_stems(row[column]) & wanted for row in table.rows)


def _named_column(table: TableText, compared: set[str]) -> int | None:
    """The column of numbers whose header has the most of these words; None without a single one."""
    shared = {
        column: len(_stems(header) & compared)
        for column, header in enumerate(table.headers)
        if _is_of_numbers(table, column)
    }
    most = max(shared.values(), default=0)
    best = [column for column, count in shared.items() if count == most]
    return best[0] if most and len(best) == 1 else None


def _is_of_numbers(table: TableText, column: int) -> bool:
    """Whether nearly all cells are numbers, and these have one unit or none."""
    cells = [_number_and_unit(row[column]) for row in table.rows if row[column]]
    units = [unit for number, unit in cells if number is not None]
    return len(set(units)) == 1 and len(units) >= _NUMBERS * len(cells)


def _is_of_names(table: TableText, column: int) -> bool:
    cells = [row[column] for row in table.rows if row[column]]
    return bool(cells) and all(any(map(str.isalpha, cell)) for cell in cells)


def _number_and_unit(cell: str) -> tuple[float | None, str]:
    """The number that a cell begins with, and what follows it; no number for a date, a score, a
    range or a text."""
    text = _ASIDE.sub("", cell).strip()
    match = _FIRST_NUMBER.match(text)
    rest = text[match.end() :] if match else text
    if match is None or re.search(r"\d|^[–:/-]", rest):
        return None, ""
    return as_number(match[0].replace("−", "-")), rest.strip(" *+.†‡").lower()


def _tables(passages: Sequence[Passage], texts: Mapping[int, PageText]) -> Iterator[TableText]:
    """The whole tables of the best passages, each once."""
    seen: set[tuple[int, int]] = set()
    for passage in passages:
        page = texts[passage.page]
        for start, end in page.tables:
            if start <= passage.start < end and (passage.page, start) not in seen:
                seen.add((passage.page, start))
                table = _table_in(passage.page, page.title, page.text[start:end])
                if table is not None:
                    yield table
        if len(seen) >= _TABLES:
            return


def _table_in(page: int, title: str, markdown: str) -> TableText | None:
    lines = markdown.split("\n")
    rule = next((i for i, line in enumerate(lines) if RULE.fullmatch(line)), None)
    if not rule:
        return None
    headers = cells_of(lines[rule - 1])
    rows = [cells_of(line) for line in lines[rule + 1 :]]
    return TableText(page, title, headers, [row for row in rows if len(row) == len(headers)])


def _stems(text: str) -> set[str]:
    return set(_stems_in_order(text))


def _stems_in_order(text: str) -> list[str]:
    return [stem(word) for word in content_words(text) or words(text)]
