"""Selects the pages of a question that are read, and the chunks that are ranked."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from models.ranking.lexical import LexicalReranker
from models.ranking.protocol import Reranker, scores_until
from models.records import Page, Question
from models.web.chunking import Chunk
from models.web.decoding import is_blank
from utils.deadline import Deadline


class Chosen(NamedTuple):
    """Indices of the pages to read, the likeliest first; `late`: not all could be scored."""

    pages: list[int]
    late: bool = False


class PageFilter(Protocol):
    def choose(self, question: Question, deadline: Deadline) -> Chosen:
        """The pages of `question` to read.

        Pages without HTML and duplicates are never among them.
        """
        ...


class NoPrefilter:
    """Reads every page in search order: extraction is so fast that selecting pages is not
    worthwhile."""

    def choose(self, question: Question, deadline: Deadline) -> Chosen:
        return Chosen(_distinct(question.pages))


@dataclass(frozen=True)
class RankedPages:
    """The best `keep` pages by the text that `sign` returns for them (db3, section 3.1: snippets).

    The ranker scores them in BM25 order; pages that it does not reach in time keep that order.
    """

    ranker: Reranker
    keep: int
    sign: Callable[[Page], str]

    def choose(self, question: Question, deadline: Deadline) -> Chosen:
        indices = _distinct(question.pages)
        if len(indices) <= self.keep:
            return Chosen(indices)
        signs = [self.sign(question.pages[index]) for index in indices]
        order = np.argsort(-LexicalReranker().score(question.text, signs), kind="stable")
        said = scores_until(self.ranker, question.text, [signs[i] for i in order], deadline)
        late = np.isnan(said)
        ranked = order[np.argsort(np.where(late, np.inf, -said), kind="stable")]
        return Chosen([indices[i] for i in ranked[: self.keep]], bool(late.any()))


def snippet(page: Page) -> str:
    return f"{page.name}\n{page.snippet}"


def title(page: Page) -> str:
    return page.name


def _distinct(pages: Sequence[Page]) -> list[int]:
    unique: dict[str, int] = {}
    for index, page in enumerate(pages):
        if not is_blank(page.html):
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
