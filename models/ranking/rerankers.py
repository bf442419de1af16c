"""Cross-encoders, and a bi-encoder in the same role."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from models.load_shedding import Pace
from models.ranking.optional import need
from models.ranking.protocol import Embedder, Floats, rows_until
from utils.deadline import Deadline
from utils.errors import SettingsError

NEVER = Deadline(float("inf"))
Scorer = Callable[[list[tuple[str, str]]], Any]


class PairReranker:
    """Scores pairs in batches of similar length until the deadline.

    The texts come best first and are scored in rounds of a few batches, so that the least likely
    texts remain unscored if time is short.
    """

    def __init__(self, scorer: Scorer, batch_size: int, rounds_of: int = 4) -> None:
        self._scorer = scorer
        self._batch_size = batch_size
        self._round = batch_size * rounds_of
        self._pace = Pace()

    def score(self, query: str, texts: Sequence[str]) -> Floats:
        return self.score_until(query, texts, NEVER)

    def score_until(self, query: str, texts: Sequence[str], deadline: Deadline) -> Floats:
        """The scores of `texts`, NaN where the deadline came first."""
        scores = np.full(len(texts), np.nan, dtype=np.float32)
        batches = self._batches(texts, len(query))
        for batch in self._pace.in_time("batch", batches, deadline):
            said = self._scorer([(query, texts[i]) for i in batch])
            scores[batch] = np.asarray(said, dtype=np.float32)
        return scores

    def _batches(self, texts: Sequence[str], asked: int) -> Iterator[tuple[int, list[int]]]:
        """The number of characters and the indices of each batch."""
        for start in range(0, len(texts), self._round):
            part = range(start, min(start + self._round, len(texts)))
            by_length = sorted(part, key=lambda i: -len(texts[i]))
            for first in range(0, len(by_length), self._batch_size):
                batch = by_length[first : first + self._batch_size]
                yield sum(asked + len(texts[i]) for i in batch), batch


class FlagReranker(PairReranker):
    """FlagEmbedding's reranker (bge-reranker-v2-m3): raw scores; half precision on a GPU."""

    def __init__(
        self,
        model: str,
        *,
        max_length: int = 512,
        batch_size: int = 32,
        devices: Sequence[str] | None = None,
    ) -> None:
        """Load `model` onto `devices`, all GPUs where None.

        Raises:
            MissingPackageError: FlagEmbedding is not installed.
            SettingsError: there is no such model.
        """
        library = need("FlagEmbedding", '"FlagEmbedding>=1.4"')
        torch = need("torch", "torch")
        gpus = torch.cuda.device_count()
        where = list(devices or [f"cuda:{i}" for i in range(gpus)] or ["cpu"])
        try:
            self.model = library.FlagReranker(
                model,
                use_fp16=where != ["cpu"],
                devices=where,
                batch_size=batch_size,
                max_length=max_length,
                trust_remote_code=False,
            )
        except (OSError, ValueError) as error:
            raise SettingsError(f"reranker {model!r} cannot be loaded: {error}") from error
        super().__init__(self._pairs, batch_size * len(where))
        self._pairs([("a", "b")])  # the first call moves the model to its devices

    def _pairs(self, pairs: list[tuple[str, str]]) -> Any:
        return self.model.compute_score(pairs)


class CrossEncoderReranker(PairReranker):
    """sentence-transformers' CrossEncoder (ms-marco-MiniLM-L-6-v2): raw scores."""

    def __init__(
        self,
        model: str,
        *,
        max_length: int = 512,
        batch_size: int = 32,
        device: str | None = None,
    ) -> None:
        """Load `model`.

        Raises:
            MissingPackageError: sentence-transformers is not installed.
            SettingsError: there is no such model.
        """
        library = need("sentence_transformers", "sentence-transformers")
        torch = need("torch", "torch")
        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        kwargs = {"use_safetensors": True}
        if device != "cpu":
            kwargs["dtype"] = torch.float16
        try:
            self.model = library.CrossEncoder(
                model,
                device=device,
                trust_remote_code=False,
                max_length=max_length,
                model_kwargs=kwargs,
            )
        except (OSError, ValueError) as error:
            raise SettingsError(f"reranker {model!r} cannot be loaded: {error}") from error
        self._raw = torch.nn.Identity()
        super().__init__(self._pairs, batch_size)
        self._pairs([("a", "b")])  # the first call takes longer

    def _pairs(self, pairs: list[tuple[str, str]]) -> Any:
        return self.model.predict(
            pairs,
            batch_size=len(pairs),
            activation_fn=self._raw,
            show_progress_bar=False,
            convert_to_numpy=True,
        )


class BiEncoderReranker:
    """The cosine similarity by an embedder, for whole passages."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def score(self, query: str, texts: Sequence[str]) -> Floats:
        return self.score_until(query, texts, NEVER)

    def score_until(self, query: str, texts: Sequence[str], deadline: Deadline) -> Floats:
        """The scores of the texts embedded in time; NaN for the others."""
        scores = np.full(len(texts), np.nan, dtype=np.float32)
        rows = rows_until(self._embedder, texts, deadline)
        if len(rows):
            scores[: len(rows)] = rows @ self._embedder.embed_query(query)
        return scores
