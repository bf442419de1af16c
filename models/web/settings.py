"""The settings of the web path: one frozen record, and a preset for each paper."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from models.ranking.factory import check_reranker
from models.web.decoding import MAX_HTML_CHARS
from utils.errors import SettingsError
from utils.typed import read_record


class Extraction(StrEnum):
    """An HTML extractor; the order is the order of fallback."""

    SELECTOLAX = "selectolax"
    BEAUTIFULSOUP = "beautifulsoup"
    TRAFILATURA = "trafilatura"
    HTML2TEXT = "html2text"


class Chunking(StrEnum):
    """How a page's text is split."""

    SENTENCES = "sentences"
    PARENT_CHILD = "parent_child"
    SENTENCE_GROUPS = "sentence_groups"
    HEADERS = "headers"  # as marked by html2text, the only extractor that does
    TOKENS = "tokens"


class Prefilter(StrEnum):
    """How pages are selected before they are read, if at all."""

    NONE = "none"
    SNIPPETS = "snippets"
    TITLES = "titles"


@dataclass(frozen=True, slots=True)
class WebSettings:
    """One path from pages to passages. The default is the best by `benchmarks/web_path.py`.

    Attributes:
        extractors: the extractor of pages, and its fallbacks in order.
        workers: processes that read pages (models/web/page_workers.py); 0: pages are read in the
            caller's process, without limits.
        page_seconds: CPU time of a worker for one page; a page that takes longer is skipped.
        page_megabytes: address space of a worker; a page that needs more is skipped.
        max_html_chars: characters of a page that are read.
        tables: whether tables are passages of their own, in Markdown.
        table_chars: a longer table is split by rows.
        chunking: how the text is split; the next four fields are in characters, or in tokens for
            `HEADERS` and `TOKENS`.
        parent_size, parent_overlap: of the passages that are returned.
        child_size, child_overlap: of the parts used to find them.
        prefilter: how pages are selected before they are read, if at all.
        pages_kept: the number of pages that are then read.
        embedder: a model's name or folder (sentence-transformers); None: lexical only.
        query_prefix: an instruction that the model requires before a query.
        embedder_dtype: float32, bfloat16, float16, or auto (the fastest on this hardware).
        lexical_cut: number of children that are embedded, the best by BM25; 0: all.
        lexical_weight: of the BM25 score relative to the cosine, each scaled to 1.
        recall_k: number of children whose passages are candidates.
        reranker: `lexical`, `bi` (the embedder), `cross:MODEL`, `flag:MODEL`; None: none.
        rerank_k: number of passages returned.
        max_length: maximum tokens of a pair in a reranker.
    """

    extractors: tuple[Extraction, ...] = (Extraction.SELECTOLAX, Extraction.BEAUTIFULSOUP)
    workers: int = 2
    page_seconds: float = 1.0
    page_megabytes: int = 1024
    max_html_chars: int = MAX_HTML_CHARS
    tables: bool = True
    table_chars: int = 1000
    chunking: Chunking = Chunking.SENTENCES
    parent_size: int = 700
    parent_overlap: int = 0
    child_size: int = 200
    child_overlap: int = 0
    prefilter: Prefilter = Prefilter.NONE
    pages_kept: int = 50
    embedder: str | None = None
    query_prefix: str = ""
    embedder_dtype: str = "auto"
    lexical_cut: int = 16
    lexical_weight: float = 1.0
    recall_k: int = 50
    reranker: str | None = None
    rerank_k: int = 50
    max_length: int = 512

    def __post_init__(self) -> None:
        if not self.extractors:
            raise SettingsError("extractors: at least one is needed")
        for name in ("max_html_chars", "table_chars", "parent_size", "child_size", "pages_kept",
                     "recall_k", "rerank_k", "max_length", "page_megabytes"):  # fmt: skip
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} must be 1 or more, is {getattr(self, name)}")
        if not 0 <= self.parent_overlap < self.parent_size:
            raise SettingsError(f"parent_overlap must be under {self.parent_size}")
        if not 0 <= self.child_overlap < self.child_size <= self.parent_size:
            raise SettingsError("child_overlap < child_size <= parent_size must hold")
        if self.workers < 0 or not 0 < self.page_seconds < math.inf:
            raise SettingsError("workers must be 0 or more, page_seconds more than 0 and finite")
        if self.lexical_cut < 0 or not 0 <= self.lexical_weight < math.inf:
            raise SettingsError("lexical_cut and lexical_weight must be 0 or more")
        if self.reranker is not None:
            check_reranker(self.reranker)
        if self.reranker == "bi" and self.embedder is None:
            raise SettingsError("reranker bi needs an embedder")


BGE_QUERY = "Represent this sentence for searching relevant passages: "

PRESETS = {
    "default": WebSettings(),
    # sections 2.2 and 3.1
    "db3": WebSettings(
        extractors=(Extraction.BEAUTIFULSOUP, Extraction.SELECTOLAX),
        tables=False,
        chunking=Chunking.PARENT_CHILD,
        parent_size=700,
        child_size=200,
        prefilter=Prefilter.SNIPPETS,
        pages_kept=5,
        embedder="BAAI/bge-base-en-v1.5",
        query_prefix=BGE_QUERY,
        lexical_cut=0,
        lexical_weight=0.0,
        reranker="flag:BAAI/bge-reranker-v2-m3",
        rerank_k=25,  # 4000 tokens hold this many passages of 700 characters
    ),
    # section 4.1 and appendices A to C
    "electricsheep": WebSettings(
        extractors=(Extraction.TRAFILATURA, Extraction.BEAUTIFULSOUP),
        chunking=Chunking.SENTENCE_GROUPS,
        parent_size=600,
        child_size=600,
        embedder="sentence-transformers/sentence-t5-large",
        lexical_cut=0,
        lexical_weight=0.0,
        recall_k=1_000,  # all that five pages have: the system limits chunks by number,
        rerank_k=1_000,  # tables by characters
    ),
    # sections 3 and 5.2
    "bumblebee7": WebSettings(
        extractors=(Extraction.HTML2TEXT, Extraction.SELECTOLAX),
        tables=False,
        chunking=Chunking.HEADERS,
        parent_size=700,
        parent_overlap=20,
        child_size=700,
        child_overlap=20,
        prefilter=Prefilter.TITLES,
        pages_kept=5,
        embedder="sentence-transformers/msmarco-MiniLM-L-12-v3",
        lexical_cut=0,
        lexical_weight=0.0,
    ),
    # section 3.2
    "dragonrangers": WebSettings(
        extractors=(Extraction.BEAUTIFULSOUP, Extraction.SELECTOLAX),
        tables=False,
        chunking=Chunking.TOKENS,
        parent_size=512,
        parent_overlap=32,
        child_size=512,
        child_overlap=32,
        reranker="cross:cross-encoder/ms-marco-MiniLM-L-6-v2",
        recall_k=10_000,
        rerank_k=4,
    ),
}


def preset(name: str) -> WebSettings:
    """The settings of that name.

    Raises:
        SettingsError: there is none.
    """
    if name not in PRESETS:
        raise SettingsError(f"no web path is called {name!r}; there are: {', '.join(PRESETS)}")
    return PRESETS[name]


def web_settings(table: Mapping[str, Any], default: str = "default") -> WebSettings:
    """The web path of the table `web` in settings: `preset`, else `default`, with overrides.

    "none" or "" as embedder or reranker switches that of the preset off.

    Raises:
        SettingsError: there is no such preset or field, or a value is invalid.
    """
    values = dict(table)
    for name in ("embedder", "reranker"):
        if values.get(name) in ("", "none"):  # TOML has no null
            values[name] = None
    made = preset(str(values.pop("preset", default)))
    return read_record(WebSettings, values, "web", made)
