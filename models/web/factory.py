"""Creates the web path from settings."""

import logging

from models.ranking.factory import make_embedder, make_reranker
from models.ranking.lexical import LexicalReranker
from models.ranking.protocol import Embedder, Reranker
from models.web.candidates import RankedPages, snippet, title
from models.web.page_reader import in_process
from models.web.page_workers import PageWorkers
from models.web.retriever import Retriever
from models.web.scoring import Scorer
from models.web.settings import Prefilter, WebSettings
from utils.errors import MissingPackageError

_log = logging.getLogger(__name__)


def make_retriever(settings: WebSettings, *, embedder: Embedder | None = None) -> Retriever:
    """The retriever of `settings`; `embedder` replaces the one named there.

    If the package of an embedder or reranker is not installed, passages are ranked by BM25.

    Raises:
        SettingsError: a model does not exist.
    """
    if embedder is None and settings.embedder is not None:
        try:
            embedder = make_embedder(
                settings.embedder, query_prefix=settings.query_prefix, dtype=settings.embedder_dtype
            )
        except MissingPackageError as error:
            _log.warning("no embedder, passages are found by their words: %s", error)
    reranker: Reranker | None = None
    if settings.reranker is not None:
        try:
            reranker = make_reranker(
                settings.reranker, embedder=embedder, max_length=settings.max_length
            )
        except MissingPackageError as error:
            _log.warning("no reranker, passages are ranked by their words: %s", error)
            reranker = LexicalReranker()
    prefilter = None
    if settings.prefilter is not Prefilter.NONE:
        sign = snippet if settings.prefilter is Prefilter.SNIPPETS else title
        prefilter = RankedPages(reranker or LexicalReranker(), settings.pages_kept, sign)
    return Retriever(
        pages=PageWorkers(settings) if settings.workers else in_process(settings),
        prefilter=prefilter,
        scorer=Scorer(embedder, reranker, settings),
    )
