"""Features of a question: counts of its word and character n-grams, hashed into buckets."""

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.ranking.protocol import Floats
from utils.text import fold, stem

BLOCKS = 3  # of features: n-grams of stems, of words, of characters
BUCKETS = 2**15  # per block; a validation question fills about 400 of them
MAX_CHARS = 2000  # of a question; the rest is ignored

_STEM_LENGTHS = (1, 2, 3)
_OPENING_LENGTHS = (1, 2, 3)
_CHAR_LENGTHS = (2, 3, 4, 5)
_TOKEN = re.compile(r"[\w#]+(?:'\w+)?")
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d(s?)\b")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Sparse:
    """A sparse matrix: row i has entries in `columns[starts[i]:starts[i + 1]]`."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Floats


def features(texts: Sequence[str]) -> Sparse:
    """The hashed n-grams of each text, each block of unit length: BUCKETS columns per block."""
    starts = [0]
    columns: list[int] = []
    values: list[NDArray[np.float64]] = []
    for text in texts:
        for block, grams in enumerate(_blocks(text[:MAX_CHARS])):
            counts = Counter(zlib.crc32(gram.encode()) % BUCKETS for gram in grams)
            row = 1 + np.log(np.fromiter(counts.values(), dtype=np.float64, count=len(counts)))
            length = np.linalg.norm(row) or 1.0
            columns.extend(block * BUCKETS + bucket for bucket in counts)
            values.append(row / length)
        starts.append(len(columns))
    flat = np.concatenate(values) if values else np.zeros(0)
    return Sparse(np.array(starts), np.array(columns, dtype=np.int64), flat.astype(np.float32))


def _blocks(text: str) -> tuple[list[str], list[str], list[str]]:
    """The n-grams of `text`: of stems; of words, with begin and end marks; of characters.

    All numbers, and all years, become the same token in the blocks of words and characters.
    """
    lowered = fold(text)
    same_years = _YEAR.sub(r"year\1", lowered)
    same_numbers = _DIGITS.sub("#", same_years)
    return _stem_grams(lowered), _word_grams(same_numbers), _char_grams(same_numbers)


def _stem_grams(text: str) -> list[str]:
    """The runs of one to three stems."""
    stems = [stem(word) for word in _TOKEN.findall(text)]
    grams = []
    for length in _STEM_LENGTHS:
        grams += _word_runs(stems, length)
    return grams


def _word_grams(text: str) -> list[str]:
    """The words and pairs of words; "^" marks the first words of a question, "$" the last one."""
    words = _TOKEN.findall(text)
    grams = words + _word_runs(words, 2)
    for length in _OPENING_LENGTHS:
        grams.append("^" + " ".join(words[:length]))
    if words:
        grams.append(words[-1] + "$")
    return grams


def _char_grams(text: str) -> list[str]:
    """The runs of two to five characters within each word and the blanks around it."""
    grams = []
    for word in text.split():
        padded = f" {word} "
        for length in _CHAR_LENGTHS:
            grams += [padded[at : at + length] for at in range(len(padded) - length + 1)]
    return grams


def _word_runs(words: Sequence[str], length: int) -> list[str]:
    """The runs of `length` words, each joined by blanks."""
    return [" ".join(words[at : at + length]) for at in range(len(words) - length + 1)]
