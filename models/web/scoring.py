"""Scores passages: BM25 for all children, cosines for the best of them, then a reranker."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.load_shedding import GivenUp
from models.ranking.lexical import bm25, count_terms, idf, terms_of
from models.ranking.protocol import Embedder, Floats, Reranker, rows_until, scores_until
from models.records import Passage
from models.web.candidates import children_of
from models.web.chunking import Chunk
from models.web.context import signed
from models.web.page import PageText
from models.web.retrieved import Retrieved
from utils.deadline import Deadline

# The weight of a word that occurs only in the page's title, relative to one in the child.
TITLE_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class ScoringSettings:
    """How much work scoring does; the first five fields are those of `WebSettings`.

    Attributes:
        dense: whether children are embedded, if there is an embedder.
        rerank: whether passages are reranked, if there is a reranker.
    """

    lexical_cut: int = 16
    lexical_weight: float = 1.0
    recall_k: int = 50
    keep: int = 20
    dense: bool = True
    rerank: bool = True

    def after(self, given_up: GivenUp) -> "ScoringSettings":
        """Cheaper settings: the stages after one that ran out of time are skipped."""
        if given_up is GivenUp.PAGES:
            return replace(self, dense=False, rerank=False)
        return replace(self, rerank=False) if given_up is GivenUp.DENSE else self


@dataclass(frozen=True)
class Scorer:
    """Finds passages by their children: by BM25 and, for the best of these, by embeddings.

    Embedding takes nearly all of the time, so few children are embedded. Without an embedder the
    scores are lexical. Embedding and reranking process the best items first and stop at the
    deadline; items that they do not reach keep their previous order.
    """

    embedder: Embedder | None = None
    reranker: Reranker | None = None

    def passages(
        self,
        query: str,
        chunks: Sequence[Chunk],
        found: Retrieved,
        settings: ScoringSettings,
        deadline: Deadline,
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
        cut = order[: settings.lexical_cut] if settings.lexical_cut else order
        cosines = self._cosines(query, [kids[i] for i in cut], found, settings, deadline)
        if len(cosines) < len(cut) and self.embedder is not None:
            found.gave_up(GivenUp.DENSE)
            settings = settings.after(GivenUp.DENSE)
        if len(cosines):
            cut = cut[: len(cosines)]
            fused = cosines + settings.lexical_weight * _scaled(scores[cut])
            # embedded children come first; the others follow in lexical order
            scores = scores / max(float(scores.max()), 1.0) + float(fused.min()) - 2.0
            scores[cut] = fused
            order = np.concatenate([cut[np.argsort(-fused, kind="stable")], order[len(cut) :]])
        best: dict[int, float] = {}
        for i in order[: settings.recall_k]:
            best.setdefault(owners[i], float(scores[i]))
        passages = [replace(chunks[i].passage, score=score) for i, score in best.items()]
        return self._reranked(query, passages, found, settings, deadline)[: settings.keep]

    def _cosines(
        self,
        query: str,
        texts: Sequence[str],
        found: Retrieved,
        settings: ScoringSettings,
        deadline: Deadline,
    ) -> Floats:
        """The cosines of as many of the first texts as time allows."""
        if self.embedder is None or not settings.dense:
            return np.zeros(0, dtype=np.float32)
        with found.stage("embed", deadline):
            rows = rows_until(self.embedder, texts, deadline)
            found.counts["embedded"] = len(rows)
            if not len(rows):
                return np.zeros(0, dtype=np.float32)
            return np.asarray(rows @ self.embedder.embed_query(query), dtype=np.float32)

    def _reranked(
        self,
        query: str,
        passages: list[Passage],
        found: Retrieved,
        settings: ScoringSettings,
        deadline: Deadline,
    ) -> list[Passage]:
        if self.reranker is None:
            return passages
        if not settings.rerank:
            found.gave_up(GivenUp.RERANK)
            return passages
        with found.stage("rerank", deadline):
            texts = [signed(passage, found.texts) for passage in passages]
            scores = scores_until(self.reranker, query, texts, deadline)
        scored = list(zip(passages, map(float, scores), strict=True))
        done = [replace(passage, score=score) for passage, score in scored if score == score]
        late = [passage for passage, score in scored if score != score]
        found.counts["reranked"] = len(done)
        if late:
            found.gave_up(GivenUp.RERANK)
        floor = min((passage.score for passage in done), default=0.0)
        done.sort(key=lambda passage: -passage.score)
        return done + [replace(passage, score=floor) for passage in late]


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
    if not terms:
        return np.zeros(len(kids), dtype=np.float32)
    counts, lengths = count_terms(terms, kids)
    titled, _ = count_terms(terms, [page.title for page in texts.values()])
    place = {index: column for column, index in enumerate(texts)}
    in_title = titled[:, [place[page] for page in pages]] > 0
    only_there = in_title & (counts == 0)
    scores = bm25(counts, lengths) + TITLE_WEIGHT * (idf(counts) @ only_there)
    return np.asarray(scores, dtype=np.float32)


def _scaled(scores: Floats) -> Floats:
    top = float(scores.max(initial=0.0))
    return scores / top if top > 0 else scores
