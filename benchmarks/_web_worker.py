"""One system in a process of its own, so that its memory is measured apart from the other's.

An order is (kind of questions, number of the question, variant). The reply holds seconds by stage,
children embedded, the contexts, and the peak memory of the process.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks import _web_data as data
from benchmarks._memory import peak_mb
from models.llm.budget import fit_passages
from models.ranking.embedders import SentenceTransformerEmbedder
from models.records import Question, Task
from models.web.context import in_reading_order, signed
from models.web.factory import make_retriever
from models.web.page import PageText
from models.web.retrieved import Retrieved
from models.web.retriever import Retriever
from models.web.settings import PRESETS, Chunking, Extraction, Prefilter, WebSettings
from models.web.splitters import make_chunker
from utils.deadline import Deadline

BUDGETS = (4000, 10_000)  # characters
MODEL = "any"  # the embedder is handed in; settings only have to name one
AT_SPACES = "at spaces"  # what the reference does otherwise
DEFAULT = WebSettings(embedder=MODEL)
OTHERS = (Extraction.TRAFILATURA, Extraction.BEAUTIFULSOUP)
VARIANTS: dict[str, WebSettings] = {
    "default": DEFAULT,
    "lexical only": WebSettings(),
    "cut 8": replace(DEFAULT, lexical_cut=8),
    "cut 32": replace(DEFAULT, lexical_cut=32),
    "cut 64": replace(DEFAULT, lexical_cut=64),
    "cut 128": replace(DEFAULT, lexical_cut=128),
    "no cut": replace(DEFAULT, lexical_cut=0),
    "dense alone, no cut": replace(DEFAULT, lexical_cut=0, lexical_weight=0.0),
    "dense alone after the cut": replace(DEFAULT, lexical_weight=0.0),
    "weight 0.5": replace(DEFAULT, lexical_weight=0.5),
    "weight 2": replace(DEFAULT, lexical_weight=2.0),
    "parents of 400": replace(DEFAULT, parent_size=400),
    "parents of 2000": replace(DEFAULT, parent_size=2000),
    "snippet prefilter, 5 pages": replace(DEFAULT, prefilter=Prefilter.SNIPPETS, pages_kept=5),
    "title prefilter, 5 pages": replace(DEFAULT, prefilter=Prefilter.TITLES, pages_kept=5),
    "beautifulsoup": replace(DEFAULT, extractors=(Extraction.BEAUTIFULSOUP,)),
    "trafilatura": replace(DEFAULT, extractors=OTHERS),
    "html2text": replace(DEFAULT, extractors=(Extraction.HTML2TEXT,)),
    "sentence groups": replace(DEFAULT, chunking=Chunking.SENTENCE_GROUPS, parent_size=600),
    "parent-child splitter": replace(DEFAULT, chunking=Chunking.PARENT_CHILD),
    "under headers": replace(
        DEFAULT, chunking=Chunking.HEADERS, parent_overlap=20, extractors=(Extraction.HTML2TEXT,)
    ),
    "512 tokens": replace(DEFAULT, chunking=Chunking.TOKENS, parent_size=512, parent_overlap=32),
}
# The papers' own paths, over the model at hand: it stands in for their embedders and, as a
# bi-encoder, for their rerankers.
for _name in ("db3", "electricsheep", "bumblebee7", "dragonrangers"):
    _paper = replace(PRESETS[_name], embedder=MODEL, query_prefix="")
    VARIANTS[f"as {_name}"] = replace(_paper, reranker="bi" if _paper.reranker else None)
Reply = dict[str, Any]
Runner = Callable[[data.Asked, str, str], Reply]


def ours(model: str) -> Runner:
    """Our path, one embedder for all its variants."""
    embedder = SentenceTransformerEmbedder(model)
    made: dict[str, Retriever] = {}

    def run(asked: data.Asked, kind: str, variant: str) -> Reply:
        settings = VARIANTS[variant]
        if variant not in made:
            made[variant] = make_retriever(
                settings, embedder=embedder if settings.embedder else None
            )
        deadline = Deadline.after(600, time.perf_counter)
        if asked.texts:
            texts = {i: PageText(title, text) for i, (title, text) in enumerate(asked.texts)}
            cut = make_chunker(settings)
            chunks = [chunk for i, page in texts.items() for chunk in cut.chunk(page, i)]
            found = made[variant].rank(asked.question.text, chunks, Retrieved(texts), deadline)
        else:
            found = made[variant].retrieve(asked.question, deadline)
        return {
            "seconds": found.seconds,
            "embedded": found.counts["embedded"],
            "dtype": embedder.dtype,
            "contexts": {str(budget): _context(found, budget) for budget in BUDGETS},
        }

    return run


def _context(found: Retrieved, budget: int) -> str:
    """What a prompt would show of the passages, in `budget` characters, titles included."""
    signs = [signed(passage, found.texts) for passage in found.passages]
    kept = set(fit_passages(signs, budget, len))
    passages = [p for p, sign in zip(found.passages, signs, strict=True) if sign in kept]
    return in_reading_order(passages, found.texts)


def reference(model: str) -> Runner:
    """The reference, which cuts at lines by default; or "at spaces"."""
    from benchmarks._web_reference import Reference

    system = Reference(model)

    def run(asked: data.Asked, kind: str, variant: str) -> Reply:
        system.seconds = {}
        if asked.texts:
            texts = [f"{title}\n{text}" for title, text in asked.texts]
        else:
            pages = list(asked.question.pages)
            if kind == "task3":
                pages = system.choose(asked.question.text, pages)
            texts = system.read(pages)
        before = dict(system.seconds)
        separator = " " if variant == AT_SPACES else "\n"
        parts = system.rank(asked.question.text, texts, separator)
        return {
            "seconds": {**before, **system.seconds},
            "embedded": system.embedded,
            "dtype": "float32",
            "contexts": {str(budget): "\n".join(parts)[:budget] for budget in BUDGETS},
        }

    return run


def load(kind: str, folder: Path) -> list[data.Asked]:
    """The questions of one kind."""
    if kind == "pool":
        return data.pools(folder)
    asked = data.dev(folder)
    return data.task3(asked) if kind == "task3" else asked


def work(orders: Connection, name: str, model: str, folder: Path) -> None:
    """Answer each (kind, index, variant) that comes, until the other end is closed."""
    run = {"ours": ours, "reference": reference}[name](model)
    warm = Question("warm", "how warm is it?", None, Task.WEB)
    run(data.Asked(warm, (), (("warm", "a text to warm up with"),)), "pool", "default")
    loaded = ""
    asked: list[data.Asked] = []
    while True:
        try:
            kind, index, variant = orders.recv()
        except EOFError:
            return
        if kind != loaded:
            asked = []  # freed before the others are loaded: the peak counts
            loaded, asked = kind, load(kind, folder)
        start = time.perf_counter()
        reply = run(asked[index], kind, variant)
        orders.send({**reply, "total": time.perf_counter() - start, "peak_mb": peak_mb()})
