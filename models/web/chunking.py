"""Splits a page's text into passages that are short enough to be ranked one by one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from models.records import Passage
from models.web.page import PageText, Span
from models.web.tables import split_lines

# The end of a line, or of a sentence within a line.
_END = re.compile("[.!?\n](?:(?<=\n)|[\"'\u201d)\\]]*[^\\S\n]+(?=[\"'\u201c(\\[]?[A-Z0-9]))")
_ABBREVIATION = re.compile(
    r"(?:\b[A-Z]|\b(?:Mr|Dr|Ms|Jr|Sr|St|No|vs|Co|Mrs|Inc|Ltd|Gen|Rev|Sen|etc|Corp|Prof))$"
)
_LONGEST_ABBREVIATION = 5  # plus the character before it


class Chunk(NamedTuple):
    """A passage, and the parts of its text used to find it (db3, section 2.2).

    `children` are (start, end) in `passage.text`; a passage that is its own child has one.
    """

    passage: Passage
    children: tuple[Span, ...]


class Chunker(Protocol):
    def chunk(self, page: PageText, index: int) -> list[Chunk]:
        """The chunks of the page with this index, in reading order."""
        ...


def sentences(text: str) -> Iterator[tuple[int, int]]:
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


def join(spans: Sequence[Span], max_chars: int) -> list[Span]:
    """Neighbouring `spans` joined up to `max_chars`; a longer span remains alone."""
    joined: list[Span] = []
    first = last = -1
    for start, end in spans:
        if first >= 0 and end - first > max_chars:
            joined.append((first, last))
            first = -1
        first = start if first < 0 else first
        last = end
    if first >= 0:
        joined.append((first, last))
    return joined


@dataclass(frozen=True, slots=True)
class SentenceChunker:
    """The default: whole sentences and lines, separate tables, no text that is not content.

    Attributes:
        parent_chars: maximum characters of a passage; a longer sentence is a passage of its own.
        child_chars: the same for children.
        table_chars: a longer table is split by rows, with its header repeated.
    """

    parent_chars: int = 700
    child_chars: int = 200
    table_chars: int = 1000

    def chunk(self, page: PageText, index: int) -> list[Chunk]:
        chunks: list[Chunk] = []
        at = 0
        for start, end in page.tables:
            chunks += self._prose(page.text, index, at, start)
            chunks += self.table(page.text, index, start, end)
            at = end
        return chunks + self._prose(page.text, index, at, len(page.text))

    def _prose(self, text: str, index: int, start: int, end: int) -> list[Chunk]:
        if not text[start:end].strip():
            return []
        body = text[start:end]
        pieces: list[Span] = []
        for piece in sentences(body):
            if piece[1] - piece[0] > self.parent_chars:
                pieces += cut(body, piece, self.parent_chars)
            else:
                pieces.append(piece)
        return [
            self._passage(body, index, start, pieces[first:last])
            for first, last in _groups(pieces, self.parent_chars)
        ]

    def _passage(self, body: str, index: int, offset: int, pieces: Sequence[Span]) -> Chunk:
        start, end = pieces[0][0], pieces[-1][1]
        text = body[start:end]
        left = len(text) - len(text.lstrip())
        passage = Passage(text.strip(), index, offset + start, offset + end)
        shift = start + left
        spans = [
            (max(a - shift, 0), min(b - shift, len(passage.text)))
            for a, b in join(pieces, self.child_chars)
        ]
        return Chunk(passage, tuple((a, b) for a, b in spans if a < b))

    def table(self, text: str, index: int, start: int, end: int) -> list[Chunk]:
        """The chunks of the Markdown table in `text` from `start` to `end`; none if it has only a
        header."""
        lines = text[start:end].split("\n")
        offsets = [start]
        for line in lines:
            offsets.append(offsets[-1] + len(line) + 1)
        rows = next((i + 1 for i, line in enumerate(lines) if line.startswith("| --- |")), 0)
        chunks: list[Chunk] = []
        for head, first, last in split_lines(lines, self.table_chars):
            if last <= rows:
                continue
            from_row = 0 if first == head else first
            piece = [*lines[:head], *lines[first:last]]
            passage = Passage("\n".join(piece), index, offsets[from_row], offsets[last] - 1)
            spans: list[Span] = []
            at = 0
            for line in piece:
                spans.append((at, at + len(line)))
                at += len(line) + 1
            chunks.append(Chunk(passage, tuple(join(spans, self.child_chars))))
        return chunks


def _groups(pieces: Sequence[Span], max_chars: int) -> Iterator[tuple[int, int]]:
    """The (first, last) indices of neighbouring `pieces` with at most `max_chars` together."""
    first = 0
    for i in range(1, len(pieces)):
        if pieces[i][1] - pieces[first][0] > max_chars:
            yield first, i
            first = i
    if pieces:
        yield first, len(pieces)


def cut(text: str, span: Span, max_chars: int) -> Iterator[Span]:
    """`span` in parts of at most `max_chars`, split between words if possible."""
    start, end = span
    while end - start > max_chars:
        space = max(text.rfind(mark, start + 1, start + max_chars) for mark in " \n")
        stop = space + 1 if space > start else start + max_chars
        yield start, stop
        start = stop
    if start < end:
        yield start, end
