"""An embedder for tests: a text's direction is the words that it has."""

from collections.abc import Sequence

import numpy as np

from models.ranking.protocol import Floats
from utils.text import content_words, stem

WIDTH = 256


class CountingEmbedder:
    """Counts the texts that it embeds."""

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> Floats:
        self.embedded += texts
        rows = np.full((len(texts), WIDTH), 1e-6, dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in content_words(text):
                row[sum(stem(word).encode()) * 31 % WIDTH] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, query: str) -> Floats:
        return self.embed([query])[0]
