"""Selects the pages of a question that are read, and the chunks that are ranked."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from models.ranking.lexical import LexicalReranker
from models.ranking.protocol import Reranker
from models.records import Page, Question
from models.web.chunking import Chunk
from utils.deadline import Deadline


@dataclass(frozen=True)
class PageSelector:
    """Selects the best `keep` pages by a short text of each (db3, section 3.1: their snippets).

    The ranker scores the texts in BM25 order; pages that it does not reach in time keep that order.
    """

    ranker: Reranker
    keep: int
    short_text: Callable[[Page], str]

    def select(
        self, question: Question, pages: Sequence[int], deadline: Deadline
    ) -> tuple[list[int], bool]:
        """The best of `pages`, indices into the question's; and whether not all were scored."""
        if len(pages) <= self.keep:
            return list(pages), False
        texts = [self.short_text(question.pages[index]) for index in pages]
        bm25_scores = LexicalReranker().score(question.plain, texts)
        bm25_order = np.argsort(-bm25_scores, kind="stable")
        scores = self.ranker.score(question.plain, [texts[i] for i in bm25_order], deadline)
        order = bm25_order[np.argsort(-scores, kind="stable")]  # NaN comes last
        best = [pages[i] for i in order[: self.keep]]
        return best, bool(np.isnan(scores).any())


def snippet(page: Page) -> str:
    """The name of `page`, and below it the search engine's snippet."""
    return f"{page.name}\n{page.snippet}"


def title(page: Page) -> str:
    """The name of `page`."""
    return page.name


def distinct_pages(pages: Sequence[Page]) -> list[int]:
    """The indices of `pages`, without those that have no HTML, or that of an earlier page."""
    index_by_html: dict[str, int] = {}
    for index, page in enumerate(pages):
        if page.html.strip():
            index_by_html.setdefault(page.html, index)
    return list(index_by_html.values())


def distinct_chunks(chunks: Iterable[Chunk]) -> list[Chunk]:
    """`chunks` without those whose text occurred before, on the same or another page."""
    chunk_by_text: dict[str, Chunk] = {}
    for chunk in chunks:
        chunk_by_text.setdefault(chunk.passage.text, chunk)
    return list(chunk_by_text.values())


def children_of(chunks: Sequence[Chunk]) -> tuple[list[int], list[str]]:
    """The index of each distinct child's first chunk, and the texts of these children."""
    chunk_by_child: dict[str, int] = {}
    for index, chunk in enumerate(chunks):
        for start, end in chunk.children:
            chunk_by_child.setdefault(chunk.passage.text[start:end].strip(), index)
    return list(chunk_by_child.values()), list(chunk_by_child)
