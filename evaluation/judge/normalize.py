"""Text made comparable: folded characters, tokens with their places, and light stems."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'", "“": '"', "”": '"'})
_DASHES = re.compile(r"[‐-―−]")
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.){2,}(?:[^\W\d_]\b)?")
_TOKEN = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+(?:'[^\W\d_]+)?|&")

ARTICLES = frozenset(("a", "an", "the"))
_SAME = {"&": "and", "mt": "mount", "st": "saint", "ii": "2", "iii": "3", "iv": "4", "vi": "6"}
_SAME |= {"vii": "7", "viii": "8", "ix": "9", "zero": "0", "one": "1", "two": "2", "three": "3"}
_SAME |= {"four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9"}
_SAME |= {"ten": "10", "gray": "grey", "theatre": "theater", "centre": "center", "usa": "us"}

# Words of English that carry no answer by themselves.
STOP = ARTICLES | frozenset(
    """
    i you he she it we they me him her us them my your his its our their this that these those
    there here who whom whose which what when where why how is are was were be been being am
    do does did done has have had having can could will would shall should may might must of in
    on at by for from to with without as into onto over under about around than then and or but
    so if while because since until during after before between both all each every any some no
    not only also just very more most less least such same other another own too up down out off
    again once ever never still yet per via within among across against including include
    includes included included according based total approximately roughly nearly almost
    currently now yes answer question called named known considered name names following
    isn't wasn't aren't weren't don't doesn't didn't it's that's
    """.split()
)


def fold(text: str) -> str:
    """`text` in lower case, without accents, with plain quotes and dashes and single spaces."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_QUOTES))
        text = "".join(c for c in text if not unicodedata.combining(c))
        text = _DASHES.sub("-", text)
    text = text.casefold().replace("`", "'").replace("**", "").replace("__", "")
    text = _INITIALS.sub(lambda m: m.group().replace(".", ""), text)
    return re.sub(r"[^\S\n]+", " ", text).strip()


def stem(word: str) -> str:
    """`word` without a common English ending, so that "wins" and "winning" meet."""
    if word.endswith("ss"):
        return word
    for end in ("ning", "ing", "ies", "ed", "es", "s", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[: -len(end)]
    return word


@dataclass(frozen=True, slots=True)
class Token:
    """A word or number in canonical spelling; `start`, `end` are offsets in `Text.folded`."""

    text: str
    start: int
    end: int

    @property
    def stop(self) -> bool:
        return self.text in STOP


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

    def gap(self, i: int) -> str:
        """The characters between token `i - 1` and token `i`, or those outside the ends."""
        start = self.tokens[i - 1].end if i > 0 else 0
        end = self.tokens[i].start if i < len(self.tokens) else len(self.folded)
        return self.folded[start:end]


_CONTRACTED = ("n't", "'re", "'ll", "'ve", "'d", "'m")


def _canonical(word: str) -> str:
    word = word.removesuffix("'s").replace(",", "")
    if not word.endswith(_CONTRACTED):
        word = word.replace("'", "")
    return _SAME.get(word, word)


@lru_cache(maxsize=8192)
def read(text: str) -> Text:
    """The tokens of `text`. Articles are dropped unless there is nothing else."""
    folded = fold(text)
    every = [
        Token(_canonical(found.group()), found.start(), found.end())
        for found in _TOKEN.finditer(folded)
    ]
    tokens = tuple(token for token in every if token.text not in ARTICLES) or tuple(every)
    return Text(folded, tokens, frozenset(stem(token.text) for token in tokens))
