"""Counts tokens, and truncates answers to the evaluator's limit of 75."""

import math
import re
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from utils.errors import SettingsError
from utils.packages import package

MAX_ANSWER_TOKENS = 75
_MOST_CHARS_A_TOKEN = 40  # longer than the longest pieces of text in a Llama tokenizer

TokenCounter = Callable[[str], int]

TABLE = Path(__file__).with_name("token_counts.toml")
# What the estimate counts: words, numbers, other characters (a bracket that closes with the sign
# after it), long spaces and line ends.
_PIECE = re.compile(r"[A-Za-z]+|[0-9]+|\)[,.;:]|[^\sA-Za-z0-9]|\s{2,}|\n")
_VOWEL = re.compile(r"[aeiouy]", re.I)
_LEAST_BEGINNING = 2  # letters of a listed word that begins another one
_BEFORE_OPENING = ("", " ")  # the characters before a word that is a token together with its space
_SPACES_A_TOKEN = 8
_ROUNDING = 1e-6  # errors of sums
_DEVIATIONS = 2.15  # standard deviations above the mean, for the words that are not listed
_ITEM_END = re.compile(r"[,;]\s")
_FEWEST_ENDS = 2  # ends of items in a text that is treated as a list


@dataclass(frozen=True, slots=True)
class SplitCounts:
    """The tokens of words of one kind by their length, from 1; longer ones as the last.

    Attributes:
        mean: of their number.
        variance: of their number.
    """

    mean: tuple[float, ...]
    variance: tuple[float, ...]

    def of(self, length: int) -> tuple[float, float]:
        """The mean and the variance for a length."""
        place = min(length, len(self.mean)) - 1
        longer = max(length - len(self.mean), 0)
        return self.mean[place] + longer / 2, self.variance[place] + longer


@dataclass(frozen=True, slots=True)
class TokenTable:
    """How many tokens the words and characters of English answers have in Llama 2 and 3.

    They were measured once (docs/submit.md); the larger number counts.

    Attributes:
        words: those that are one token after a space and at the beginning of a text.
        inner_words: those that are one token after a space, and two at the beginning.
        characters: those beyond ASCII that are one token.
        split: for other words, by their letters after the longest of `words` that they begin with.
        capitals: for other words in capitals, by length.
        joined: for listed words that do not follow a space, by length.
    """

    words: frozenset[str]
    inner_words: frozenset[str]
    characters: frozenset[str]
    split: SplitCounts
    capitals: SplitCounts
    joined: SplitCounts

    def count(self, word: str, before: str) -> tuple[float, float]:
        """The mean and the variance of the number of tokens of a word; `before`: the character
        before it."""
        if len(word) == 1:
            return 1.0, 0.0
        if word in self.words or word in self.inner_words:
            if before not in _BEFORE_OPENING:
                return self.joined.of(len(word))
            return (1.0 if before or word in self.words else 2.0), 0.0
        if word.isupper():
            return self.capitals.of(len(word))
        if not _VOWEL.search(word):
            return float(len(word)), 0.0  # not a word: it may be split into letters
        return self.split.of(self.letters_after_beginning(word))

    def letters_after_beginning(self, word: str) -> int:
        """The letters of a word after the longest listed word that it begins with."""
        for length in range(len(word) - 1, _LEAST_BEGINNING - 1, -1):
            if word[:length] in self.words or word[:length] in self.inner_words:
                return len(word) - length
        return len(word)


@cache
def token_table() -> TokenTable:
    """The table in `token_counts.toml`."""
    content = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return TokenTable(
        words=frozenset(content["words"].split()),
        inner_words=frozenset(content["inner_words"].split()),
        characters=frozenset(content["characters"]) - {"\n"},
        split=_split_counts(content["split"]),
        capitals=_split_counts(content["capitals"]),
        joined=_split_counts(content["joined"]),
    )


def _split_counts(section: Mapping[str, Sequence[float]]) -> SplitCounts:
    return SplitCounts(tuple(section["mean"]), tuple(section["variance"]))


def estimate_tokens(text: str) -> int:
    """An upper estimate of the number of Llama tokens in `text`, from a small table.

    The contest's evaluator truncates with Llama 2's tokenizer: one token per digit and one for the
    space before a number, one for most punctuation, and up to one per UTF-8 byte of other
    characters; Llama 3's mostly uses fewer. Common words are one token. For all others the means of
    their kinds add up, with a margin of `_DEVIATIONS` of the sum, so that a long text has a smaller
    margin than each of its words. docs/submit.md has the measured error.
    """
    total = 0.0
    variance = 0.0
    for (piece, before), times in Counter(text_pieces(text)).items():
        mean, spread = _piece_tokens(piece, before)
        total += times * mean
        variance += times**2 * spread  # a repeated word is split in the same way each time
    if text and not (text[0].isascii() and text[0].isalnum()):
        total += 1  # Llama 2 writes the beginning of a text as a space
    return math.ceil(total + _DEVIATIONS * math.sqrt(variance) - _ROUNDING)


def text_pieces(text: str) -> Iterator[tuple[str, str]]:
    """The pieces that the estimate counts, each with the character before it; "" for the first."""
    for match in _PIECE.finditer(text):
        yield match.group(), text[match.start() - 1 : match.start()] if match.start() else ""


def _piece_tokens(piece: str, before: str) -> tuple[float, float]:
    """The mean and the variance of the number of tokens of a piece."""
    if piece.isascii() and piece.isalpha():
        return token_table().count(piece, before)
    opens = before in _BEFORE_OPENING
    if piece.isascii() and piece.isdigit():
        return len(piece) + (1 if opens else 0), 0.0
    if piece.isspace():
        spaces_only = not piece.strip(" ")
        return (1 + len(piece) // _SPACES_A_TOKEN if spaces_only else len(piece)), 0.0
    if piece.isascii() or piece in token_table().characters:
        return 1.0, 0.0
    return len(piece.encode("utf-8", errors="replace")) + (1 if opens else 0), 0.0


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
