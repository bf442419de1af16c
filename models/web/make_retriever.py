"""Creates the web path from settings."""

import logging

from models.ranking.lexical import LexicalReranker
from models.ranking.make_rankers import make_embedder, make_reranker
from models.ranking.protocol import Embedder, Reranker
from models.web.page_reader import in_process
from models.web.page_workers import PageWorkers
from models.web.retriever import Retriever
from models.web.scoring import Scorer
from models.web.selection import PageSelector, snippet, title
from models.web.settings import Prefilter, WebSettings
from utils.errors import MissingPackageError

_log = logging.getLogger(__name__)


def make_retriever(settings: WebSettings, *, embedder: Embedder | None = None) -> Retriever:
    """The retriever of `settings`; `embedder` replaces the one named there.

    If the package of an embedder or reranker is not installed, passages are ranked by BM25.

    Raises:
        SettingsError: a model does not exist.
    """
    if embedder is None:
        embedder = _embedder_of(settings)
    reranker = _reranker_of(settings, embedder)
    return Retriever(
        page_reader=PageWorkers(settings) if settings.workers else in_process(settings),
        prefilter=_prefilter_of(settings, reranker or LexicalReranker()),
        scorer=Scorer(embedder, reranker, settings),
    )


def _embedder_of(settings: WebSettings) -> Embedder | None:
    """The embedder that `settings` name; None without one, or without its package."""
    if settings.embedder is None:
        return None
    try:
        return make_embedder(settings.embedder, query_prefix=settings.query_prefix)
    except MissingPackageError as error:
        _log.warning("no embedder, passages are retrieved by their words: %s", error)
        return None


def _reranker_of(settings: WebSettings, embedder: Embedder | None) -> Reranker | None:
    """The reranker that `settings` name; BM25 without its package, None without one."""
    if settings.reranker is None:
        return None
    try:
        return make_reranker(settings.reranker, embedder=embedder)
    except MissingPackageError as error:
        _log.warning("no reranker, passages are ranked by their words: %s", error)
        return LexicalReranker()


def _prefilter_of(settings: WebSettings, ranker: Reranker) -> PageSelector | None:
    """The selection of pages before they are read; None if all are read."""
    match settings.prefilter:
        case Prefilter.NONE:
            return None
        case Prefilter.SNIPPETS:
            return PageSelector(ranker, settings.pages_kept, snippet)
        case Prefilter.TITLES:
            return PageSelector(ranker, settings.pages_kept, title)
