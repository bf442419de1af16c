"""The papers' splitters: langchain's with exact offsets, and electricsheep's sentence groups."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from models.web.chunking import Chunker, SentenceChunker, split_span
from models.web.page import Span
from models.web.settings import Chunking, WebSettings

if TYPE_CHECKING:
    from langchain_text_splitters import TextSplitter

MAX_CHARS = 300_000  # of a text at once: blingfire takes seconds for more
_GROUP = 3  # sentences per chunk (electricsheep, section 4.1)
_QUESTION_WORDS = (
    "who what when where why how is can does do did will would could should are was were has have"
    " had which whom whose"
).split()  # electricsheep, appendix B

# Where langchain's recursive splitter may split, best first: empty lines, lines, sentences, words.
# It needs seconds to split a run of a million characters between any two of them: a run is first
# split every 100 characters.
_SEPARATORS = ["\n\n", "\n", r"(?<=[.!?])[ \t]", r"[ \t]", r"\S{100}", ""]
_BEFORE_HEADING = r"\n(?=#{1,6}(?:\s|\Z))"
_BARE_HEADING = re.compile(r"#{1,6}(?:[ \t].*)?")
_TOKEN = re.compile(r"[^\W\d_]{1,7}|\d{1,3}|[^\w\s]|_")
_WORD = re.compile(r"\S{1,100}\s*")

Length = Callable[[str], int]  # of a text, in characters or tokens
OffsetsOf = Callable[[str], tuple[str, list[Span]]]  # blingfire's sentences and their spans
SpanSplitter = Callable[[str], Sequence[Span]]  # the parts of a text, in order


@dataclass(frozen=True)
class PassageSplitter(Chunker):
    """Passages by one splitter of a text, and their children by another.

    `children` None: each passage is its own child.
    """

    parents: SpanSplitter
    children: SpanSplitter | None
    table_chars: int
    child_chars: int

    def split(self, text: str) -> Iterator[Sequence[Span]]:
        """The passages of `text`, each as its children."""
        for start, end in self.parents(text):
            if self.children is None:
                yield [(start, end)]
            else:
                yield _moved(self.children(text[start:end]), start)


def make_chunker(settings: WebSettings) -> Chunker:
    """The chunker of `settings.chunking`."""
    size = settings.parent_size
    overlap = settings.parent_overlap
    table_chars = settings.table_chars
    children: SpanSplitter | None = None
    match settings.chunking:
        case Chunking.SENTENCES:
            return SentenceChunker(size, settings.child_size, table_chars)
        case Chunking.PARENT_CHILD:
            parents = windows(size, overlap, len)
            children = windows(settings.child_size, 0, len)
        case Chunking.SENTENCE_GROUPS:
            parents = sentence_groups(size // _GROUP)
        case Chunking.HEADERS:
            parents = headed_sections(windows(size, overlap, count_tokens))
        case Chunking.TOKENS:
            parents = windows(size, overlap, count_tokens)
    return PassageSplitter(parents, children, table_chars, child_chars=table_chars)


def count_tokens(text: str) -> int:
    """The number of pieces of `text` about as long as a subword tokenizer's."""
    return len(_TOKEN.findall(text))


def windows(size: int, overlap: int, length: Length) -> SpanSplitter:
    """A splitter into windows of at most `size` by langchain's recursive splitter.

    db3 (section 2.2) splits by characters, bumblebee7 (5.2.2) and dragonrangers (3.2) by tokens.

    Args:
        size: maximum length of a window.
        overlap: maximum length of the words before a window that it repeats, part of `size`.
        length: the length of a text.
    """
    # imported here: it takes half a second, and the default chunker does not need it
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        separators=_SEPARATORS,
        is_separator_regex=True,
        keep_separator="end",
        chunk_size=size - overlap,
        chunk_overlap=0,
        length_function=length,
        add_start_index=True,
    )

    def split(text: str) -> Sequence[Span]:
        spans = _library_spans(splitter, text)
        return _overlapping(text, spans, overlap, length) if overlap else spans

    return split


def _library_spans(splitter: "TextSplitter", text: str) -> list[Span]:
    """The (start, end) of the library's chunks of `text`, without the white space around them.

    The library searches each chunk from the end of the one before, less the overlap. Without an
    overlap only white space lies between the two, so that the index is exact. With one it would be
    wrong where text repeats, and where lengths are not in characters.

    Raises:
        ValueError: the library's start index is not that of its chunk.
    """
    spans: list[Span] = []
    for document in splitter.create_documents([text]):
        chunk = document.page_content
        start = document.metadata["start_index"]
        if not text.startswith(chunk, start) or start < 0:
            raise ValueError(f"langchain's chunk does not start at {start}: {chunk[:50]!r}")
        spans.append((start, start + len(chunk)))
    return spans


def _overlapping(text: str, spans: Sequence[Span], overlap: int, length: Length) -> list[Span]:
    """`spans`, each with the last words of the span before, at most `overlap` long together."""
    extended = list(spans[:1])
    for (previous_start, _), (start, end) in pairwise(spans):
        room = overlap
        first = start
        for word in reversed(list(_WORD.finditer(text, previous_start, start))):
            room -= length(word[0])
            if room < 0:
                break
            first = word.start()
        extended.append((first, end))
    return extended


def headed_sections(split_section: SpanSplitter) -> SpanSplitter:
    """A splitter into sections, each from a Markdown heading to the next one, and of these.

    A heading without text below it stays with the next section; bumblebee7 (section 5.2.2) drops
    it. langchain's MarkdownHeaderTextSplitter returns no start indices and changes white space.
    """
    from langchain_text_splitters import CharacterTextSplitter

    splitter = CharacterTextSplitter(
        separator=_BEFORE_HEADING,
        is_separator_regex=True,
        keep_separator="end",
        chunk_size=1,  # section
        chunk_overlap=0,
        length_function=lambda _: 1,
        add_start_index=True,
    )

    def split(text: str) -> list[Span]:
        spans: list[Span] = []
        sections = _library_spans(splitter, text)
        headings: int | None = None  # where headings without text begin, which come next
        for start, end in sections:
            if headings is None:
                headings = start
            is_last = end == sections[-1][1]
            if is_last or not _BARE_HEADING.fullmatch(text, start, end):
                spans += _moved(split_section(text[headings:end]), headings)
                headings = None
        return spans

    return split


def _moved(spans: Sequence[Span], offset: int) -> list[Span]:
    """`spans` of a part of a text, in the text: the part starts at `offset`."""
    return [(offset + start, offset + end) for start, end in spans]


def sentence_groups(size: int) -> SpanSplitter:
    """A splitter into groups of three of blingfire's sentences (electricsheep, section 4.1).

    A question is grouped with what follows it, up to three times `size` characters. A sentence
    longer than `size` is divided between words, and its parts count as sentences: the paper's code
    drops what follows the first.
    """
    from blingfire import text_to_sentences_and_offsets  # type: ignore[import-untyped]

    def split(text: str) -> list[Span]:
        if not text.strip():
            return []
        groups: list[list[Span]] = []
        for sentence in _blingfire_sentences(text, text_to_sentences_and_offsets):
            for part in split_span(text, sentence, size):
                if not groups or _begins_group(text, groups[-1], part, size):
                    groups.append([])
                groups[-1].append(part)
        return [(group[0][0], group[-1][1]) for group in groups]

    return split


def _blingfire_sentences(text: str, offsets_of: OffsetsOf) -> Iterator[Span]:
    """The (start, end) of each sentence of `text`, which is read in parts of `MAX_CHARS`."""
    for part_start, part_end in split_span(text, (0, len(text)), MAX_CHARS):
        for start, end in offsets_of(text[part_start:part_end])[1]:
            if start < end:
                yield part_start + start, part_start + end


def _begins_group(text: str, group: Sequence[Span], sentence: Span, size: int) -> bool:
    """Whether `sentence` does not belong to the group before it."""
    start, end = sentence
    first_start, first_end = group[0]
    if is_question(text[first_start:first_end]):
        return end - first_start > size * _GROUP
    return len(group) == _GROUP or is_question(text[start:end])


def is_question(sentence: str) -> bool:
    """Whether the text ends or begins like a question (electricsheep, appendix B)."""
    if sentence.rstrip().endswith("?"):
        return True
    words = sentence.lower().split(maxsplit=1)
    return bool(words) and words[0] in _QUESTION_WORDS
