"""BM25 over the texts at hand: no weights."""

from collections.abc import Sequence

import bm25s
import numpy as np

from models.ranking.protocol import Floats
from utils.text import content_words


class LexicalReranker:
    """Scores by BM25, the texts themselves being the corpus."""

    def score(self, query: str, texts: Sequence[str]) -> Floats:
        corpus = [content_words(text) for text in texts]
        vocabulary = {word for document in corpus for word in document}
        wanted = [word for word in content_words(query) if word in vocabulary]
        if not wanted:
            return np.zeros(len(texts), dtype=np.float32)
        index = bm25s.BM25()
        index.index(corpus, show_progress=False)
        return np.asarray(index.get_scores(wanted), dtype=np.float32)
