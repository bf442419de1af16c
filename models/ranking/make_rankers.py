"""Creates embedders and rerankers from their specs in the settings."""

from pathlib import Path

from models.ranking.embedders import SentenceTransformerEmbedder
from models.ranking.lexical import LexicalReranker
from models.ranking.onnx_embedder import OnnxEmbedder
from models.ranking.protocol import Embedder, Reranker
from models.ranking.rerankers import BiEncoderReranker, ReaderReranker, cross_encoder, flag_reranker
from models.ranking.span_encoder import shipped_encoder
from models.ranking.specs import PAIR_RERANKERS, check_reranker
from utils.errors import SettingsError

_ONNX = "onnx:"
_PAIR_RERANKERS = dict(zip(PAIR_RERANKERS, (cross_encoder, flag_reranker), strict=True))


def make_embedder(model: str, *, query_prefix: str = "", dtype: str = "auto") -> Embedder:
    """The embedding model of that name or in that folder; `onnx:FOLDER` is run without torch.

    Raises:
        MissingPackageError: sentence-transformers is not installed.
        SettingsError: there is no such model.
    """
    if model.startswith(_ONNX):
        return OnnxEmbedder(Path(model.removeprefix(_ONNX)), query_prefix=query_prefix)
    try:
        return SentenceTransformerEmbedder(model, query_prefix=query_prefix, dtype=dtype)
    except (OSError, ValueError) as error:
        raise SettingsError(f"embedder {model!r} cannot be loaded: {error}") from error


def make_reranker(spec: str, *, embedder: Embedder | None = None) -> Reranker:
    """The reranker that `spec` names; `bi` uses `embedder`.

    Raises:
        MissingPackageError: its package is not installed.
        SettingsError: `spec` is unknown, or its model does not exist.
        WeightsError: the files of the reader's encoder are not there.
    """
    check_reranker(spec)
    if spec == "lexical":
        return LexicalReranker()
    if spec == "bi":
        if embedder is None:
            raise SettingsError("reranker bi needs an embedder")
        return BiEncoderReranker(embedder)
    if spec == "reader":
        return ReaderReranker(shipped_encoder())
    kind, _, model = spec.partition(":")
    try:
        return _PAIR_RERANKERS[kind](model)
    except (OSError, ValueError) as error:
        raise SettingsError(f"reranker {model!r} cannot be loaded: {error}") from error
