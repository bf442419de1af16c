"""An embedder for tests: a text's direction is the words that it has."""

from collections.abc import Sequence

import numpy as np

from models.ranking.protocol import Floats
from tests.models.systems.clocks import Clock
from utils.text import content_words, stem

WIDTH = 256


class CountingEmbedder:
    """Counts the texts that it embeds, and moves a clock by `seconds` for each."""

    def __init__(self, clock: Clock | None = None, seconds: float = 0.0) -> None:
        self.embedded: list[str] = []
        self._clock = clock or Clock()
        self._seconds = seconds

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row of unit length per text: float32[n, d]."""
        self.embedded += texts
        self._clock.after(self._seconds * len(texts), None)
        rows = np.full((len(texts), WIDTH), 1e-6, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in content_words(text):
                column = sum(stem(word).encode()) * 31 % WIDTH
                row[column] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, query: str) -> Floats:
        """The query's row, float32[d]."""
        return self.embed([query])[0]
