"""What scores texts against a query."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from utils.deadline import Deadline

Floats = NDArray[np.float32]


class Embedder(Protocol):
    def embed(self, texts: Sequence[str]) -> Floats:
        """One row of unit length a text: float32[n, d]."""
        ...

    def embed_query(self, query: str) -> Floats:
        """The query's row, float32[d], with the instruction that the model wants before it."""
        ...


@runtime_checkable
class BoundedEmbedder(Protocol):
    """An embedder that can stop in time."""

    def embed_until(self, texts: Sequence[str], deadline: Deadline) -> Floats:
        """As `Embedder.embed`, of the first texts, as many as there is time for."""
        ...


class Reranker(Protocol):
    def score(self, query: str, texts: Sequence[str]) -> Floats:
        """How well each text answers `query`, higher is better: float32[n]."""
        ...


@runtime_checkable
class BoundedReranker(Protocol):
    """A reranker slow enough to be bounded: it scores in the order given, while there is time."""

    def score_until(self, query: str, texts: Sequence[str], deadline: Deadline) -> Floats:
        """As `Reranker.score`; NaN for each text that the deadline came before."""
        ...


def rows_until(embedder: Embedder, texts: Sequence[str], deadline: Deadline) -> Floats:
    """The rows of the first texts, of as many as there is time for; all or none where `embedder`
    cannot stop."""
    if isinstance(embedder, BoundedEmbedder):
        return embedder.embed_until(texts, deadline)
    return np.zeros((0, 0), dtype=np.float32) if deadline.expired else embedder.embed(texts)


def scores_until(
    reranker: Reranker, query: str, texts: Sequence[str], deadline: Deadline
) -> Floats:
    """The scores of `texts`, NaN for what there is no time for; all where `reranker` is so fast
    that it knows no deadline."""
    if isinstance(reranker, BoundedReranker):
        return reranker.score_until(query, texts, deadline)
    return reranker.score(query, texts)
