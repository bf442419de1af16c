"""BM25 scores as published, whatever marks surround a word."""

import numpy as np
import pytest

from models.ranking.lexical import LexicalReranker


@pytest.mark.parametrize(
    ("query", "texts"), [("x", []), ("", ["b"]), ("unseen", ["c", "b"]), ("the of", ["the of"])]
)
def test_texts_without_a_word_of_the_query_score_zero(query: str, texts: list[str]) -> None:
    assert LexicalReranker().score(query, texts).tolist() == [0.0] * len(texts)


def test_scores_are_those_of_bm25_as_published() -> None:
    # one document of three holds the word, once, among two words of two; k1 1.5, b 0.75
    texts = ["alpha beta", "gamma delta", "gamma epsilon"]
    idf = np.log((3 + 1) / 1)
    norm = 1.5 * (1 - 0.75 + 0.75 * 2 / 2)
    expected = idf * (1.5 + 1) / (1 + norm)
    scores = LexicalReranker().score("alpha", texts)
    assert scores.tolist() == pytest.approx([expected, 0, 0], rel=1e-5)


@pytest.mark.parametrize(
    ("query", "text", "plain"),
    [
        ("titanic", "\u201cTitanic\u201d sank", '"Titanic" sank'),
        ("41 million", "it cost \u00a341 million", "it cost $41 million"),
        ("1995", "in 1990\u20131995", "in 1990-1995"),
        ("author", "the author\u2019s caf\u00e9", "the author's cafe"),
        ("cafe", "the cafe\u0301 there", "the cafe there"),
    ],
)
def test_marks_outside_ascii_end_words_too(query: str, text: str, plain: str) -> None:
    scores = LexicalReranker().score(query, [text, "other words"]).tolist()
    plain_scores = LexicalReranker().score(query, [plain, "other words"]).tolist()
    assert scores == plain_scores
    assert scores[0] > 0
