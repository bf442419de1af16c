"""Cross-encoders, and a bi-encoder or the reader's encoder in the same role."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from models.load_shedding import Pace
from models.ranking.embedders import embed_until
from models.ranking.protocol import NEVER, Embedder, Floats
from models.ranking.span_encoder import SpanEncoder
from utils.deadline import Deadline
from utils.packages import package

_BATCH = 32  # pairs
_MAX_TOKENS = 512  # of a pair: the most that a BERT such as ms-marco-MiniLM reads
QueryText = tuple[str, str]  # a pair that is scored
ScorePairs = Callable[[list[QueryText]], Any]


class PairReranker:
    """Scores pairs in batches of similar length until the deadline.

    The texts come best first and are scored in rounds of a few batches, so that the least likely
    texts remain unscored if time is short.
    """

    def __init__(self, score_pairs: ScorePairs, batch_size: int, rounds_of: int = 4) -> None:
        self._score_pairs = score_pairs
        self._batch_size = batch_size
        self._round = batch_size * rounds_of
        self._pace = Pace()

    def score(self, query: str, texts: Sequence[str], deadline: Deadline = NEVER) -> Floats:
        """How well each text answers `query`, higher is better; NaN for those not reached."""
        scores = np.full(len(texts), np.nan, dtype=np.float32)
        batches = self._batches(texts, len(query))
        for batch in self._pace.in_time("batch", batches, deadline):
            pairs = [(query, texts[i]) for i in batch]
            batch_scores = self._score_pairs(pairs)
            scores[batch] = np.asarray(batch_scores, dtype=np.float32)
        return scores

    def _batches(self, texts: Sequence[str], query_chars: int) -> Iterator[tuple[int, list[int]]]:
        """The number of characters and the indices of each batch."""
        for start in range(0, len(texts), self._round):
            end = min(start + self._round, len(texts))
            by_length = sorted(range(start, end), key=lambda i: -len(texts[i]))
            for first in range(0, len(by_length), self._batch_size):
                batch = by_length[first : first + self._batch_size]
                chars = sum(query_chars + len(texts[i]) for i in batch)
                yield chars, batch


def flag_reranker(model: str) -> PairReranker:
    """FlagEmbedding's reranker (bge-reranker-v2-m3) on all GPUs, in half precision: raw scores.

    Raises:
        MissingPackageError: FlagEmbedding is not installed.
    """
    library = package("FlagEmbedding", '"FlagEmbedding>=1.4"')
    gpus = package("torch").cuda.device_count()
    devices = [f"cuda:{i}" for i in range(gpus)] or ["cpu"]
    ranker = library.FlagReranker(
        model,
        use_fp16=gpus > 0,
        devices=devices,
        batch_size=_BATCH,
        max_length=_MAX_TOKENS,
        trust_remote_code=False,
    )
    return warmed_up(ranker.compute_score, _BATCH * len(devices))


def cross_encoder(model: str) -> PairReranker:
    """sentence-transformers' CrossEncoder (ms-marco-MiniLM-L-6-v2): raw scores.

    Raises:
        MissingPackageError: sentence-transformers is not installed.
    """
    library = package("sentence_transformers")
    torch = package("torch")
    device = "cpu"
    model_kwargs: dict[str, Any] = {"use_safetensors": True}
    if torch.cuda.is_available():
        device = "cuda"
        model_kwargs["dtype"] = torch.float16
    ranker = library.CrossEncoder(
        model,
        device=device,
        trust_remote_code=False,
        max_length=_MAX_TOKENS,
        model_kwargs=model_kwargs,
    )
    no_activation = torch.nn.Identity()

    def score_pairs(pairs: list[QueryText]) -> Any:
        return ranker.predict(
            pairs, batch_size=_BATCH, activation_fn=no_activation, show_progress_bar=False
        )

    return warmed_up(score_pairs, _BATCH)


def warmed_up(score_pairs: ScorePairs, batch_size: int) -> PairReranker:
    """The reranker, after a first call: it takes longer, and moves the model to its devices.

    Raises:
        ValueError: the model does not give one score per pair.
    """
    pairs = [("a", "b"), ("a", "c")]
    shape = np.shape(score_pairs(pairs))
    if shape != (len(pairs),):
        raise ValueError(
            f"it gives scores of shape {shape} for {len(pairs)} pairs, not one per pair: "
            "a reranker has one output, a classifier several"
        )
    return PairReranker(score_pairs, batch_size)


class BiEncoderReranker:
    """The cosine similarity by an embedder, for whole passages."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._pace = Pace()

    def score(self, query: str, texts: Sequence[str], deadline: Deadline = NEVER) -> Floats:
        """The cosine of each text and `query`; NaN for those not reached."""
        scores = np.full(len(texts), np.nan, dtype=np.float32)
        rows = embed_until(self._embedder, texts, deadline, self._pace)
        if len(rows):
            query_row = self._embedder.embed_query(query)
            scores[: len(rows)] = rows @ query_row
        return scores


class ReaderReranker:
    """How likely the encoder of the reader holds an answer in a text."""

    def __init__(self, encoder: SpanEncoder) -> None:
        self._encoder = encoder

    def score(self, query: str, texts: Sequence[str], deadline: Deadline = NEVER) -> Floats:
        """The difference of logits of an answer and of none; NaN for texts not reached."""
        readings = self._encoder.read(query, texts, deadline)
        scores = [np.nan if reading is None else reading.has_answer for reading in readings]
        return np.array(scores, dtype=np.float32)
