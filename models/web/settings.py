"""The settings of the web path: one frozen record, of which each system has its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, FiniteFloat, NonNegativeInt, PositiveInt

from models.ranking.specs import check_reranker
from models.web.decoding import MAX_HTML_CHARS
from utils.errors import SettingsError
from utils.typed import read_record


class Extraction(StrEnum):
    """An HTML extractor; the order is the order of fallback."""

    SELECTOLAX = "selectolax"
    BEAUTIFULSOUP = "beautifulsoup"
    TRAFILATURA = "trafilatura"
    HTML2TEXT = "html2text"


Extractors = Annotated[tuple[Extraction, ...], Field(min_length=1)]


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
    """One path from pages to passages. The default is the best of those measured (docs/web.md).

    Attributes:
        extractors: the extractor of pages, and its fallbacks in order.
        workers: processes that read pages (models/web/page_workers.py); 0: pages are read in the
            caller's process, without limits.
        page_seconds: CPU time of a worker for one page; a page that takes longer is skipped.
        page_megabytes: address space of a worker; a page that needs more is skipped.
        max_html_chars: characters of a page that are read.
        tables: whether tables are passages of their own, in Markdown.
        table_chars: a longer table is split by rows.
        chunking: how the text is split.
        parent_size, parent_overlap: of the passages that are returned, in characters, or in tokens
            for `HEADERS` and `TOKENS`.
        child_size: characters of the parts used to find them, for `SENTENCES` and `PARENT_CHILD`;
            else a passage is found by itself.
        prefilter: how pages are selected before they are read, if at all.
        pages_kept: the number of pages that are then read.
        embedder: a model's name or folder (sentence-transformers), or `onnx:FOLDER`, which
            `crag model embedder` writes; None: lexical only.
        query_prefix: an instruction that the model requires before a query.
        lexical_cut: number of children that are embedded, the best by BM25; 0: all.
        lexical_weight: of the BM25 score relative to the cosine, each scaled to 1.
        recall_k: number of children whose passages are candidates.
        reranker: `lexical`, `bi` (the embedder), `reader` (the encoder that reads pages without an
            LLM), `cross:MODEL`, `flag:MODEL`; None: none.
        rerank_k: number of passages returned.
        both_sides: whether of a comparison each side has its best passages among the first.
    """

    extractors: Extractors = (Extraction.SELECTOLAX, Extraction.BEAUTIFULSOUP)
    workers: NonNegativeInt = 2
    page_seconds: Annotated[FiniteFloat, Field(ge=0.001)] = 1.0
    page_megabytes: PositiveInt = 1024
    max_html_chars: PositiveInt = MAX_HTML_CHARS
    tables: bool = True
    table_chars: PositiveInt = 1000
    chunking: Chunking = Chunking.SENTENCES
    parent_size: PositiveInt = 700
    parent_overlap: NonNegativeInt = 0
    child_size: PositiveInt = 200
    prefilter: Prefilter = Prefilter.NONE
    pages_kept: PositiveInt = 50
    embedder: str | None = None
    query_prefix: str = ""
    lexical_cut: NonNegativeInt = 16
    lexical_weight: Annotated[FiniteFloat, Field(ge=0)] = 1.0
    recall_k: PositiveInt = 50
    reranker: str | None = None
    rerank_k: PositiveInt = 50
    both_sides: bool = True

    def __post_init__(self) -> None:
        if self.parent_overlap >= self.parent_size or self.child_size > self.parent_size:
            raise SettingsError("parent_size must exceed parent_overlap, and reach child_size")
        if self.reranker is not None:
            check_reranker(self.reranker)
        if self.reranker == "bi" and self.embedder is None:
            raise SettingsError("reranker bi needs an embedder")


_DEFAULT = WebSettings()


def web_settings(table: Mapping[str, Any], default: WebSettings = _DEFAULT) -> WebSettings:
    """A web path with the fields of the table `web` in settings, and those of `default`.

    "none" or "" as embedder or reranker switches that of the system off.

    Raises:
        SettingsError: there is no such field, or a value is invalid.
    """
    values = dict(table)
    for name in ("embedder", "reranker"):
        if values.get(name) in ("", "none"):  # TOML has no null
            values[name] = None
    return read_record(WebSettings, values, "web", default)
