"""Text made comparable: folded characters, tokens with their offsets, stems.

The word lists of the rules are the tables of `lexicon.toml`.
"""

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from utils.text import stem

Span = tuple[int, int]  # where a phrase begins and ends in folded text

_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'", "“": '"', "”": '"'})
_DASHES = re.compile(r"[‐-―−]")
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.){2,}(?:[^\W\d_]\b)?")
_TOKEN = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+(?:'[^\W\d_]+)?|&")

_ARTICLES = frozenset(("a", "an", "the"))


@cache
def table() -> dict[str, dict[str, Any]]:
    """The tables of `lexicon.toml`."""
    with Path(__file__).with_name("lexicon.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def words(part: str, *rows: str) -> frozenset[str]:
    """The words of a table: of all its rows, or of those named."""
    return frozenset(word for row in rows or table()[part] for word in table()[part][row].split())


@cache
def row_of(part: str) -> dict[str, str]:
    """The words of a table, each with the name of its row."""
    return {word: row for row, listed in table()[part].items() for word in listed.split()}


def fold(text: str) -> str:
    """`text` in lower case, without accents, with plain quotes and dashes and single spaces."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_QUOTES))
        text = "".join(c for c in text if not unicodedata.combining(c))
        text = _DASHES.sub("-", text)
    text = text.casefold().replace("`", "'").replace("**", "").replace("__", "")
    text = _INITIALS.sub(lambda m: m.group().replace(".", ""), text)
    return re.sub(r"[^\S\n]+", " ", text).strip()


@dataclass(frozen=True, slots=True)
class Token:
    """A word or number in canonical spelling; `start`, `end` are offsets in `Text.folded`."""

    text: str
    start: int
    end: int

    @property
    def stop(self) -> bool:
        return self.text in words("stop")


@dataclass(frozen=True, slots=True)
class Text:
    """A string, folded, and its tokens without articles."""

    folded: str
    tokens: tuple[Token, ...]
    stems: frozenset[str]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(token.text for token in self.tokens)

    @property
    def joined(self) -> str:
        return " ".join(self.words)

    @property
    def short(self) -> bool:
        return len(self.tokens) <= 8


_CONTRACTED = ("n't", "'re", "'ll", "'ve", "'d", "'m")


def _canonical(word: str) -> str:
    word = word.removesuffix("'s").replace(",", "")
    if not word.endswith(_CONTRACTED):
        word = word.replace("'", "")
    return row_of("same").get(word, word)


@lru_cache(maxsize=8192)
def read(text: str) -> Text:
    """The tokens of `text`. Articles are dropped unless there is nothing else."""
    folded = fold(text)
    every = [
        Token(_canonical(found.group()), found.start(), found.end())
        for found in _TOKEN.finditer(folded)
    ]
    tokens = tuple(token for token in every if token.text not in _ARTICLES) or tuple(every)
    return Text(folded, tokens, frozenset(stem(token.text) for token in tokens))
