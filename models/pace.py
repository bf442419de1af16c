"""What a batch gives up when its clock runs short, and how that is told beforehand.

The order stands in docs/submit.md: samples, passages, then whole questions for rounds of an LLM;
rerank, dense, pages for the web path. Nothing is given up as long as what is known of the pace says
that the work fits; of a stage that never ran nothing is known.
"""

import threading
from enum import StrEnum

_OLDER = 0.5  # of what a measurement weighs is left when the next one comes
_EASED = 0.5  # of the seconds that a stage is thought to take is left when it was left out
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
        self._done: dict[str, tuple[float, float]] = {}  # units and seconds, older ones for less
        self._lock = threading.Lock()

    def done(self, what: str, units: float, seconds: float, *, cut_off: bool = False) -> None:
        """Learn that so many units of `what` took so many seconds. `cut_off`: they would have taken
        longer, which says something only where it is slower than what is known."""
        if units <= 0 or (cut_off and seconds <= self.expected(what, units)):
            return
        with self._lock:
            before = self._done.get(what, (0.0, 0.0))
            self._done[what] = (units + _OLDER * before[0], seconds + _OLDER * before[1])

    def skipped(self, what: str) -> None:
        """Trust what is known of `what` less: it was left out, and so cannot be measured again."""
        with self._lock:
            if what in self._done:
                units, seconds = self._done[what]
                self._done[what] = (units, seconds * _EASED)

    def expected(self, what: str, units: float) -> float:
        """Seconds that so many units will take, with some safety; 0 where nothing is known."""
        with self._lock:
            known, seconds = self._done.get(what, (1.0, 0.0))
        return seconds / known * units * _SAFETY
