"""Contracts of embedders and rerankers."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from utils.deadline import Deadline

Floats = NDArray[np.float32]


class Embedder(Protocol):
    def embed(self, texts: Sequence[str]) -> Floats:
        """One row of unit length per text: float32[n, d]."""
        ...

    def embed_query(self, query: str) -> Floats:
        """The query's row, float32[d], with the instruction that the model requires before it."""
        ...


@runtime_checkable
class BoundedEmbedder(Protocol):
    """An embedder that stops at a deadline."""

    def embed_until(self, texts: Sequence[str], deadline: Deadline) -> Floats:
        """As `Embedder.embed`, for as many of the first texts as time allows."""
        ...


class Reranker(Protocol):
    def score(self, query: str, texts: Sequence[str]) -> Floats:
        """How well each text answers `query`, higher is better: float32[n]."""
        ...


@runtime_checkable
class BoundedReranker(Protocol):
    """A slow reranker: it scores texts in the given order until the deadline."""

    def score_until(self, query: str, texts: Sequence[str], deadline: Deadline) -> Floats:
        """As `Reranker.score`; NaN for each text that the deadline prevented."""
        ...


def rows_until(embedder: Embedder, texts: Sequence[str], deadline: Deadline) -> Floats:
    """The rows of as many of the first texts as time allows; all or none if `embedder` cannot
    stop."""
    if isinstance(embedder, BoundedEmbedder):
        return embedder.embed_until(texts, deadline)
    return np.zeros((0, 0), dtype=np.float32) if deadline.expired else embedder.embed(texts)


def scores_until(
    reranker: Reranker, query: str, texts: Sequence[str], deadline: Deadline
) -> Floats:
    """The scores of `texts`, NaN where time was short; all of them if `reranker` takes no
    deadline."""
    if isinstance(reranker, BoundedReranker):
        return reranker.score_until(query, texts, deadline)
    return reranker.score(query, texts)
