"""What scores texts against a query."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Embedder(Protocol):
    def embed(self, texts: Sequence[str]) -> Floats:
        """One row of unit length a text: float32[n, d]."""
        ...


class Reranker(Protocol):
    def score(self, query: str, texts: Sequence[str]) -> Floats:
        """How well each text answers `query`, higher is better: float32[n]."""
        ...
