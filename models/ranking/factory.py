"""Creates embedders and rerankers from their specs in the settings."""

from models.ranking.lexical import LexicalReranker
from models.ranking.protocol import Embedder, Reranker
from utils.errors import SettingsError


def check_reranker(spec: str) -> None:
    """Raises SettingsError where `spec` names no reranker."""
    kind, _, model = spec.partition(":")
    if spec not in ("lexical", "bi") and not (kind in ("cross", "flag") and model):
        allowed = "a reranker is `lexical`, `bi`, `cross:MODEL` or `flag:MODEL`"
        raise SettingsError(f"unknown reranker {spec!r}: {allowed}")


def make_embedder(model: str, *, query_prefix: str = "", dtype: str = "auto") -> Embedder:
    """The embedding model of that name or in that folder.

    Raises:
        MissingPackageError: sentence-transformers is not installed.
        SettingsError: there is no such model.
    """
    from models.ranking.embedders import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(model, query_prefix=query_prefix, dtype=dtype)


def make_reranker(
    spec: str, *, embedder: Embedder | None = None, max_length: int = 512
) -> Reranker:
    """The reranker that `spec` names; `bi` uses `embedder`.

    Raises:
        MissingPackageError: its package is not installed.
        SettingsError: `spec` is unknown, or its model does not exist.
    """
    check_reranker(spec)
    kind, _, model = spec.partition(":")
    if spec == "lexical":
        return LexicalReranker()
    if spec == "bi":
        if embedder is None:
            raise SettingsError("reranker bi needs an embedder")
        from models.ranking.rerankers import BiEncoderReranker

        return BiEncoderReranker(embedder)
    if kind == "cross":
        from models.ranking.rerankers import CrossEncoderReranker

        return CrossEncoderReranker(model, max_length=max_length)
    from models.ranking.rerankers import FlagReranker

    return FlagReranker(model, max_length=max_length)
