"""Candidates: which pages of a question are read, and which chunks of these are ranked."""

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
    """Pages to read, by their index, the likeliest first; `late`: not all could be scored."""

    pages: list[int]
    late: bool = False


class PageFilter(Protocol):
    def choose(self, question: Question, deadline: Deadline) -> Chosen:
        """The pages of `question` to read.

        Pages without HTML, and pages that stood before, are never among them.
        """
        ...


class NoPrefilter:
    """Reads every page, as the search ranks them: extraction is so cheap that looking beats
    guessing."""

    def choose(self, question: Question, deadline: Deadline) -> Chosen:
        return Chosen(_distinct(question.pages))


@dataclass(frozen=True)
class RankedPages:
    """The best `keep` pages by what `sign` shows of them (db3, section 3.1: their snippets).

    The ranker scores them in the order of BM25, which those keep that it does not come to in time.
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
    """`chunks` without those whose text stood before, on this page or another."""
    kept: dict[str, Chunk] = {}
    for chunk in chunks:
        kept.setdefault(chunk.passage.text, chunk)
    return list(kept.values())


def children_of(chunks: Sequence[Chunk]) -> tuple[list[int], list[str]]:
    """The children of all chunks, each text once, and the index of the chunk each belongs to."""
    kids: dict[str, int] = {}
    for i, chunk in enumerate(chunks):
        for start, end in chunk.children:
            kids.setdefault(chunk.passage.text[start:end].strip(), i)
    return list(kids.values()), list(kids)
