"""Features of a question: counts of its word and character n-grams, hashed into buckets."""

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from models.ranking.protocol import Floats
from utils.text import fold, stem

BUCKETS = 2**15  # per block; a validation question fills about 400 of them
MAX_CHARS = 2000  # of a question; the rest is ignored

Parts = TypeVar("Parts", list[str], str)
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
            columns.extend(block * BUCKETS + bucket for bucket in counts)
            values.append(row / (np.linalg.norm(row) or 1.0))
        starts.append(len(columns))
    flat = np.concatenate(values) if values else np.zeros(0)
    return Sparse(np.array(starts), np.array(columns, dtype=np.int64), flat.astype(np.float32))


def _blocks(text: str) -> tuple[list[str], list[str], list[str]]:
    """The n-grams of `text`: of stems; of words, with begin and end marks; of characters.

    All numbers, and all years, become the same token in the blocks of words and characters.
    """
    lowered = fold(text)
    shaped = _DIGITS.sub("#", _YEAR.sub(r"year\1", lowered))
    stems = [stem(word) for word in _TOKEN.findall(lowered)]
    words = _TOKEN.findall(shaped)
    openings = ["^" + " ".join(words[:length]) for length in (1, 2, 3)]
    ending = [word + "$" for word in words[-1:]]
    padded = [f" {word} " for word in shaped.split()]
    return (
        [" ".join(run) for length in (1, 2, 3) for run in _runs(stems, length)],
        [*words, *map(" ".join, _runs(words, 2)), *openings, *ending],
        [run for word in padded for length in (2, 3, 4, 5) for run in _runs(word, length)],
    )


BLOCKS = 3


def _runs(parts: Parts, length: int) -> Iterator[Parts]:
    """The runs of so many words of a list, or characters of a text."""
    return (parts[at : at + length] for at in range(len(parts) - length + 1))
