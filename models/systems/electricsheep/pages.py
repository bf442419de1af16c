"""electricsheep's references from web pages: text chunks and tables, each best first (§4.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.records import Passage, Question
from models.runtime.ledger import Ledger
from models.systems.web_passages import web_passages
from models.web.page import PageText
from models.web.retriever import Retriever
from utils.deadline import Deadline


@dataclass(frozen=True, slots=True)
class PageReferences:
    """The references from a question's pages, best first, each below its page's title."""

    chunks: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()

    @property
    def found(self) -> bool:
        """Whether there are any."""
        return bool(self.chunks or self.tables)


def read_pages(
    retriever: Retriever,
    questions: Sequence[Question],
    deadline: Deadline,
    answers: Ledger,
    *,
    chunks: int,
) -> list[PageReferences]:
    """The best `chunks` of text, and all tables, in groups of rows below their header; see
    `web_passages`."""
    found = []
    for read in web_passages(retriever, questions, deadline, answers):
        texts: list[str] = []
        tables: list[str] = []
        for passage, text in zip(read.passages, read.texts, strict=True):
            kind = tables if in_table(passage, read.pages[passage.page]) else texts
            kind.append(text.strip())
        found.append(PageReferences(tuple(texts[:chunks]), tuple(tables)))
    return found


def in_table(passage: Passage, page: PageText) -> bool:
    """Whether the passage is a table of the page, or a part of one."""
    return any(start <= passage.start and passage.end <= end for start, end in page.tables)
