"""From a question's pages to the passages that most likely hold its answer."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from models.load_shedding import GivenUp, Pace
from models.ranking.lexical import bm25, count_terms, idf, terms_of
from models.ranking.protocol import Embedder, Floats, Reranker, rows_until, scores_until
from models.records import Passage, Question
from models.web.beside import MANY, PATIENCE, Beside, Todo, taken
from models.web.chunking import Chunk, Chunker, SentenceChunker, cut_page
from models.web.context import signed
from models.web.extractors import Reader
from models.web.html import SelectolaxExtractor
from models.web.page import PageText
from models.web.prefilter import NoPrefilter, PageFilter
from models.web.raw import MAX_HTML_CHARS
from utils.deadline import Deadline

PASSAGES_KEPT = 20
LEAST_CHARS = 20_000
PREFILTER_SHARE = 0.25  # of the time, at most, for choosing pages
# Of the weight that a word has in a child, what it has where only the page's title holds it.
TITLE_WEIGHT = 0.5


@dataclass(slots=True)
class Retrieved:
    """What was found for one question, and what it took.

    Attributes:
        texts: the pages that were read, by their index.
        passages: best first.
        seconds: by stage, by the deadline's clock.
        counts: pages, chunks, children, embedded, reranked; and `broke:NAME` for what failed: an
            extractor, the chunker, the process beside this one.
        given_up: what was left out for lack of time (models/load_shedding.py).
    """

    texts: dict[int, PageText] = field(default_factory=dict)
    passages: list[Passage] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    given_up: list[GivenUp] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str, deadline: Deadline) -> Iterator[None]:
        start = deadline.clock()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + deadline.clock() - start

    def gave_up(self, what: GivenUp) -> None:
        if what not in self.given_up:
            self.given_up.append(what)


@dataclass(frozen=True)
class Retriever:
    """Finds children, by BM25 and, of the best of these, by embedding; they lead to passages.

    Embedding is nearly all of the time, so few children are embedded. Without an embedder the
    retrieval is lexical. Each stage takes the likeliest first, and as much as it needs of the time
    that is left: what it does not come to keeps the order it had, and a stage after it is left out.
    """

    reader: Reader = field(default_factory=lambda: Reader([SelectolaxExtractor()]))
    chunker: Chunker = field(default_factory=SentenceChunker)
    prefilter: PageFilter = field(default_factory=NoPrefilter)
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    beside: Beside | None = None
    lexical_cut: int = 16
    lexical_weight: float = 1.0
    recall_k: int = 50
    keep: int = PASSAGES_KEPT
    max_html_chars: int = MAX_HTML_CHARS
    pace: Pace = field(default_factory=Pace, compare=False)

    def retrieve(self, question: Question, deadline: Deadline) -> Retrieved:
        """The best passages of the question's pages; at the deadline, of what was read by then."""
        found = Retrieved()
        with found.stage("prefilter", deadline):
            share = deadline.sooner(deadline.remaining() * PREFILTER_SHARE)
            chosen = self.prefilter.choose(question, share)
        if chosen.late:
            found.gave_up(GivenUp.RERANK)
        sizes = {i: self._size(question.pages[i].html) for i in chosen.pages}
        chunks = self._share(question, sizes, found, deadline)
        found.texts = {i: found.texts[i] for i in sizes if i in found.texts}
        if len(found.texts) < len(sizes):
            found.gave_up(GivenUp.PAGES)
        found.counts["pages"] = len(found.texts)
        in_order = [chunk for index in found.texts for chunk in chunks[index]]
        return self._rank(question.text, in_order, found, deadline)

    def _size(self, html: str) -> int:
        """What a page counts for: a short one no less than what any page costs."""
        return max(min(len(html), self.max_html_chars), LEAST_CHARS)

    def _share(
        self, question: Question, sizes: Todo, found: Retrieved, deadline: Deadline
    ) -> dict[int, list[Chunk]]:
        """Read of the pages in `sizes` what the time allows into `found`, together with the process
        beside this one where that pays; the chunks of each."""
        todo = sizes.copy()
        beside = self.beside if sum(sizes.values()) >= MANY else None
        helped = beside.help(question.pages, todo) if beside else None
        chunks = self._read(question, todo, found, deadline)
        todo.clear()
        if beside is None or helped is None:
            return chunks
        with found.stage("extract", deadline):
            came = helped.wait(deadline.remaining(), PATIENCE)
            is_stuck = not helped.done.done()
            if is_stuck:
                beside.close()
        for index, (text, cut, counts) in dict(helped.read).items():
            found.texts[index], chunks[index] = text, cut
            found.counts += counts
        if not came:
            found.counts["broke:beside"] += 1
            stuck = helped.stuck() if is_stuck else set()
            left = {i: size for i, size in sizes.items() if i not in chunks.keys() | stuck}
            chunks |= self._read(question, left, found, deadline)
        return chunks

    def _read(
        self, question: Question, todo: Todo, found: Retrieved, deadline: Deadline
    ) -> dict[int, list[Chunk]]:
        """Read of `todo`, in its order, what the time allows into `found`; the chunks of each."""
        chunks: dict[int, list[Chunk]] = {}
        for index in self.pace.in_time("pages", taken(todo), deadline, first=True):
            with found.stage("extract", deadline):
                found.texts[index] = self.reader.read(question.pages[index], found.counts)
            with found.stage("chunk", deadline):
                chunks[index] = cut_page(self.chunker, found.texts[index], index, found.counts)
        return chunks

    def rank(self, query: str, found: Retrieved, deadline: Deadline) -> Retrieved:
        """`found` with the passages of its texts, best first."""
        chunks: list[Chunk] = []
        with found.stage("chunk", deadline):
            for index, page in found.texts.items():
                chunks += cut_page(self.chunker, page, index, found.counts)
        return self._rank(query, chunks, found, deadline)

    def _rank(
        self, query: str, cut: Sequence[Chunk], found: Retrieved, deadline: Deadline
    ) -> Retrieved:
        chunks = unique(cut)
        found.counts["chunks"] = len(chunks)
        found.counts["children"] = sum(len(chunk.children) for chunk in chunks)
        if not chunks:
            return found
        passages = self._retrieve(query, chunks, found, deadline)
        if GivenUp.DENSE in found.given_up and self.reranker is not None:
            found.gave_up(GivenUp.RERANK)
        elif self.reranker is not None:
            with found.stage("rerank", deadline):
                passages = self._rerank(self.reranker, query, passages, found, deadline)
        found.passages = passages[: self.keep]
        return found

    def _retrieve(
        self, query: str, chunks: Sequence[Chunk], found: Retrieved, deadline: Deadline
    ) -> list[Passage]:
        """The passages of the best `recall_k` children, best first."""
        owners, kids = _children(chunks)
        with found.stage("lexical", deadline):
            scores = _lexical([chunks[i].passage.page for i in owners], kids, query, found.texts)
            order = np.argsort(-scores, kind="stable")
        cut = order[: self.lexical_cut] if self.lexical_cut else order
        rows: Floats = np.zeros((0, 0), dtype=np.float32)
        if GivenUp.PAGES in found.given_up and self.embedder is not None:
            found.gave_up(GivenUp.DENSE)
        elif self.embedder is not None:
            with found.stage("embed", deadline):
                rows = rows_until(self.embedder, [kids[i] for i in cut], deadline)
                cosines = rows @ self.embedder.embed_query(query) if len(rows) else rows
            if len(rows) < len(cut):
                found.gave_up(GivenUp.DENSE)
                cut = cut[: len(rows)]
        if len(rows):
            found.counts["embedded"] = len(cut)
            fused = cosines + self.lexical_weight * _scaled(scores[cut])
            # what was not embedded comes after what was, in its lexical order
            scores = scores / max(float(scores.max()), 1.0) + float(fused.min()) - 2.0
            scores[cut] = fused
            order = np.concatenate([cut[np.argsort(-fused, kind="stable")], order[len(cut) :]])
        best: dict[int, float] = {}
        for i in order[: self.recall_k]:
            best.setdefault(owners[i], float(scores[i]))
        return [replace(chunks[i].passage, score=score) for i, score in best.items()]

    def _rerank(
        self,
        reranker: Reranker,
        query: str,
        passages: list[Passage],
        found: Retrieved,
        deadline: Deadline,
    ) -> list[Passage]:
        texts = [signed(passage, found.texts) for passage in passages]
        scores = scores_until(reranker, query, texts, deadline)
        done = [replace(p, score=float(s)) for p, s in zip(passages, scores, strict=True) if s == s]
        late = [p for p, s in zip(passages, scores, strict=True) if s != s]
        found.counts["reranked"] = len(done)
        if late:
            found.gave_up(GivenUp.RERANK)
        floor = min((passage.score for passage in done), default=0.0)
        done.sort(key=lambda passage: -passage.score)
        return done + [replace(passage, score=floor) for passage in late]


def unique(chunks: Iterable[Chunk]) -> list[Chunk]:
    """`chunks` without those whose text stood before, on this page or another."""
    kept: dict[str, Chunk] = {}
    for chunk in chunks:
        kept.setdefault(chunk.passage.text, chunk)
    return list(kept.values())


def _children(chunks: Sequence[Chunk]) -> tuple[list[int], list[str]]:
    """The children of all chunks, each text once, and the index of the chunk each belongs to."""
    kids: dict[str, int] = {}
    for i, chunk in enumerate(chunks):
        for start, end in chunk.children:
            kids.setdefault(chunk.passage.text[start:end].strip(), i)
    return list(kids.values()), list(kids)


def _lexical(
    pages: Sequence[int], kids: Sequence[str], query: str, texts: dict[int, PageText]
) -> Floats:
    """The BM25 scores of children; what only their page's title holds counts for less."""
    terms = terms_of(query)
    if not terms:
        return np.zeros(len(kids), dtype=np.float32)
    counts, lengths = count_terms(terms, kids)
    indices = list(texts)
    titled, _ = count_terms(terms, [texts[i].title for i in indices])
    place = {index: column for column, index in enumerate(indices)}
    in_title = titled[:, [place[page] for page in pages]] > 0
    only_there = in_title & (counts == 0)
    scores = bm25(counts, lengths) + TITLE_WEIGHT * (idf(counts) @ only_there)
    return np.asarray(scores, dtype=np.float32)


def _scaled(scores: Floats) -> Floats:
    top = float(scores.max(initial=0.0))
    return scores / top if top > 0 else scores
