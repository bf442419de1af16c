"""Splits a page's text into passages that are short enough to be ranked one by one."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from models.english.calendar_words import MONTH_ABBREVIATIONS, MONTH_NAMES, WEEKDAY_NAMES
from models.records import Passage
from models.web.page import PageText, Span

# The end of a line, or of a sentence within a line, with the footnotes behind it.
_SENTENCE_END = re.compile(
    "[.!?\n](?:(?<=\n)|(?:[\"'\u201d\u2019)\\]]|\\[[^\\[\\]\n]{1,30}\\](?::\\d{1,4})?"
    "|[\u00b9\u00b2\u00b3\u2070-\u2079])*[^\\S\n]+"
    "(?=[\"'\u201c\u2018(\\[]?[A-Z0-9\u00c0-\u00de\u0141\u0160\u017d]))"
)
# A full stop behind one of these ends no sentence.
_ABBREVIATION = re.compile(
    r"(?:\b[A-Z]|\b(?:Mr|Dr|Ms|Jr|Sr|St|Mrs|Mme|Prof|Rev|Hon|Gov|Gen|Sen|Rep|Pres|Capt|Col|Cmdr|Lt"
    r"|Maj|Sgt|Adm|Messrs|Mt|Ft|vs|etc|Co|Inc|Ltd|Corp|Bros|Dept|Univ|[eE]\.g|[iI]\.e|[cC]f|viz|feat|al"
    r"|Est)\b)$"
)
# The same before a number, also a Roman one.
_ABBREVIATION_OF_NUMBER = re.compile(
    rf"\b(?:Nos?|Art)$|(?i:\b(?:{'|'.join(MONTH_ABBREVIATIONS)}|mon|tues?|wed|thurs?|fri"
    r"|sat|sun|nr|est|vols?|ch|sec|figs?|op|pp?|pop|approx|ca?|b|d|r|fl|ep|pt)$)"
)
_UNIT_BEFORE_NUMBER = re.compile(r"\d (?:ft|in|lb|oz|hr|min)$")
_MONTH = "|".join(name[:3].capitalize() for name in MONTH_NAMES)
_NUMBER = re.compile(rf"\(?\d|[IVXLC]+\b|(?:{_MONTH})[a-z]*\b")
_TIME_OF_DAY = re.compile(r"\b[ap]\.m$", re.I)
_WEEKDAY = "|".join(name.capitalize() for name in WEEKDAY_NAMES)
_TIME_ZONE = re.compile(rf"(?:[ECMP][SD]?T|GMT|UTC|BST|CET|{_WEEKDAY})\b")
_LONGEST_ABBREVIATION = 7  # plus the character before it
_LINE = re.compile("[^\n]+")
_TABLE_RULE = "| --- |"  # begins the line below a Markdown table's header
_LEAST_ROOM = 0.25  # of a piece for its rows; repeated headers multiply a table's size


class Chunk(NamedTuple):
    """A passage, and the parts of its text used to find it (db3, section 2.2).

    `children` are (start, end) in `passage.text`; a passage that is its own child has one.
    """

    passage: Passage
    children: tuple[Span, ...]


class TablePiece(NamedTuple):
    """Some rows of a table.

    Attributes:
        text: the rows, below the table's header.
        start: where the rows start in the table; 0 for the first piece, which has the header.
        end: where they end.
    """

    text: str
    start: int
    end: int


class Chunker(ABC):
    """Splits a page's text into passages and their children; tables are passages of their own.

    Attributes:
        table_chars: a longer table is split by rows, with its header repeated.
        child_chars: rows of a table are joined to children of at most this many characters.
    """

    table_chars: int
    child_chars: int

    @abstractmethod
    def split(self, text: str) -> Iterable[Sequence[Span]]:
        """The passages of a text without tables, each as the children from its start to its end."""

    def chunk(self, page: PageText, index: int) -> list[Chunk]:
        """The chunks of the page with this index, in reading order."""
        chunks: list[Chunk] = []
        start = 0
        for table_start, table_end in page.tables:
            chunks += self._text_chunks(page.text, (start, table_start), index)
            chunks += self._table_chunks(page.text, (table_start, table_end), index)
            start = table_end
        chunks += self._text_chunks(page.text, (start, len(page.text)), index)
        return chunks

    def _text_chunks(self, page_text: str, between: Span, index: int) -> Iterator[Chunk]:
        """The chunks of the text in the span `between`, which has no table."""
        offset, end = between
        for children in self.split(page_text[offset:end]):
            first = offset + children[0][0]
            last = offset + children[-1][1]
            text = page_text[first:last].strip()
            if text:
                # children are relative to `offset`; in a chunk, to its text without white space
                shift = page_text.index(text, first) - offset
                spans = tuple(_shifted(child, shift, len(text)) for child in children)
                yield Chunk(Passage(text, index, first, last), spans)

    def _table_chunks(self, page_text: str, table: Span, index: int) -> Iterator[Chunk]:
        """The chunks of the table at the span `table`."""
        offset, end = table
        for piece in table_pieces(page_text[offset:end], self.table_chars):
            passage = Passage(piece.text, index, offset + piece.start, offset + piece.end)
            children = merged_spans(_line_spans(piece.text), self.child_chars)
            yield Chunk(passage, tuple(children))


def _shifted(span: Span, shift: int, length: int) -> Span:
    """`span` moved `shift` to the left, within a text of this length."""
    start, end = span
    return max(start - shift, 0), min(end - shift, length)


@dataclass(frozen=True)
class SentenceChunker(Chunker):
    """The default: whole sentences and lines.

    Attributes:
        parent_chars: maximum characters of a passage; a longer sentence is cut between words.
        child_chars: the same for children; a longer sentence remains whole.
    """

    parent_chars: int = 700
    child_chars: int = 200
    table_chars: int = 1000

    def split(self, text: str) -> Iterable[Sequence[Span]]:
        """The passages of `text`, each as its children: groups of whole sentences."""
        parts = (split_span(text, sentence, self.parent_chars) for sentence in sentences(text))
        for passage in grouped_spans(chain.from_iterable(parts), self.parent_chars):
            yield merged_spans(passage, self.child_chars)


def sentences(text: str) -> Iterator[Span]:
    """The (start, end) of each sentence of `text`; a line break always ends a sentence."""
    start = 0
    for stop in _SENTENCE_END.finditer(text):
        mark = stop.start()
        if text[mark] == "\n":
            if start < mark:
                yield start, mark
        elif _is_abbreviated(text, max(mark - _LONGEST_ABBREVIATION, start), stop):
            continue
        else:
            yield start, stop.end()
        start = stop.end()
    if start < len(text):
        yield start, len(text)


def _is_abbreviated(text: str, start: int, stop: re.Match[str]) -> bool:
    """Whether the full stop at `stop` is of an abbreviation that begins at `start` or later."""
    mark = stop.start()
    if _ABBREVIATION.search(text, start, mark):
        return True
    if _TIME_ZONE.match(text, stop.end()) and _TIME_OF_DAY.search(text, start, mark):
        return True
    is_before_number = _NUMBER.match(text, stop.end()) is not None
    if not is_before_number:
        return False
    if _UNIT_BEFORE_NUMBER.search(text, start, mark):
        return True
    return _ABBREVIATION_OF_NUMBER.search(text, start, mark) is not None


def grouped_spans(spans: Iterable[Span], max_chars: int) -> list[list[Span]]:
    """Neighbouring `spans` of up to `max_chars` together; a longer span remains alone."""
    groups: list[list[Span]] = []
    for span in spans:
        if groups and span[1] - groups[-1][0][0] <= max_chars:
            groups[-1].append(span)
        else:
            groups.append([span])
    return groups


def merged_spans(spans: Iterable[Span], max_chars: int) -> list[Span]:
    """The same groups, each as one span."""
    return [(members[0][0], members[-1][1]) for members in grouped_spans(spans, max_chars)]


def split_span(text: str, span: Span, max_chars: int) -> Iterator[Span]:
    """`span` in parts of at most `max_chars`, split between words if possible."""
    start, end = span
    while end - start > max_chars:
        last_space = max(text.rfind(mark, start + 1, start + max_chars) for mark in " \n")
        stop = last_space + 1 if last_space > start else start + max_chars
        yield start, stop
        start = stop
    yield start, end


def table_pieces(table: str, max_chars: int) -> list[TablePiece]:
    """The pieces of a Markdown table with up to `max_chars` each.

    The header, up to the line of dashes, is repeated in each piece, unless it leaves little room.
    A row longer than `max_chars` is a piece of its own.
    """
    lines = _line_spans(table)
    header_lines = _header_length(table, lines)
    header = table[: lines[header_lines - 1][1] + 1] if header_lines else ""
    room = max_chars - len(header)
    if room < _LEAST_ROOM * max_chars or header_lines == len(lines):
        return [
            TablePiece(table[start:end], start, end)
            for start, end in merged_spans(lines, max_chars)
        ]
    pieces: list[TablePiece] = []
    for start, end in merged_spans(lines[header_lines:], room):
        text = header + table[start:end]
        pieces.append(TablePiece(text, start if pieces else 0, end))
    return pieces


def _header_length(table: str, lines: Sequence[Span]) -> int:
    """The number of lines up to the line of dashes; 0 without one."""
    for number, (start, _) in enumerate(lines, start=1):
        if table.startswith(_TABLE_RULE, start):
            return number
    return 0


def _line_spans(text: str) -> list[Span]:
    """The (start, end) of each line of `text` that is not empty."""
    return [line.span() for line in _LINE.finditer(text)]
