"""Text made comparable: one notation for numbers and names, tokens with their offsets, stems."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from evaluation.judge.lexicon import judge_lexicon
from models.english.quantity_words import ORDINAL_WORDS
from utils.text import ARTICLES, stem

CharSpan = tuple[int, int]  # where a phrase begins and ends in folded text

DENIES = re.compile(r"\b(?:not?|never|neither|nor|\w+n't|nobody|none)\b")

_PLAIN = str.maketrans("\u2019\u2018\u02bc\u00b4`\u2032\u201c\u201d\u2033\u00d7", "''''''\"\"\"x")
_DASHES = re.compile(r"[‐-―−]")
_MARKUP = re.compile(r"\*\*|__")
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.){2,}(?:[^\W\d_]\b)?")
_SPACED_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d,])")
_INDIAN_COMMAS = re.compile(r"(?<![\d.,])\d{1,2}(?:,\d{2})+,\d{3}(?![\d,])")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,'])(\d{1,3}(?:\.\d{3})+),(\d{1,2})\b")  # "1.250,00"
_DOTTED_THOUSANDS = re.compile(r"(?<![\d.,'])\d{1,3}(?:[.']\d{3}){2,}(?![\d.,])")  # "1.234.567"
_SCIENTIFIC = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(?:e\+?| ?x ?10 ?\^? ?)(\d{1,2})\b")
_DOLLARS = re.compile(r"\b(AU?|CA?|HK|NZ|SG?|MX|R)\$")  # not those of the United States
_TIMES = re.compile(r"(?<=\d)x\b", re.I)  # "6.75x"
_TO_ONE = re.compile(r"(?<=\d)(?:-to-| to |:)(?:1|one)\b")  # "4.6-to-1"
_TOKEN = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+(?:'[^\W\d_]+)?|&")
_ORDINAL_ENDING = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_ROMAN = re.compile(r"(?=[ivxlc]{2,})(c?)(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_CONTRACTED = ("n't", "'re", "'ll", "'ve", "'d", "'m")
_SHORT = 8  # tokens


def fold(text: str) -> str:
    """`text` in lower case and one notation; see `plain`."""
    return plain(text).lower()


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """`text` without accents, with plain quotes, dashes and single spaces, and with one notation
    for numbers and for countries that have several names.

    >>> plain("1 234 567 or 12,34,567 in the U.S.A.")
    '1234567 or 1234567 in the US'
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_PLAIN))
        text = "".join(char for char in text if not unicodedata.combining(char))
        text = _DASHES.sub("-", text)
    text = _MARKUP.sub("", text.replace("`", "'"))
    text = re.sub(r"[^\S\n]+", " ", text).strip()
    text = _INITIALS.sub(lambda match: match.group().replace(".", ""), text)
    text = _SPACED_THOUSANDS.sub(lambda match: match.group().replace(" ", ""), text)
    text = _INDIAN_COMMAS.sub(lambda match: match.group().replace(",", ""), text)
    text = _DECIMAL_COMMA.sub(lambda match: f"{match[1].replace('.', '')}.{match[2]}", text)
    text = _DOTTED_THOUSANDS.sub(lambda match: re.sub("[.']", "", match.group()), text)
    text = _SCIENTIFIC.sub(lambda match: f"{float(match[1]) * 10 ** int(match[2]):.0f}", text)
    text = _TIMES.sub("", text)
    text = _DOLLARS.sub(r"\1D-", _TO_ONE.sub("", text))
    return judge_lexicon().phrases.replaced(text)


@dataclass(frozen=True, slots=True)
class Token:
    """A word or number in canonical spelling; `start`, `end` are offsets in `Text.folded`.

    `capital`: it is written with a capital letter.
    """

    text: str
    start: int
    end: int
    capital: bool

    @property
    def stop(self) -> bool:
        """Whether it is a word of English that carries no answer by itself."""
        return self.text in judge_lexicon().stop


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

    def between(self, first: int, last: int) -> list[Token]:
        """The tokens that begin between two offsets, the second one excluded."""
        return [token for token in self.tokens if first <= token.start < last]

    def behind(self, place: int) -> Token | None:
        """The first token at an offset or behind it."""
        return next((token for token in self.tokens if token.start >= place), None)

    @property
    def joined(self) -> str:
        """The texts of the tokens with blanks between them."""
        return " ".join(self.words)

    @property
    def short(self) -> bool:
        """Whether it has at most eight tokens."""
        return len(self.tokens) <= _SHORT

    def plain_words(self, first: int, last: int) -> str:
        """The text between two offsets with blanks for names, which are no words of English."""
        letters = list(self.folded[first:last])
        for token in self.tokens[1:]:
            if token.capital and first <= token.start and token.end <= last:
                letters[token.start - first : token.end - first] = " " * (token.end - token.start)
        return "".join(letters)

    @property
    def has_capitals(self) -> bool:
        """Whether names can be told by their capitals."""
        return any(token.capital for token in self.tokens[1:])


@lru_cache(maxsize=8192)
def tokenize(text: str) -> Text:
    """The tokens of `text`. Articles are dropped unless there is nothing else."""
    written = plain(text)
    folded = written.lower()
    every = []
    for match in _TOKEN.finditer(folded):
        if _ORDINAL_ENDING.match(folded, match.start()):
            continue
        start, end = match.span()
        capital = len(written) == len(folded) and written[start].isupper()
        every.append(Token(_canonical(match.group()), start, end, capital))
    tokens = [token for token in every if token.text not in ARTICLES] or every
    return Text(folded, tuple(tokens), frozenset(stem(token.text) for token in tokens))


def _canonical(word: str) -> str:
    """The spelling that stands for `word` and for others that count as the same."""
    word = word.removesuffix("'s").replace(",", "")
    if not word.endswith(_CONTRACTED):
        word = word.replace("'", "")
    lexicon = judge_lexicon()
    word = lexicon.months.get(word) or lexicon.same.get(word, word)
    if word in ORDINAL_WORDS:
        return str(ORDINAL_WORDS[word])
    if _ROMAN.fullmatch(word):
        return str(_roman_number(word))
    return word


def _roman_number(numeral: str) -> int:
    """The value of a Roman numeral below 200.

    >>> _roman_number("lviii")
    58
    """
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    total = 0
    for value, following in zip(values, [*values[1:], 0], strict=True):
        total += -value if value < following else value
    return total
