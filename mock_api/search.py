"""BM25 over names, as the official server ranks them, from postings kept in SQLite.

An import writes, for each term, which names hold it and what it adds to their scores; a query reads
its own terms' postings and adds them up, so neither start-up nor memory grows with the KG.
"""

import math
import sqlite3
import string
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

K1 = 1.5
B = 0.75
EPSILON = 0.25  # Okapi: a term in over half of all names weighs this share of the mean term
IDF_CUTOFF = 4.0  # the music search drops terms that are no rarer than this
TOP = 10

POSTINGS = (
    "CREATE TABLE posting (corpus TEXT, term TEXT, docs BLOB, weights BLOB,"
    " PRIMARY KEY (corpus, term))"  # docs are uint32, weights float64, both little-endian
)

DocNumbers = NDArray[np.int64]  # of documents
Scores = NDArray[np.float64]
_NO_PUNCTUATION = str.maketrans("_", " ", string.punctuation.replace("_", ""))


def normalize(name: str) -> str:
    """Lower case, ASCII punctuation gone, `_` and runs of white space one blank."""
    return " ".join(name.lower().translate(_NO_PUNCTUATION).split())


def build_index(
    db: sqlite3.Connection, corpus: str, docs: Iterable[list[str]], *, drop_common: bool = False
) -> None:
    """Write the postings of `docs` (lists of terms, numbered from 0) as `corpus`.

    `drop_common`: terms in many names are ignored, as the official server does for music only.
    """
    postings: dict[str, array[int]] = {}
    lengths = array("I")
    for doc, terms in enumerate(docs):
        lengths.append(len(terms))
        for term, count in Counter(terms).items():
            postings.setdefault(term, array("I")).extend((doc, count))
    db.executemany(
        "INSERT INTO posting VALUES (?, ?, ?, ?)",
        ((corpus, *row) for row in _weighted(postings, lengths, drop_common)),
    )


def search(db: sqlite3.Connection, corpus: str, query: str) -> list[int]:
    """The numbers of the best names, ten at most, best first, ties in their stored order.

    A name that scores 0 is no match. A negative score, which only a corpus of a few names gives, is
    one, as in the official server.
    """
    docs, scores = _scores(db, corpus, Counter(normalize(query).split()))
    if len(scores) > TOP:
        least = np.partition(scores, -TOP)[-TOP]
        is_best = scores >= least
        docs = docs[is_best]
        scores = scores[is_best]
    order = np.argsort(-scores, kind="stable")[:TOP]
    return [int(docs[index]) for index in order if scores[index]]


def _scores(db: sqlite3.Connection, corpus: str, terms: Counter[str]) -> tuple[DocNumbers, Scores]:
    """The names that hold any of `terms`, ascending, and their scores."""
    docs: list[DocNumbers] = []
    weights: list[Scores] = []
    for term, count in terms.items():
        posting = db.execute(
            "SELECT docs, weights FROM posting WHERE corpus = ? AND term = ?", (corpus, term)
        ).fetchone()
        if posting is not None:
            packed_docs, packed_weights = posting
            docs.append(np.frombuffer(packed_docs, dtype="<u4").astype(np.int64))
            weights.append(np.frombuffer(packed_weights, dtype="<f8") * count)
    if not docs:
        return np.empty(0, np.int64), np.empty(0, np.float64)
    unique_docs, places = np.unique(np.concatenate(docs), return_inverse=True)
    scores = np.bincount(places, weights=np.concatenate(weights)).astype(np.float64)
    return unique_docs, scores


def _weighted(
    postings: dict[str, "array[int]"], lengths: "array[int]", drop_common: bool
) -> Iterator[tuple[str, bytes, bytes]]:
    """(term, docs, weights) of every term that can add to a score."""
    holders = {term: len(pairs) // 2 for term, pairs in postings.items()}
    idf = _idf(holders, len(lengths), drop_common)
    length = np.asarray(lengths, dtype=np.float64)
    saturation = length
    if length.any():
        saturation = K1 * (1 - B + B * length / length.mean())
    for term, weight in idf.items():
        pairs = np.asarray(postings[term], dtype=np.int64)
        docs = pairs[::2]
        counts = pairs[1::2]
        scores = weight * (counts * (K1 + 1) / (counts + saturation[docs]))
        yield term, docs.astype("<u4").tobytes(), scores.astype("<f8").tobytes()


def _idf(holders: dict[str, int], size: int, drop_common: bool) -> dict[str, float]:
    """Each term's inverse document frequency, with common terms floored or dropped."""
    idf = {
        term: math.log(size - count + 0.5) - math.log(count + 0.5)
        for term, count in holders.items()
    }
    if not idf:
        return {}
    if drop_common:
        rare = {term: weight for term, weight in idf.items() if weight > IDF_CUTOFF}
        # Under about eighty names no term is rare enough. The official server does not start on so
        # few; ours ranks them like everything else.
        if rare:
            return rare
    floor = EPSILON * sum(idf.values()) / len(idf)
    return {term: weight if weight >= 0 else floor for term, weight in idf.items()}
