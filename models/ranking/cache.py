"""A wrapper of any embedder that stops at a deadline and embeds each text only once."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from models.load_shedding import Pace
from models.ranking.protocol import Embedder, Floats
from utils.deadline import Deadline

NEVER = Deadline(float("inf"))


class CachingEmbedder:
    """Caches the rows of the last `size` texts; checks the clock after every `step` texts."""

    def __init__(self, inner: Embedder, *, size: int = 8192, step: int = 32) -> None:
        self._inner = inner
        self._size = size
        self._step = step
        self._rows: OrderedDict[str, Floats] = OrderedDict()
        self._lock = threading.Lock()
        self._pace = Pace()

    def embed(self, texts: Sequence[str]) -> Floats:
        return self.embed_until(texts, NEVER)

    def embed_query(self, query: str) -> Floats:
        return self._inner.embed_query(query)

    def embed_until(self, texts: Sequence[str], deadline: Deadline) -> Floats:
        """float32[m, d]: one row of unit length for each of the first m texts, cached or embedded
        before the deadline."""
        with self._lock:
            known = {text: self._rows[text] for text in texts if text in self._rows}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        steps = [missing[i : i + self._step] for i in range(0, len(missing), self._step)]
        parts = ((sum(map(len, step)), step) for step in steps)
        for step in self._pace.in_time("embed", parts, deadline):
            known.update(zip(step, self._inner.embed(step), strict=True))
        self._keep(known)
        done = next((i for i, text in enumerate(texts) if text not in known), len(texts))
        rows = [known[text] for text in texts[:done]]
        return np.stack(rows) if rows else np.zeros((0, 0), dtype=np.float32)

    def _keep(self, rows: dict[str, Floats]) -> None:
        with self._lock:
            for text, row in rows.items():
                self._rows[text] = row
                self._rows.move_to_end(text)
            while len(self._rows) > self._size:
                self._rows.popitem(last=False)
