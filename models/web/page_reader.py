"""Reads pages sequentially, from HTML to chunks."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from models.records import Page
from models.web.chunking import Chunk, Chunker, SentenceChunker
from models.web.extractors import HtmlReader, make_reader
from models.web.html import SelectolaxExtractor
from models.web.page import PageText
from models.web.settings import WebSettings
from models.web.splitters import make_chunker
from utils.deadline import Deadline


class PageRead(NamedTuple):
    """A page's text and chunks.

    Attributes:
        text: None if the page was skipped.
        counts: `broke:NAME` for each failure of a part, `empty:NAME` for an extractor without text.
    """

    text: PageText | None
    chunks: list[Chunk]
    counts: Counter[str]


def skipped(reason: str) -> PageRead:
    """A page that was skipped, counted as `broke:REASON`."""
    return PageRead(None, [], Counter({f"broke:{reason}": 1}))


class PageReader(Protocol):
    """Reads a question's pages, from HTML to chunks."""

    def read(
        self, pages: Sequence[Page], indices: Sequence[int], deadline: Deadline
    ) -> dict[int, PageRead]:
        """The pages with those indices, as far as they are read by the deadline, in order."""
        ...


@dataclass(frozen=True)
class InProcess:
    """Reads pages in this process: a slow page cannot be interrupted."""

    reader: HtmlReader = field(default_factory=lambda: HtmlReader([SelectolaxExtractor()]))
    chunker: Chunker = field(default_factory=SentenceChunker)

    def read(
        self, pages: Sequence[Page], indices: Sequence[int], deadline: Deadline
    ) -> dict[int, PageRead]:
        """The pages with those indices, as far as they are read by the deadline, in order."""
        done: dict[int, PageRead] = {}
        for index in indices:
            if deadline.expired:
                break
            try:
                done[index] = self.read_one(pages[index], index)
            except MemoryError:
                done[index] = skipped("memory limit")
        return done

    def read_one(self, page: Page, index: int) -> PageRead:
        """The text and the chunks of `page`, which has this index.

        Raises:
            MemoryError: the page needs more memory than is available.
        """
        counts: Counter[str] = Counter()
        text = self.reader.read(page, counts)
        try:
            chunks = self.chunker.chunk(text, index)
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001  (a third party's splitter, and there is a default one)
            counts["broke:chunker"] += 1
            chunks = SentenceChunker().chunk(text, index)
        return PageRead(text, chunks, counts)


def in_process(settings: WebSettings) -> InProcess:
    """The reader of `settings`."""
    return InProcess(make_reader(settings), make_chunker(settings))
