"""The papers' splitters: windows of whole words, with or without headings, and groups of three
sentences."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from models.web.chunking import Chunker, SentenceChunker, cut, sentences
from models.web.page import Span
from models.web.settings import Chunking, WebSettings

MAX_CHARS = 300_000  # of a text: blingfire takes seconds for more
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
class Splitter(Chunker):
    """Passages by one function from a text to spans, and children by another.

    `children` None: each passage is its own child.
    """

    parents: Offsets
    children: Offsets | None
    table_chars: int
    child_chars: int

    def split(self, text: str) -> Iterator[Sequence[Span]]:
        for start, end in self.parents(text):
            spans = self.children(text[start:end]) if self.children else [(0, end - start)]
            yield [(start + a, start + b) for a, b in spans]


def make_chunker(settings: WebSettings) -> Chunker:
    """The chunker of `settings.chunking`."""
    size, child, table = settings.parent_size, settings.child_size, settings.table_chars
    if settings.chunking is Chunking.SENTENCES:
        return SentenceChunker(size, child, table)
    by_tokens = windows(size, settings.parent_overlap, tokens)
    children: Offsets | None = None
    if settings.chunking is Chunking.PARENT_CHILD:
        parents = windows(size, settings.parent_overlap, characters)
        children = windows(child, 0, characters)
    elif settings.chunking is Chunking.SENTENCE_GROUPS:
        parents = sentence_groups(size // _GROUP)
    elif settings.chunking is Chunking.HEADERS:
        parents = under_headings(by_tokens)
    else:
        parents = by_tokens
    return Splitter(parents, children, table, child_chars=table)


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
    from blingfire import text_to_sentences_and_offsets  # type: ignore[import-untyped]

    def offsets(text: str) -> list[Span]:
        if not text.strip():
            return []
        groups: list[list[Span]] = []
        for start, end in text_to_sentences_and_offsets(text[:MAX_CHARS])[1]:
            if start == end:
                continue
            span = next(cut(text, (start, end), size))
            group = groups[-1] if groups else []
            asked = bool(group) and is_question(text[slice(*group[0])])
            full = span[1] - group[0][0] > size * _GROUP if asked else len(group) in (0, _GROUP)
            if full or (not asked and is_question(text[slice(*span)])):
                groups.append([])
            groups[-1].append(span)
        return [(group[0][0], group[-1][1]) for group in groups]

    return offsets


def is_question(sentence: str) -> bool:
    """Whether the text ends or begins like a question (electricsheep, appendix B)."""
    words = sentence.lower().split(maxsplit=1)
    return sentence.rstrip().endswith("?") or bool(words) and words[0] in _QUESTION_WORDS
