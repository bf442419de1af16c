"""Scores passages: BM25 for all children, cosines for the best of them, then a reranker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from models.load_shedding import GivenUp, Pace
from models.ranking.embedders import embed_until
from models.ranking.lexical import bm25, count_terms, idf, terms_of
from models.ranking.protocol import Embedder, Floats, Reranker
from models.records import Passage
from models.web.chunking import Chunk
from models.web.context import with_title
from models.web.page import PageText
from models.web.retrieved import Retrieved
from models.web.selection import children_of
from models.web.settings import WebSettings
from models.web.sides import with_both_sides
from utils.deadline import Deadline

Indices = NDArray[np.intp]

# The weight of a word that occurs only in the page's title, relative to one in the child.
TITLE_WEIGHT = 0.5


@dataclass(frozen=True)
class Scorer:
    """Finds passages by their children: by BM25 and, for the best of these, by embeddings.

    Embedding takes nearly all of the time, so few children are embedded. Without an embedder the
    scores are lexical. Embedding and reranking process the best items first and stop at the
    deadline; items that they do not reach keep their previous order.
    """

    embedder: Embedder | None = None
    reranker: Reranker | None = None
    settings: WebSettings = field(default_factory=WebSettings)
    _pace: Pace = field(default_factory=Pace, init=False)

    def passages(
        self, query: str, chunks: Sequence[Chunk], result: Retrieved, deadline: Deadline
    ) -> list[Passage]:
        """The passages of the best children, best first; adds counts and seconds to `result`."""
        owners, children = children_of(chunks)
        result.counts["chunks"] = len(chunks)
        result.counts["children"] = len(children)
        if not children:
            return []
        with result.stage("lexical", deadline):
            pages = [chunks[owner].passage.page for owner in owners]
            lexical = lexical_scores(pages, children, query, result.texts)
            order = np.argsort(-lexical, kind="stable")
        likeliest = order[: self.settings.lexical_cut or None]
        texts = [children[i] for i in likeliest]
        cosines = self._cosines(query, texts, result, deadline)
        scores = lexical
        if len(cosines):
            order, scores = self._fused(order, lexical, cosines)
        best: dict[int, float] = {}
        for i in order[: self.settings.recall_k]:
            best.setdefault(owners[i], float(scores[i]))
        passages = [replace(chunks[owner].passage, score=score) for owner, score in best.items()]
        passages = self._reranked(query, passages, result, deadline)
        if self.settings.both_sides:
            passages = with_both_sides(query, passages, result.texts)
        return passages[: self.settings.rerank_k]

    def _cosines(
        self, query: str, texts: Sequence[str], result: Retrieved, deadline: Deadline
    ) -> Floats:
        """The cosines of as many of the first texts as time allows; none if it was short before."""
        cosines = np.zeros(0, dtype=np.float32)
        if self.embedder is None:
            return cosines
        if GivenUp.PAGES not in result.given_up:
            with result.stage("embed", deadline):
                rows = embed_until(self.embedder, texts, deadline, self._pace)
                result.counts["embedded"] = len(rows)
                if len(rows):
                    cosines = rows @ self.embedder.embed_query(query)
        if len(cosines) < len(texts):
            result.gave_up(GivenUp.DENSE)
        return cosines

    def _fused(self, order: Indices, lexical: Floats, cosines: Floats) -> tuple[Indices, Floats]:
        """The children's order and scores by BM25 and cosines together.

        Embedded children come first; the others follow in lexical order.

        Args:
            order: the children in lexical order.
            lexical: the BM25 score of each child.
            cosines: of the first children in `order`.
        """
        embedded = order[: len(cosines)]
        top = float(lexical.max())
        fused = cosines + self.settings.lexical_weight * (lexical[embedded] / (top or 1.0))
        scores = lexical / max(top, 1.0) + float(fused.min()) - 2.0
        scores[embedded] = fused
        embedded_order = embedded[np.argsort(-fused, kind="stable")]
        return np.concatenate([embedded_order, order[len(cosines) :]]), scores

    def _reranked(
        self, query: str, passages: list[Passage], result: Retrieved, deadline: Deadline
    ) -> list[Passage]:
        """`passages` by the reranker; as they are if there is none, or if time was short before."""
        if self.reranker is None:
            return passages
        if GivenUp.PAGES in result.given_up or GivenUp.DENSE in result.given_up:
            result.gave_up(GivenUp.RERANK)
            return passages
        with result.stage("rerank", deadline):
            texts = [with_title(passage, result.texts) for passage in passages]
            scores = self.reranker.score(query, texts, deadline)
        late = np.isnan(scores)
        result.counts["reranked"] = int(np.sum(~late))
        if late.any():
            result.gave_up(GivenUp.RERANK)
        order = np.argsort(-scores, kind="stable")  # NaN comes last
        scores[late] = min(scores[~late], default=0.0)
        return [replace(passages[i], score=float(scores[i])) for i in order]


def lexical_scores(
    pages: Sequence[int], children: Sequence[str], query: str, texts: Mapping[int, PageText]
) -> Floats:
    """The BM25 scores of children; words that occur only in their page's title have a lower weight.

    Args:
        pages: the index of each child's page.
        children: their texts.
        query: the question.
        texts: the pages, by index.
    """
    terms = terms_of(query)
    counts, lengths = count_terms(terms, children)
    title_counts, _ = count_terms(terms, [page.title for page in texts.values()])
    column_by_page = {index: column for column, index in enumerate(texts)}
    in_title = title_counts[:, [column_by_page[page] for page in pages]] > 0
    only_in_title = in_title & (counts == 0)
    scores = bm25(counts, lengths) + TITLE_WEIGHT * (idf(counts) @ only_in_title)
    return np.asarray(scores, dtype=np.float32)
