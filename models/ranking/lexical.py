"""BM25 over the texts at hand: no weights."""

from collections.abc import Sequence

import numpy as np
from rank_bm25 import BM25Plus

from models.ranking.protocol import Floats
from utils.text import content_words


class LexicalReranker:
    """Scores by BM25, the texts themselves being the corpus; 0 where no word of the query stands.

    BM25+ with its delta at 0 is BM25 with an idf that is never negative, as small corpora need.
    """

    def score(self, query: str, texts: Sequence[str]) -> Floats:
        corpus = [content_words(text) for text in texts]
        wanted = content_words(query)
        if not any(corpus):  # an average length of 0 would be divided by
            return np.zeros(len(texts), dtype=np.float32)
        return np.asarray(BM25Plus(corpus, delta=0).get_scores(wanted), dtype=np.float32)
