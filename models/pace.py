"""What a batch gives up when its clock runs short, and how that is told beforehand.

The order stands in docs/submit.md: samples, passages, then whole questions for rounds of an LLM;
rerank, dense, pages for the web path. Nothing is given up as long as what is known of the pace says
that the work fits; of a stage that never ran nothing is known.
"""

import threading
from enum import StrEnum

_NEWEST = 0.5  # of a new measurement in the mean
_SAFETY = 1.2  # work is taken to be so much more than it was


class GivenUp(StrEnum):
    """What a question went without, in the order in which it is given up."""

    SAMPLES = "samples"  # one sample in place of several
    PASSAGES = "passages"  # half of the passages in the prompt
    RERANK = "rerank"  # the retrieval's own order
    DENSE = "dense"  # no embeddings, BM25 alone
    PAGES = "pages"  # the pages with the best snippets only
    ROUND = "round"  # not asked at all


class Pace:
    """Seconds a unit of work by what it is, as measured; safe to use from several threads."""

    def __init__(self) -> None:
        self._rates: dict[str, float] = {}
        self._lock = threading.Lock()

    def done(self, what: str, units: float, seconds: float) -> None:
        """Learn that so many units of `what` took so many seconds."""
        if units <= 0:
            return
        with self._lock:
            before = self._rates.get(what, seconds / units)
            self._rates[what] = before + _NEWEST * (seconds / units - before)

    def expected(self, what: str, units: float) -> float:
        """Seconds that so many units will take, with some safety; 0 where nothing is known."""
        with self._lock:
            return self._rates.get(what, 0.0) * units * _SAFETY
