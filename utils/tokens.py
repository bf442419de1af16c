"""Counts tokens, and truncates answers to the evaluator's limit of 75."""

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path

from utils.errors import SettingsError
from utils.packages import package
from utils.text import FUNCTION_WORDS

MAX_ANSWER_TOKENS = 75
_MOST_CHARS_A_TOKEN = 40  # longer than the longest pieces of text in a Llama tokenizer

TokenCounter = Callable[[str], int]

# What the estimate counts: words, numbers, other characters, long spaces and line ends.
_PIECE = re.compile(r"[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9]|\s{2,}|\n")
_VOWEL = re.compile(r"[aeiouy]", re.I)
_SHORT = 4  # a word up to this long that is not very common counts as two tokens
_LETTERS_A_TOKEN = 2.5  # in longer words; names are split into small pieces
_ITEM_END = re.compile(r"[,;]\s")
_FEWEST_ENDS = 2  # ends of items in a text that is treated as a list
_SPELT_OUT = 5  # up to this many capitals count one each; in longer runs, three of four


def estimate_tokens(text: str) -> int:
    """An upper estimate of the number of Llama tokens in `text`, from its characters only.

    Llama 2's tokenizer, with which the contest's evaluator truncates, uses one token per digit and
    one for the space before a number, one for most punctuation, one for every one or two letters of
    non-words, and up to one per UTF-8 byte of other characters; Llama 3's uses fewer.
    docs/LOG.md (25 November 2026) has the measured error.
    """
    total = 2  # the first piece of a text, and one as a margin
    for match in _PIECE.finditer(text):
        before = text[match.start() - 1 : match.start()]
        total += _piece_tokens(match.group(), opens_word=before in ("", " "))
    return total


def _piece_tokens(piece: str, *, opens_word: bool) -> int:
    if not piece.isascii():
        return len(piece.encode("utf-8", errors="replace"))
    if piece.isdigit():
        return len(piece) + (1 if opens_word else 0)
    return _word_tokens(piece) if piece.isalpha() else 1


def _word_tokens(word: str) -> int:
    if len(word) == 1:
        return 1
    if word.isupper():
        return len(word) if len(word) <= _SPELT_OUT else math.ceil(len(word) * 0.75)
    if word.lower() in FUNCTION_WORDS:
        return 1
    if len(_VOWEL.findall(word)) * 4 < len(word):
        return len(word)  # not a word: it may be split into letters
    return 2 if len(word) <= _SHORT else math.ceil(len(word) / _LETTERS_A_TOKEN)


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
