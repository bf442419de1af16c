"""An encoder that says for each token of a text whether an answer begins or ends there.

Two outputs per token, as in BERT's question answering (Devlin et al. 2019, section 4.3); the first
token stands for "no answer". `crag training reader` makes it; `onnxruntime` runs it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.ranking.pair_tokens import PairTokenizer, TokenPair
from utils.deadline import Deadline
from utils.model_files import WeightsError
from utils.packages import package

ENCODER = Path(__file__).with_name("encoder")
MODEL = "reader.onnx"
TOKENIZER = "tokenizer.json"
_OUTPUTS = ["start_logits", "end_logits"]
_BATCH_TOKENS = 1536  # of texts that are read together, with padding
_ROUND = 32  # texts, of which those of similar length are read together

Logits = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SpanLogits:
    """What the encoder says of one text.

    Attributes:
        pair: the question's and the text's tokens.
        begins, ends: of each token of the text, float32[tokens].
        nothing: of "no answer", both outputs added.
    """

    pair: TokenPair
    begins: Logits
    ends: Logits
    nothing: float

    def margin(self, first: int, last: int) -> float:
        """How much likelier than no answer a span is, as the difference of logits.

        Args:
            first, last: the positions of its tokens in `pair.offsets`.
        """
        return float(self.begins[first] + self.ends[last]) - self.nothing

    @property
    def has_answer(self) -> float:
        """How much likelier it is that the text has an answer than that it has none, at most."""
        if not len(self.begins):
            return -np.inf
        return float(self.begins.max() + self.ends.max()) - self.nothing


@cache
def shipped_encoder() -> "SpanEncoder":
    """The encoder that comes with the project.

    Raises:
        WeightsError: its files are not there.
    """
    return SpanEncoder(ENCODER)


class SpanEncoder:
    """The encoder in a folder.

    Raises:
        WeightsError: one of its files is missing or broken.
    """

    def __init__(self, folder: Path) -> None:
        runtime = package("onnxruntime")
        options = runtime.SessionOptions()
        options.log_severity_level = 3  # errors
        try:
            self._session: Any = runtime.InferenceSession(
                str(folder / MODEL), options, providers=["CPUExecutionProvider"]
            )
            self._tokenizer = PairTokenizer(folder / TOKENIZER)
        except Exception as error:  # both libraries raise errors of no common type
            raise WeightsError(f"{folder}: pages cannot be read without it: {error}") from error

    def read(
        self, question: str, texts: Sequence[str], deadline: Deadline
    ) -> list[SpanLogits | None]:
        """What the encoder says of each text; None for those that it does not reach in time.

        The first texts are read first, those of similar length together.
        """
        pairs = self._tokenizer.pairs(question, texts)
        results: list[SpanLogits | None] = [None] * len(texts)
        for batch in _batches(pairs):
            if deadline.expired:
                break
            for index, logits in zip(batch, self._logits([pairs[i] for i in batch]), strict=True):
                results[index] = logits
        return results

    def _logits(self, pairs: Sequence[TokenPair]) -> Iterator[SpanLogits]:
        shape = (len(pairs), max(len(pair.ids) for pair in pairs))
        inputs = {
            name: np.zeros(shape, dtype=np.int64)
            for name in ("input_ids", "attention_mask", "token_type_ids")
        }
        for row, pair in enumerate(pairs):
            size = len(pair.ids)
            inputs["input_ids"][row, :size] = pair.ids
            inputs["attention_mask"][row, :size] = 1
            inputs["token_type_ids"][row, :size] = pair.types
        begins, ends = self._session.run(_OUTPUTS, inputs)
        for row, pair in enumerate(pairs):
            of_text = slice(pair.first, pair.first + len(pair.offsets))
            nothing = float(begins[row, 0] + ends[row, 0])
            yield SpanLogits(pair, begins[row, of_text], ends[row, of_text], nothing)


def _batches(pairs: Sequence[TokenPair]) -> Iterator[list[int]]:
    """The indices of the pairs that are read together: the first pairs first, and of these those of
    similar length."""
    for start in range(0, len(pairs), _ROUND):
        indices = range(start, min(start + _ROUND, len(pairs)))
        batch: list[int] = []
        for index in sorted(indices, key=lambda i: -len(pairs[i].ids)):
            longest = len(pairs[batch[0]].ids) if batch else 0
            if batch and (len(batch) + 1) * longest > _BATCH_TOKENS:
                yield batch
                batch = []
            batch.append(index)
        if batch:
            yield batch
