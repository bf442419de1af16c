"""Contracts of embedders and rerankers."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from utils.deadline import Deadline

Floats = NDArray[np.float32]
NEVER = Deadline(float("inf"))


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how near they are."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row of unit length per text: float32[n, d]."""
        ...

    def embed_query(self, query: str) -> Floats:
        """The query's row, float32[d], with the instruction that the model requires before it."""
        ...


class Reranker(Protocol):
    """Scores texts for a query."""

    def score(self, query: str, texts: Sequence[str], deadline: Deadline = NEVER) -> Floats:
        """How well each text answers `query`, higher is better: float32[n].

        A slow reranker scores texts in the given order until the deadline; NaN for the others.
        """
        ...
