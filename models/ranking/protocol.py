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
