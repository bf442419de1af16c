"""Our web path and the reference; each runs in its own process, where its memory is measured.

A reply holds seconds by stage, children embedded, the contexts, and the peak memory of the process.
"""

import time
from functools import cache
from typing import Any

from benchmarks._memory import peak_mb
from benchmarks._web_data import Asked
from benchmarks._web_reference import Reference
from models.llm.budget import fit_passages
from models.ranking.embedders import SentenceTransformerEmbedder
from models.web.context import in_reading_order, signed
from models.web.factory import make_retriever
from models.web.page import PageText
from models.web.retrieved import Retrieved
from models.web.retriever import Retriever
from models.web.settings import WebSettings
from models.web.splitters import make_chunker
from utils.deadline import Deadline

BUDGETS = (4000, 10_000)  # characters of a context
Reply = dict[str, Any]
_embedder, _reference = cache(SentenceTransformerEmbedder), cache(Reference)  # one per model


def ours(model: str, settings: WebSettings, asked: Asked) -> Reply:
    """Our path, one embedder for all its settings."""
    retriever = _retriever(model, settings)
    start = time.perf_counter()
    deadline = Deadline.after(600, time.perf_counter)
    if asked.texts:
        texts = {i: PageText(title, text) for i, (title, text) in enumerate(asked.texts)}
        cut = make_chunker(settings)
        chunks = [chunk for i, page in texts.items() for chunk in cut.chunk(page, i)]
        found = retriever.rank(asked.question.text, chunks, Retrieved(texts), deadline)
    else:
        found = retriever.retrieve(asked.question, deadline)
    return {
        "total": time.perf_counter() - start,
        "seconds": found.seconds,
        "embedded": found.counts["embedded"],
        "dtype": _embedder(model).dtype,
        "contexts": {budget: _context(found, budget) for budget in BUDGETS},
        "peak_mb": peak_mb(),
    }


def reference(model: str, separator: str, asked: Asked) -> Reply:
    """The reference, which cuts at `separator`."""
    system = _reference(model)
    start = time.perf_counter()
    found = system.contexts(asked, separator)
    return {
        "total": time.perf_counter() - start,
        "seconds": dict(system.seconds),
        "embedded": system.embedded,
        "contexts": {budget: "\n".join(found)[:budget] for budget in BUDGETS},
        "peak_mb": peak_mb(),
    }


@cache
def _retriever(model: str, settings: WebSettings) -> Retriever:
    return make_retriever(settings, embedder=_embedder(model) if settings.embedder else None)


def _context(found: Retrieved, budget: int) -> str:
    """What a prompt would show of the passages, in `budget` characters, titles included."""
    signs = [signed(passage, found.texts) for passage in found.passages]
    kept = set(fit_passages(signs, budget, len))
    passages = [p for p, sign in zip(found.passages, signs, strict=True) if sign in kept]
    return in_reading_order(passages, found.texts)
