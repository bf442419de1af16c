"""The papers' ways of cutting texts, by langchain's splitters and blingfire."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from models.ranking.optional import need
from models.records import Passage
from models.web.chunking import Chunk, Chunker, SentenceChunker, cut
from models.web.page import PageText, Span
from models.web.settings import Chunking, WebSettings

MAX_CHARS = 300_000  # of a page: the libraries take seconds for more; tables are no part of it
_MAX_HEADINGS = 2_000  # of a page: the splitter takes 0.1 ms for each
_GROUP = 3  # sentences a chunk (electricsheep, section 4.1)
_QUESTION_WORDS = (
    "who what when where why how is can does do did will would could should are was were has have"
    " had which whom whose"
).split()  # electricsheep, appendix B
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_TOKEN = re.compile(r"[^\W\d_]{1,7}|\d{1,3}|[^\w\s]|_")
Offsets = Callable[[str], Sequence[Span]]


@dataclass(frozen=True)
class Splitter:
    """Passages by one function from a text to spans, and children by another.

    Tables that the extractor marked are passages of their own; `children` None: each passage is
    its own child.
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


def make_splitter(settings: WebSettings) -> Chunker:
    """The splitter of `settings.chunking`.

    Raises:
        MissingPackageError: langchain-text-splitters or blingfire is not installed.
    """
    size, overlap = settings.parent_size, settings.parent_overlap
    children: Offsets | None = None
    if settings.chunking is Chunking.PARENT_CHILD:
        parents = characters(size, overlap)
        children = characters(settings.child_size, settings.child_overlap)
    elif settings.chunking is Chunking.SENTENCE_GROUPS:
        parents = sentence_groups(size // _GROUP)
    elif settings.chunking is Chunking.HEADERS:
        parents = under_headers(size, overlap)
    else:
        parents = token_windows(size, overlap)
    return Splitter(parents, children, settings.table_chars)


def characters(size: int, overlap: int) -> Offsets:
    """langchain's CharacterTextSplitter (db3, section 2.2), by words: a page's lines are uneven."""
    library = need("langchain_text_splitters", "langchain-text-splitters")
    splitter = library.CharacterTextSplitter(
        separator=" ", chunk_size=size, chunk_overlap=overlap, add_start_index=True
    )
    return lambda text: _located(splitter, text)


def sentence_groups(size: int) -> Offsets:
    """blingfire's sentences in threes, a question with what follows it (electricsheep, 4.1).

    A sentence is cut at `size` characters; a question is joined with what follows up to three
    times that.
    """
    library = need("blingfire", "blingfire")

    def offsets(text: str) -> list[Span]:
        found: list[Span] = []
        group: list[Span] = []
        for span in _sentences(library, text):
            start, end = span[0], min(span[1], span[0] + size)
            asked = bool(group) and is_question(text[group[0][0] : group[0][1]])
            full = end - group[0][0] > size * _GROUP if asked else len(group) == _GROUP
            if group and (full or (not asked and is_question(text[start:end]))):
                found.append((group[0][0], group[-1][1]))
                group = []
            group.append((start, end))
        return [*found, (group[0][0], group[-1][1])] if group else found

    return offsets


def is_question(sentence: str) -> bool:
    """Whether it ends as a question or begins as one (electricsheep, appendix B)."""
    words = sentence.lower().split(maxsplit=1)
    return sentence.rstrip().endswith("?") or bool(words) and words[0] in _QUESTION_WORDS


def under_headers(size: int, overlap: int) -> Offsets:
    """langchain's HTMLHeaderTextSplitter, then pieces of `size` (bumblebee7, section 5.2.2).

    The splitter wants HTML and gives no offsets: it is given the lines' numbers in place of their
    words, the text's Markdown headings as headings.
    """
    library = need("langchain_text_splitters", "langchain-text-splitters")
    need("bs4", "beautifulsoup4")
    levels = [(f"h{i}", f"h{i}") for i in range(1, 7)]
    headers = library.HTMLHeaderTextSplitter(headers_to_split_on=levels)
    pieces = library.RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=overlap, add_start_index=True
    )

    def offsets(text: str) -> list[Span]:
        found: list[Span] = []
        lines = _line_spans(text)
        if any(_HEADING.match(text, *line) for line in lines):
            sections = headers.split_text(_outline(text, lines))
            parts = [section.page_content.split() for section in sections]
            bounds = [(int(numbers[0]), int(numbers[-1])) for numbers in parts]
        else:  # which needs no parser
            bounds = [(0, -1)] if lines else []
        for first, last in bounds:
            start, end = lines[first][0], lines[last][1]
            found += [(start + a, start + b) for a, b in _located(pieces, text[start:end])]
        return found

    return offsets


def token_windows(size: int, overlap: int, tokens: Offsets | None = None) -> Offsets:
    """Windows of `size` tokens, the next one `overlap` back (dragonrangers, section 3.2).

    `tokens` gives each token's span; by default pieces about as long as a subword tokenizer's.
    """
    spans_of = tokens or (lambda text: [m.span() for m in _TOKEN.finditer(text)])

    def offsets(text: str) -> list[Span]:
        spans = spans_of(text)
        firsts = range(0, max(len(spans) - overlap, 1), size - overlap) if spans else range(0)
        return [(spans[i][0], spans[min(i + size, len(spans)) - 1][1]) for i in firsts]

    return offsets


def _located(splitter: Any, text: str) -> list[Span]:
    """Where the pieces of a langchain splitter stand in `text`."""
    found: list[Span] = []
    # a splitter by words makes one space of several, and then cannot tell where a piece stood
    places = [i for i, char in enumerate(text) if char != " " or text[i + 1 : i + 2] != " "]
    for piece in splitter.create_documents(["".join(text[i] for i in places)]):
        start = piece.metadata["start_index"]
        span = places[start], places[start + len(piece.page_content) - 1] + 1
        # the splitter has no bound for a text without its separator
        found += cut(text, span, max(2 * splitter._chunk_size, 1))
    return found


def _sentences(library: Any, text: str) -> Iterator[Span]:
    """blingfire's sentences, by their characters."""
    if not text.strip():
        return
    _, spans = library.text_to_sentences_and_offsets(text)
    for start, end in spans:
        if end > start:
            yield start, end


def _line_spans(text: str) -> list[Span]:
    """The (start, end) of each line of `text` that is not blank."""
    return [match.span() for match in re.finditer(r"[^\n]*\S[^\n]*", text)]


def _outline(text: str, lines: Sequence[Span]) -> str:
    """HTML of the headings in `text` and of what is between, each as its first and last line."""
    headings = [_HEADING.match(text, start, end) for start, end in lines]
    if sum(map(bool, headings)) > _MAX_HEADINGS:
        headings = [None] * len(lines)
    out: list[str] = []
    first = 0
    for i, heading in enumerate(headings):
        if heading:
            out.append(f"<h{len(heading[1])}>{i}</h{len(heading[1])}>")
            first = i + 1
        elif i + 1 == len(lines) or headings[i + 1]:
            out.append(f"<p>{first} {i}</p>")
    return "\n".join(out)
