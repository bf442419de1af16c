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
class RankedPages:
    """The best `keep` pages by the text that `sign` returns for them (db3, section 3.1: snippets).

    The ranker scores them in BM25 order; pages that it does not reach in time keep that order.
    """

    ranker: Reranker
    keep: int
    sign: Callable[[Page], str]

    def choose(
        self, question: Question, pages: Sequence[int], deadline: Deadline
    ) -> tuple[list[int], bool]:
        """The best of `pages`, indices into the question's; and whether not all were scored."""
        if len(pages) <= self.keep:
            return list(pages), False
        signs = [self.sign(question.pages[index]) for index in pages]
        order = np.argsort(-LexicalReranker().score(question.text, signs), kind="stable")
        scores = self.ranker.score(question.text, [signs[i] for i in order], deadline)
        ranked = order[np.argsort(-scores, kind="stable")]  # NaN comes last
        return [pages[i] for i in ranked[: self.keep]], bool(np.isnan(scores).any())


def snippet(page: Page) -> str:
    return f"{page.name}\n{page.snippet}"


def title(page: Page) -> str:
    return page.name


def distinct(pages: Sequence[Page]) -> list[int]:
    """The indices of `pages`, without those that have no HTML, or that of an earlier page."""
    unique: dict[str, int] = {}
    for index, page in enumerate(pages):
        if page.html.strip():
            unique.setdefault(page.html, index)
    return list(unique.values())


def unique(chunks: Iterable[Chunk]) -> list[Chunk]:
    """`chunks` without those whose text occurred before, on the same or another page."""
    kept: dict[str, Chunk] = {}
    for chunk in chunks:
        kept.setdefault(chunk.passage.text, chunk)
    return list(kept.values())


def children_of(chunks: Sequence[Chunk]) -> tuple[list[int], list[str]]:
    """The distinct children of all chunks, and the index of each child's chunk."""
    kids: dict[str, int] = {}
    for i, chunk in enumerate(chunks):
        for start, end in chunk.children:
            kids.setdefault(chunk.passage.text[start:end].strip(), i)
    return list(kids.values()), list(kids)
