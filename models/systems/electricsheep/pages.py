"""electricsheep's references from web pages: text chunks and tables, each best first (§4.1)."""

from dataclasses import dataclass

from models.records import Passage
from models.systems.web_passages import WebPassages
from models.web.page import PageText


@dataclass(frozen=True, slots=True)
class PageReferences:
    """The references from a question's pages, best first, each below its page's title."""

    chunks: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether there are any."""
        return bool(self.chunks or self.tables)


def page_references(read: WebPassages, chunks: int) -> PageReferences:
    """The best `chunks` of text, and all tables, in groups of rows below their header."""
    texts: list[str] = []
    tables: list[str] = []
    for passage, text in zip(read.passages, read.texts, strict=True):
        kind = tables if in_table(passage, read.pages[passage.page]) else texts
        kind.append(text.strip())
    return PageReferences(tuple(texts[:chunks]), tuple(tables))


def in_table(passage: Passage, page: PageText) -> bool:
    """Whether the passage is a table of the page, or a part of one."""
    return any(start <= passage.start and passage.end <= end for start, end in page.tables)
