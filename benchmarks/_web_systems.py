"""Our web path and the reference; each runs in its own process, where its memory is measured."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from benchmarks._memory import peak_mb
from benchmarks._web_data import WebQuestion
from benchmarks._web_reference import Reference
from models.llm.budget import fit_passages
from models.ranking.embedders import SentenceTransformerEmbedder
from models.web.chunking import Chunk
from models.web.context import in_reading_order, with_title
from models.web.make_retriever import make_retriever
from models.web.page import PageText
from models.web.retrieved import Retrieved
from models.web.retriever import Retriever
from models.web.settings import WebSettings
from models.web.splitters import make_chunker
from utils.deadline import Deadline

BUDGETS = (4000, 10_000)  # characters of a context
SECONDS = 600  # for a question: no result may depend on speed
_embedder = cache(SentenceTransformerEmbedder)  # one per model
_reference = cache(Reference)


@dataclass(frozen=True, slots=True)
class Reply:
    """A question's contexts, and what they cost.

    Attributes:
        total: seconds.
        stages: seconds of each.
        embedded: the number of children.
        contexts: the text to answer from, by its budget of characters.
        peak_mb: of the process so far.
    """

    total: float
    stages: Mapping[str, float]
    embedded: int
    contexts: Mapping[int, str]
    peak_mb: float


def ours(model: str, settings: WebSettings, item: WebQuestion) -> Reply:
    """Our path; its settings share one embedder, and need none if they name none."""
    retriever = _retriever(model, settings)
    start = time.perf_counter()
    deadline = Deadline.after(SECONDS, time.perf_counter)
    if item.texts:
        result = _rank_texts(retriever, settings, item, deadline)
    else:
        result = retriever.retrieve(item.question, deadline)
    return Reply(
        total=time.perf_counter() - start,
        stages=result.seconds,
        embedded=result.counts["embedded"],
        contexts={budget: _context(result, budget) for budget in BUDGETS},
        peak_mb=peak_mb(),
    )


def reference(model: str, item: WebQuestion) -> Reply:
    """The reference."""
    system = _reference(model)
    start = time.perf_counter()
    texts = system.contexts(item)
    return Reply(
        total=time.perf_counter() - start,
        stages=dict(system.seconds),
        embedded=system.embedded,
        contexts={budget: "\n".join(texts)[:budget] for budget in BUDGETS},
        peak_mb=peak_mb(),
    )


@cache
def _retriever(model: str, settings: WebSettings) -> Retriever:
    embedder = _embedder(model) if settings.embedder else None
    return make_retriever(settings, embedder=embedder)


def _rank_texts(
    retriever: Retriever, settings: WebSettings, item: WebQuestion, deadline: Deadline
) -> Retrieved:
    """The best passages of the question's texts, each split as a page."""
    chunker = make_chunker(settings)
    pages: dict[int, PageText] = {}
    chunks: list[Chunk] = []
    for index, (title, text) in enumerate(item.texts):
        pages[index] = PageText(title, text)
        chunks += chunker.chunk(pages[index], index)
    return retriever.rank(item.question.text, chunks, Retrieved(pages), deadline)


def _context(result: Retrieved, budget: int) -> str:
    """What a prompt would show of the passages, in `budget` characters, titles included."""
    texts = [with_title(passage, result.texts) for passage in result.passages]
    fitting = set(fit_passages(texts, budget, len))
    passages = [
        passage for passage, text in zip(result.passages, texts, strict=True) if text in fitting
    ]
    return in_reading_order(passages, result.texts)
