"""Scores passages: BM25 for all children, cosines for the best of them, then a reranker."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from models.load_shedding import GivenUp, Pace
from models.ranking.embedders import embed_until
from models.ranking.lexical import bm25, count_terms, idf, terms_of
from models.ranking.protocol import Embedder, Floats, Reranker
from models.records import Passage
from models.web.candidates import children_of
from models.web.chunking import Chunk
from models.web.context import signed
from models.web.page import PageText
from models.web.retrieved import Retrieved
from models.web.settings import WebSettings
from utils.deadline import Deadline

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
        self, query: str, chunks: Sequence[Chunk], found: Retrieved, deadline: Deadline
    ) -> list[Passage]:
        """The passages of the best children, best first; adds counts and seconds to `found`."""
        owners, kids = children_of(chunks)
        found.counts["chunks"], found.counts["children"] = len(chunks), len(kids)
        if not kids:
            return []
        with found.stage("lexical", deadline):
            pages = [chunks[i].passage.page for i in owners]
            scores = lexical_scores(pages, kids, query, found.texts)
            order = np.argsort(-scores, kind="stable")
        cut = order[: self.settings.lexical_cut or None]
        cosines = self._cosines(query, [kids[i] for i in cut], found, deadline)
        if len(cosines):
            cut = cut[: len(cosines)]
            top = float(scores.max())
            fused = cosines + self.settings.lexical_weight * (scores[cut] / (top or 1.0))
            # embedded children come first; the others follow in lexical order
            scores = scores / max(top, 1.0) + float(fused.min()) - 2.0
            scores[cut] = fused
            order = np.concatenate([cut[np.argsort(-fused, kind="stable")], order[len(cut) :]])
        best: dict[int, float] = {}
        for i in order[: self.settings.recall_k]:
            best.setdefault(owners[i], float(scores[i]))
        passages = [replace(chunks[i].passage, score=score) for i, score in best.items()]
        return self._reranked(query, passages, found, deadline)[: self.settings.rerank_k]

    def _cosines(
        self, query: str, texts: Sequence[str], found: Retrieved, deadline: Deadline
    ) -> Floats:
        """The cosines of as many of the first texts as time allows; none if it was short before."""
        cosines = np.zeros(0, dtype=np.float32)
        if self.embedder is None:
            return cosines
        if GivenUp.PAGES not in found.given_up:
            with found.stage("embed", deadline):
                rows = embed_until(self.embedder, texts, deadline, self._pace)
                found.counts["embedded"] = len(rows)
                if len(rows):
                    cosines = rows @ self.embedder.embed_query(query)
        if len(cosines) < len(texts):
            found.gave_up(GivenUp.DENSE)
        return cosines

    def _reranked(
        self, query: str, passages: list[Passage], found: Retrieved, deadline: Deadline
    ) -> list[Passage]:
        """`passages` by the reranker; as they are if there is none, or if time was short before."""
        if self.reranker is None:
            return passages
        if not {GivenUp.PAGES, GivenUp.DENSE}.isdisjoint(found.given_up):
            found.gave_up(GivenUp.RERANK)
            return passages
        with found.stage("rerank", deadline):
            texts = [signed(passage, found.texts) for passage in passages]
            scores = self.reranker.score(query, texts, deadline)
        late = np.isnan(scores)
        found.counts["reranked"] = int(np.sum(~late))
        if late.any():
            found.gave_up(GivenUp.RERANK)
        order = np.argsort(-scores, kind="stable")  # NaN comes last
        scores[late] = min(scores[~late], default=0.0)
        return [replace(passages[i], score=float(scores[i])) for i in order]


def lexical_scores(
    pages: Sequence[int], kids: Sequence[str], query: str, texts: dict[int, PageText]
) -> Floats:
    """The BM25 scores of children; words that occur only in their page's title have a lower weight.

    Args:
        pages: the index of each child's page.
        kids: the children's texts.
        query: the question.
        texts: the pages, by index.
    """
    terms = terms_of(query)
    counts, lengths = count_terms(terms, kids)
    titled, _ = count_terms(terms, [page.title for page in texts.values()])
    place = {index: column for column, index in enumerate(texts)}
    in_title = titled[:, [place[page] for page in pages]] > 0
    only_there = in_title & (counts == 0)
    scores = bm25(counts, lengths) + TITLE_WEIGHT * (idf(counts) @ only_there)
    return np.asarray(scores, dtype=np.float32)
