"""The papers' splitters: windows of whole words, with or without headings, and groups of three
sentences."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from models.ranking.optional import need
from models.records import Passage
from models.web.chunking import Chunk, Chunker, SentenceChunker, cut, sentences
from models.web.page import PageText, Span
from models.web.settings import Chunking, WebSettings

MAX_CHARS = 300_000  # of a page: blingfire takes seconds for more; tables are not included
_GROUP = 3  # sentences per chunk (electricsheep, section 4.1)
_QUESTION_WORDS = (
    "who what when where why how is can does do did will would could should are was were has have"
    " had which whom whose"
).split()  # electricsheep, appendix B
_HEADING = re.compile(r"^#{1,6}(?:[ \t].*)?$", re.M)
_TOKEN = re.compile(r"[^\W\d_]{1,7}|\d{1,3}|[^\w\s]|_")
_WORD = re.compile(r"\S{1,100}")  # longer runs of characters are split
Offsets = Callable[[str], Sequence[Span]]


@dataclass(frozen=True)
class Splitter:
    """Passages by one function from a text to spans, and children by another.

    Tables marked by the extractor are passages of their own; `children` None: each passage is its
    own child.
    """

    parents: Offsets
    children: Offsets | None
    table_chars: int

    def chunk(self, page: PageText, index: int) -> list[Chunk]:
        chunks: list[Chunk] = []
        at = 0
        for start, end in [*page.tables, (len(page.text), len(page.text))]:
            for a, b in self.parents(page.text[at : min(start, MAX_CHARS)]):
                chunks += self._passage(page.text, index, at + a, at + b)
            if end > start:
                whole = SentenceChunker(self.table_chars, self.table_chars, self.table_chars)
                chunks += whole.table(page.text, index, start, end)
            at = end
        return chunks

    def _passage(self, text: str, index: int, start: int, end: int) -> Iterator[Chunk]:
        body = text[start:end].strip()
        if body:
            spans = self.children(body) if self.children else [(0, len(body))]
            yield Chunk(Passage(body, index, start, end), tuple(spans))


def make_chunker(settings: WebSettings) -> Chunker:
    """The chunker of `settings.chunking`.

    Raises:
        MissingPackageError: blingfire is not installed.
    """
    size, overlap = settings.parent_size, settings.parent_overlap
    children: Offsets | None = None
    if settings.chunking is Chunking.SENTENCES:
        return SentenceChunker(size, settings.child_size, settings.table_chars)
    if settings.chunking is Chunking.PARENT_CHILD:
        parents = windows(size, overlap, characters)
        children = windows(settings.child_size, settings.child_overlap, characters)
    elif settings.chunking is Chunking.SENTENCE_GROUPS:
        parents = sentence_groups(size // _GROUP)
    elif settings.chunking is Chunking.HEADERS:
        parents = under_headings(windows(size, overlap, tokens))
    else:
        parents = windows(size, overlap, tokens)
    return Splitter(parents, children, settings.table_chars)


def characters(word: str) -> int:
    """The cost of a word and the space after it."""
    return len(word) + 1


def tokens(word: str) -> int:
    """The cost of a word, in pieces about as long as a subword tokenizer's."""
    return sum(1 for _ in _TOKEN.finditer(word))


def windows(size: int, overlap: int, cost: Callable[[str], int]) -> Offsets:
    """Windows of whole words that cost at most `size`, up to the last sentence end in them, if
    there is one; the next window begins `overlap` before that end.

    db3 (section 2.2) splits by characters, bumblebee7 (5.2.2) and dragonrangers (3.2) by tokens.
    """

    def offsets(text: str) -> list[Span]:
        words = [match.span() for match in _WORD.finditer(text)]
        at = [0, *accumulate(cost(text[start:end]) for start, end in words)]
        starts = [start for start, _ in words]
        stops = [0, *(bisect_left(starts, end) for _, end in sentences(text))]
        found: list[Span] = []
        first = last = 0
        while last < len(words):
            last = max(bisect_right(at, at[first] + size) - 1, first + 1)
            stop = stops[bisect_right(stops, last) - 1]
            if at[stop] > at[first] + overlap:
                last = stop
            found.append((words[first][0], words[last - 1][1]))
            first = max(bisect_left(at, at[last] - overlap), first + 1)
        return found

    return offsets


def under_headings(parts: Offsets) -> Offsets:
    """Sections split by `parts`, each from its Markdown heading to the next one; a heading without
    text below it is dropped (bumblebee7, section 5.2.2)."""

    def offsets(text: str) -> list[Span]:
        starts = [0, *(heading.start() for heading in _HEADING.finditer(text)), len(text)]
        found: list[Span] = []
        for start, end in pairwise(starts):
            section = text[start:end]
            if _HEADING.sub("", section, count=1).strip():
                found += [(start + a, start + b) for a, b in parts(section)]
        return found

    return offsets


def sentence_groups(size: int) -> Offsets:
    """blingfire's sentences in threes, a question with what follows it (electricsheep, 4.1).

    A sentence is split between words at `size` characters; a question is joined with what follows
    up to three times that.
    """
    library = need("blingfire", "blingfire")

    def offsets(text: str) -> list[Span]:
        found: list[Span] = []
        group: list[Span] = []
        for span in _sentences(library, text):
            start, end = next(cut(text, span, size))
            asked = bool(group) and is_question(text[group[0][0] : group[0][1]])
            full = end - group[0][0] > size * _GROUP if asked else len(group) == _GROUP
            if group and (full or (not asked and is_question(text[start:end]))):
                found.append((group[0][0], group[-1][1]))
                group = []
            group.append((start, end))
        return [*found, (group[0][0], group[-1][1])] if group else found

    return offsets


def is_question(sentence: str) -> bool:
    """Whether the text ends or begins like a question (electricsheep, appendix B)."""
    words = sentence.lower().split(maxsplit=1)
    return sentence.rstrip().endswith("?") or bool(words) and words[0] in _QUESTION_WORDS


def _sentences(library: Any, text: str) -> Iterator[Span]:
    """blingfire's sentences, as character offsets."""
    if not text.strip():
        return
    _, spans = library.text_to_sentences_and_offsets(text)
    for start, end in spans:
        if end > start:
            yield start, end
