"""A text is embedded once, as long as it is kept, and the clock is looked at between steps."""

import numpy as np

from models.ranking.cache import CachingEmbedder
from models.ranking.protocol import BoundedEmbedder
from tests.models.systems.clocks import Clock
from tests.models.web.counting_embedder import CountingEmbedder
from utils.deadline import Deadline


def test_a_text_is_embedded_once() -> None:
    inner = CountingEmbedder()
    embedder = CachingEmbedder(inner, step=2)
    assert isinstance(embedder, BoundedEmbedder)
    texts = ["fish", "rain", "fish", "boats"]
    rows = embedder.embed(texts)
    assert inner.embedded == ["fish", "rain", "boats"]
    assert (embedder.embed(["rain", "tide"]) == inner.embed(["rain", "tide"])).all()
    assert inner.embedded[3:] == ["tide", "rain", "tide"]
    assert (rows == inner.embed(texts)).all() and rows.dtype == np.float32
    assert embedder.embed([]).shape == (0, 0)


def test_what_was_not_asked_for_long_is_forgotten() -> None:
    inner = CountingEmbedder()
    embedder = CachingEmbedder(inner, size=2)
    for text in ("a fish", "a boat", "a fish", "a tide", "a fish", "a boat"):
        embedder.embed([text])
    assert inner.embedded == ["a fish", "a boat", "a tide", "a boat"]


def test_the_first_texts_are_embedded_while_there_is_time() -> None:
    clock = Clock()

    class Slow(CountingEmbedder):
        def embed(self, texts: list[str]) -> np.ndarray:  # type: ignore[override]
            return clock.after(1.0, super().embed(texts))

    embedder = CachingEmbedder(Slow(), step=2)
    texts = ["one", "two", "six", "ten", "net"]
    assert len(embedder.embed_until(texts, Deadline(2.0, clock))) == 2, "one step, and no second"
    assert len(embedder.embed_until(texts, Deadline(1.0, clock))) == 2, "what is kept needs no time"
