"""Counts tokens, and truncates answers to the evaluator's limit of 75."""

import math
import re
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from utils.errors import SettingsError
from utils.packages import package

MAX_ANSWER_TOKENS = 75
_MOST_CHARS_A_TOKEN = 40  # longer than the longest pieces of text in a Llama tokenizer

TokenCounter = Callable[[str], int]

_TABLE = Path(__file__).with_name("token_counts.toml")
# Words, numbers and characters beyond ASCII with the space before them, other signs, longer spaces.
_PIECE = re.compile(r"[A-Za-z]+| ?[0-9]+|[!-~]| ?[^\s!-~]|\s{2,}|\n")
_VOWEL = re.compile(r"[aeiouy]", re.I)
_SHORTEST_BEGINNING = 2  # letters of a listed word that begins another one
_TOKENS_A_CAPITAL = 0.55  # of a word in capitals
_LETTERS_A_TOKEN = 2  # of a word that is longer than those of the table
_MARGIN = 2  # tokens of a text; one is for its beginning, which Llama 2 writes as a space
_ROUNDING = 1e-6  # errors of sums
_ITEM_END = re.compile(r"[,;]\s")
_FEWEST_ENDS = 2  # ends of items in a text that is treated as a list


@dataclass(frozen=True, slots=True)
class TokenTable:
    """How many tokens the words and characters of English answers have; `token_counts.toml`.

    Attributes:
        words: those that are one token.
        characters: those beyond ASCII that are one token.
        other_words: tokens of other words, by their letters after a listed word.
    """

    words: frozenset[str]
    characters: frozenset[str]
    other_words: tuple[float, ...]

    def count(self, word: str) -> float:
        """The tokens of a word in ASCII letters."""
        if len(word) == 1 or word in self.words:
            return 1
        if not _VOWEL.search(word):
            return len(word)  # not a word: it may be split into letters
        if word.isupper():
            return max(2, len(word) * _TOKENS_A_CAPITAL)
        letters = self._letters_after_beginning(word)
        place = min(letters, len(self.other_words)) - 1
        longer = max(letters - len(self.other_words), 0)
        return self.other_words[place] + longer / _LETTERS_A_TOKEN

    def _letters_after_beginning(self, word: str) -> int:
        """The letters of a word after the longest listed word that it begins with."""
        for length in range(len(word) - 1, _SHORTEST_BEGINNING - 1, -1):
            if word[:length] in self.words:
                return len(word) - length
        return len(word)


@cache
def _token_table() -> TokenTable:
    content = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return TokenTable(
        words=frozenset(content["words"].split()),
        characters=frozenset(content["characters"]),
        other_words=tuple(content["other_words"]),
    )


def estimate_tokens(text: str) -> int:
    """An upper estimate of the number of Llama tokens in `text`, from a small table.

    The contest's evaluator truncates with Llama 2's tokenizer: one token per digit and one for the
    space before a number, one for most punctuation, and up to one per UTF-8 byte of other
    characters; Llama 3's mostly uses fewer. A listed word is one token, most others two to four.
    A text made of compounds such as "co-founder" may have more. docs/submit.md has the measured
    error.

    >>> estimate_tokens("Copenhagen, Denmark"), estimate_tokens("")
    (8, 0)
    """
    if not text:
        return 0
    total = sum(_piece_tokens(piece) for piece in _PIECE.findall(text))
    return math.ceil(total + _MARGIN - _ROUNDING)


@lru_cache(maxsize=65536)
def _piece_tokens(piece: str) -> float:
    """The number of tokens of a piece."""
    if piece.isascii() and piece.isalpha():
        return _token_table().count(piece)
    if piece.lstrip(" ") in _token_table().characters:
        return 1
    return len(piece.encode("utf-8", errors="replace"))


def load_counter(tokenizer: Path | None) -> TokenCounter:
    """The token counter of a `tokenizer.json` (or a folder with one), or the estimate for None.

    Raises:
        SettingsError: there is no readable tokenizer.
        MissingPackageError: the `tokenizers` package is not installed.
    """
    if tokenizer is None:
        return estimate_tokens
    file = tokenizer / "tokenizer.json" if tokenizer.is_dir() else tokenizer
    if not file.is_file():
        raise SettingsError(f"tokenizer: there is no {file}")
    tokenizers = package("tokenizers")
    try:
        loaded = tokenizers.Tokenizer.from_file(str(file))
        loaded.no_padding()  # either setting would make all texts equally long
        loaded.no_truncation()
    except Exception as error:  # the library raises no narrower type
        raise SettingsError(f"tokenizer: {file} cannot be read: {error}") from error
    return lambda text: len(loaded.encode(text, add_special_tokens=False).ids)


def cut_answer(
    text: str, limit: int = MAX_ANSWER_TOKENS, count: TokenCounter = estimate_tokens
) -> str:
    """The longest prefix of `text` with at most `limit` tokens, split between words if possible.

    A single word over the limit is split. Only the beginning of a very long text is read, so that
    truncation is fast. Lone surrogates, which no tokenizer accepts, are removed.
    """
    text = text[: limit * _MOST_CHARS_A_TOKEN].encode(errors="ignore").decode()
    if count(text) <= limit:
        return text
    ends = [match.end() for match in re.finditer(r"\S+", text)]
    whole_words = _longest_prefix(text, ends, limit, count)
    if whole_words:
        return whole_words
    return _longest_prefix(text, range(1, len(text) + 1), limit, count)


def whole_items(text: str) -> str:
    """A truncated list without its last item if that may be incomplete; any other text unchanged.

    If only the last item's remark in brackets is incomplete, the item is kept without it.
    """
    ends = [match.start() for match in _ITEM_END.finditer(text)]
    if len(ends) < _FEWEST_ENDS:
        return text
    remark = text.rfind(" (", ends[-1])
    if remark >= 0 and ")" not in text[remark:]:
        return text[:remark]
    return text[: ends[-1]]


def _longest_prefix(text: str, ends: Sequence[int], limit: int, count: TokenCounter) -> str:
    """The longest prefix that stops at one of `ends` and has at most `limit` tokens."""
    fitting = bisect_right(ends, limit, key=lambda end: count(text[:end]))
    if not fitting:
        return ""
    return text[: ends[fitting - 1]]
