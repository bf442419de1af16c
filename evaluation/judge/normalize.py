"""Text made comparable: folded characters, tokens with their offsets, stems."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from evaluation.judge.lexicon import judge_lexicon
from utils.text import stem

CharSpan = tuple[int, int]  # where a phrase begins and ends in folded text

_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'", "“": '"', "”": '"'})
_DASHES = re.compile(r"[‐-―−]")
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.){2,}(?:[^\W\d_]\b)?")
_TOKEN = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+(?:'[^\W\d_]+)?|&")
_ARTICLES = frozenset(("a", "an", "the"))
_CONTRACTED = ("n't", "'re", "'ll", "'ve", "'d", "'m")
_SHORT = 8  # tokens


def fold(text: str) -> str:
    """`text` in lower case, without accents, with plain quotes and dashes and single spaces."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_QUOTES))
        text = "".join(char for char in text if not unicodedata.combining(char))
        text = _DASHES.sub("-", text)
    text = text.casefold().replace("`", "'").replace("**", "").replace("__", "")
    text = _INITIALS.sub(lambda match: match.group().replace(".", ""), text)
    return re.sub(r"[^\S\n]+", " ", text).strip()


@dataclass(frozen=True, slots=True)
class Token:
    """A word or number in canonical spelling; `start`, `end` are offsets in `Text.folded`."""

    text: str
    start: int
    end: int

    @property
    def stop(self) -> bool:
        """Whether it is a word of English that carries no answer by itself."""
        return self.text in judge_lexicon().stop.words


@dataclass(frozen=True, slots=True)
class Text:
    """A string, folded, and its tokens without articles."""

    folded: str
    tokens: tuple[Token, ...]
    stems: frozenset[str]

    @property
    def words(self) -> tuple[str, ...]:
        """The texts of the tokens."""
        return tuple(token.text for token in self.tokens)

    @property
    def joined(self) -> str:
        """The texts of the tokens with blanks between them."""
        return " ".join(self.words)

    @property
    def short(self) -> bool:
        """Whether it has at most eight tokens."""
        return len(self.tokens) <= _SHORT


@lru_cache(maxsize=8192)
def tokenize(text: str) -> Text:
    """The tokens of `text`. Articles are dropped unless there is nothing else."""
    folded = fold(text)
    every = [
        Token(_canonical(match.group()), match.start(), match.end())
        for match in _TOKEN.finditer(folded)
    ]
    tokens = [token for token in every if token.text not in _ARTICLES]
    if not tokens:
        tokens = every
    return Text(folded, tuple(tokens), frozenset(stem(token.text) for token in tokens))


def _canonical(word: str) -> str:
    """The spelling that stands for `word` and for others that count as the same."""
    word = word.removesuffix("'s").replace(",", "")
    if not word.endswith(_CONTRACTED):
        word = word.replace("'", "")
    return judge_lexicon().same.get(word, word)
