"""Search over postings gives what the published formulas give by a scan of every name."""

import math
import random
import sqlite3
from collections import Counter

import pytest

from mock_api.search import POSTINGS, TOP, build_index, search

WORDS = [f"w{i}" for i in range(60)]


def index(docs: list[list[str]], *, drop_common: bool = False) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.execute(POSTINGS)
    build_index(db, "names", docs, drop_common=drop_common)
    return db


def scan(docs: list[list[str]], query: list[str], drop_common: bool) -> list[float]:
    """Every name's score, term by term, by the formulas of rank_bm25."""
    holders: Counter[str] = Counter()
    for doc in docs:
        holders.update(set(doc))
    idf = {}
    for term, count in holders.items():
        idf[term] = math.log(len(docs) - count + 0.5) - math.log(count + 0.5)
    if drop_common:
        idf = {term: weight for term, weight in idf.items() if weight > 4}
    else:
        floor = 0.25 * sum(idf.values()) / len(idf)
        idf = {term: floor if weight < 0 else weight for term, weight in idf.items()}
    mean_length = sum(map(len, docs)) / len(docs)
    scores = []
    for doc in docs:
        saturation = 1.5 * (0.25 + 0.75 * len(doc) / mean_length)
        counts = Counter(doc)
        score = 0.0
        for term in query:
            score += idf.get(term, 0) * counts[term] * 2.5 / (counts[term] + saturation)
        scores.append(score)
    return scores


@pytest.mark.parametrize("drop_common", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_the_best_ten_are_those_of_a_scan_with_ties_in_stored_order(
    seed: int, drop_common: bool
) -> None:
    rng = random.Random(seed)
    weights = [1 / (1 + i) for i in range(len(WORDS))]
    docs = [rng.choices(WORDS, weights, k=rng.randint(1, 7)) for _ in range(400)]
    db = index(docs, drop_common=drop_common)
    for _ in range(40):
        query = rng.choices(WORDS, k=rng.randint(1, 5))
        scores = scan(docs, query, drop_common)
        hits = search(db, "names", " ".join(query))
        best = sorted((score for score in scores if score > 0), reverse=True)[:TOP]
        assert [scores[doc] for doc in hits] == pytest.approx(best)
        assert len(set(hits)) == len(hits)
        assert hits == sorted(hits, key=lambda doc: (-round(scores[doc], 9), doc))


@pytest.mark.parametrize("docs", [[], [[]], [[], []]])
def test_nothing_is_found_among_no_names(docs: list[list[str]]) -> None:
    assert search(index(docs, drop_common=True), "names", "a") == []
