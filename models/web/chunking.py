"""Splits a page's text into passages that are short enough to be ranked one by one."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from models.records import Passage
from models.web.page import PageText, Span

# The end of a line, or of a sentence within a line.
_END = re.compile("[.!?\n](?:(?<=\n)|[\"'\u201d)\\]]*[^\\S\n]+(?=[\"'\u201c(\\[]?[A-Z0-9]))")
_ABBREVIATION = re.compile(
    r"(?:\b[A-Z]|\b(?:Mr|Dr|Ms|Jr|Sr|St|No|vs|Co|Mrs|Inc|Ltd|Gen|Rev|Sen|etc|Corp|Prof))$"
)
_LONGEST_ABBREVIATION = 5  # plus the character before it
_LEAST_ROOM = 0.25  # of a piece for its rows; repeated headers multiply a table's size


class Chunk(NamedTuple):
    """A passage, and the parts of its text used to find it (db3, section 2.2).

    `children` are (start, end) in `passage.text`; a passage that is its own child has one.
    """

    passage: Passage
    children: tuple[Span, ...]


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
        at = 0
        for start, end in [*page.tables, (len(page.text), len(page.text))]:
            for spans in self.split(page.text[at:start]):
                first, last = at + spans[0][0], at + spans[-1][1]
                if text := page.text[first:last].strip():
                    shift = page.text.index(text, first) - at
                    kids = [(max(a - shift, 0), min(b - shift, len(text))) for a, b in spans]
                    chunks.append(Chunk(Passage(text, index, first, last), tuple(kids)))
            for text, a, b in table_pieces(page.text[start:end], self.table_chars):
                passage = Passage(text, index, start + a, start + b)
                chunks.append(Chunk(passage, tuple(join(_lines(text), self.child_chars))))
            at = end
        return chunks


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
        parts = (cut(text, sentence, self.parent_chars) for sentence in sentences(text))
        for passage in group(chain.from_iterable(parts), self.parent_chars):
            yield join(passage, self.child_chars)


def sentences(text: str) -> Iterator[Span]:
    """The (start, end) of each sentence of `text`; a line break always ends a sentence."""
    start = 0
    for stop in _END.finditer(text):
        at = stop.start()
        if text[at] == "\n":
            if start < at:
                yield start, at
        elif _ABBREVIATION.search(text, max(at - _LONGEST_ABBREVIATION, start), at):
            continue
        else:
            yield start, stop.end()
        start = stop.end()
    if start < len(text):
        yield start, len(text)


def group(spans: Iterable[Span], max_chars: int) -> list[list[Span]]:
    """Neighbouring `spans` of up to `max_chars` together; a longer span remains alone."""
    groups: list[list[Span]] = []
    for span in spans:
        if groups and span[1] - groups[-1][0][0] <= max_chars:
            groups[-1].append(span)
        else:
            groups.append([span])
    return groups


def join(spans: Iterable[Span], max_chars: int) -> list[Span]:
    """The same groups, each as one span."""
    return [(some[0][0], some[-1][1]) for some in group(spans, max_chars)]


def cut(text: str, span: Span, max_chars: int) -> Iterator[Span]:
    """`span` in parts of at most `max_chars`, split between words if possible."""
    start, end = span
    while end - start > max_chars:
        space = max(text.rfind(mark, start + 1, start + max_chars) for mark in " \n")
        stop = space + 1 if space > start else start + max_chars
        yield start, stop
        start = stop
    yield start, end


def table_pieces(table: str, max_chars: int) -> list[tuple[str, int, int]]:
    """The pieces of a Markdown table with up to `max_chars`: text, start, end in `table`.

    The header, up to the line of dashes, is repeated in each piece, unless it leaves little room.
    A row longer than `max_chars` is a piece of its own; a header without rows has none.
    """
    lines = _lines(table)
    head = next((i + 1 for i, (at, _) in enumerate(lines) if table.startswith("| --- |", at)), 0)
    header = table[: lines[head - 1][1] + 1] if head else ""
    room = max_chars - len(header)
    if room < _LEAST_ROOM * max_chars:
        return [(table[a:b], a, b) for a, b in join(lines, max_chars) if b > len(header)]
    rows = join(lines[head:], room)
    return [(header + table[a:b], a if i else 0, b) for i, (a, b) in enumerate(rows)]


def _lines(text: str) -> Sequence[Span]:
    return [line.span() for line in re.finditer("[^\n]+", text)]
