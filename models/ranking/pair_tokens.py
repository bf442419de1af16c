"""A question and a text as the tokens of a BERT encoder."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from utils.packages import package

MAX_TOKENS = 224  # of the question and the text; the rest of the longer one is not read
_MAX_QUESTION = 600  # characters


@dataclass(frozen=True, slots=True)
class TokenPair:
    """The tokens of a question and of a text.

    Attributes:
        ids: of all tokens: [CLS] question [SEP] text [SEP].
        types: 0 for the question's tokens, 1 for the text's and the last separator.
        first: the position of the text's first token.
        offsets: (start, end) in the text, in characters, of each of its tokens.
    """

    ids: tuple[int, ...]
    types: tuple[int, ...]
    first: int
    offsets: tuple[tuple[int, int], ...]

    def tokens_of(self, start: int, end: int) -> tuple[int, int] | None:
        """The positions of the first and the last token of a span of the text; None: the span was
        cut off, or has no token."""
        inside = [
            position
            for position, (token_start, token_end) in enumerate(self.offsets, start=self.first)
            if token_start < end and token_end > start
        ]
        is_cut = len(self.ids) >= MAX_TOKENS and self.offsets[-1][1] < end
        return (inside[0], inside[-1]) if inside and not is_cut else None


class PairTokenizer:
    """Reads `tokenizer.json`, with the package `tokenizers` alone."""

    def __init__(self, file: Path) -> None:
        self._tokenizer: Any = package("tokenizers").Tokenizer.from_file(str(file))
        self._tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
        self._tokenizer.no_padding()

    def pairs(self, question: str, texts: Sequence[str]) -> list[TokenPair]:
        """The question with each of the texts."""
        question = question[:_MAX_QUESTION]
        encodings = self._tokenizer.encode_batch([(question, text) for text in texts])
        return [_token_pair(encoding) for encoding in encodings]


def _token_pair(encoding: Any) -> TokenPair:
    of_text = [i for i, sequence in enumerate(encoding.sequence_ids) if sequence == 1]
    first = of_text[0] if of_text else len(encoding.ids)
    offsets = tuple(encoding.offsets[i] for i in of_text)
    return TokenPair(tuple(encoding.ids), tuple(encoding.type_ids), first, offsets)
