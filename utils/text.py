"""Words of texts, without case, accents and punctuation."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from Stemmer import Stemmer

_WORD = re.compile(r"[^\W_]+(?:'(?:s|t|re|ve|ll|d|m)\b)?")
_MINUS = re.compile(r"(?<!\w)(?<!\d )[-\u2212](?=[$\u20ac\u00a3]?\d)")  # of a number
_FINAL_SIGN = re.compile(r"(?<=[A-Za-z])(\+{1,2}|#)(?!\w)|(?<=[A-Z])-(?!\w)")  # "AA+", "C#", "A-"
_SIGNS = {"+": "plus", "++": "plusplus", "#": "sharp", "-": "minus"}
_APOSTROPHES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u00b4": "'"})

ARTICLES = frozenset(("a", "an", "the"))
# Function words: articles, prepositions, auxiliaries, question words, polite phrases.
FUNCTION_WORDS = frozenset(
    """
    a about all also am an and any are as at be been being but by came can come could did do
    does exactly find for from get give gives had happen happens has have help how i i'd i'll
    i'm i've if in inform into is it its just kindly know like many me much my need of on or our
    out please provide say share should show so some tell than that the their them there these
    they this those to us want was we we'd we've were what what's whats when when's where
    where's which who who's whom whose why will with wondering would you you've your
    """.split()
)


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """`text` in lower case, without accents, with plain apostrophes."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES).casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def words(text: str) -> list[str]:
    """The folded words of `text` without possessive endings."""
    return [word.removesuffix("'s") for word in _WORD.findall(fold(text))]


def words_with_signs(text: str) -> list[str]:
    """The folded words of `text`, with the signs that make another value as words.

    >>> words_with_signs("-$3"), words_with_signs("C++"), words_with_signs("a 3-1 win")
    (['minus', '3'], ['c', 'plusplus'], ['a', '3', '1', 'win'])
    """
    signed = _MINUS.sub(" minus ", text)
    return words(_FINAL_SIGN.sub(lambda sign: f" {_SIGNS[sign[0]]} ", signed))


def without_articles(words: Iterable[str]) -> list[str]:
    """`words`, folded, without "a", "an" and "the", in which answers and names may differ."""
    return [word for word in words if word not in ARTICLES]


def content_words(text: str) -> list[str]:
    """The words of `text` that are not function words."""
    return [word for word in words(text) if word not in FUNCTION_WORDS]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of an English word, by Snowball's rules."""
    # A stemmer has internal state, and several threads call this: use a new one each time.
    return str(Stemmer("english").stemWord(word))


def stems(text: str) -> set[str]:
    """The stems of the content words of `text`."""
    return {stem(word) for word in content_words(text)}


def find_run(run: list[str], within: list[str]) -> int:
    """The index of `run` in `within` as consecutive words; -1 if it does not occur or is empty."""
    if not run:
        return -1
    for start in range(len(within) - len(run) + 1):
        if within[start : start + len(run)] == run:
            return start
    return -1
