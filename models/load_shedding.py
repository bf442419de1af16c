"""Load shedding: which work a batch omits when time is short, and the forecast that decides it.

docs/submit.md has the order: samples, passages, then rounds for whole questions of an LLM;
reranking, embedding, pages for the web path. Nothing is omitted while the measured pace predicts
that the work fits. The pace of a stage that never ran is unknown, and it is tried.
"""

import threading
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TypeVar

from utils.deadline import Deadline

_OLDER = 0.5  # weight of older measurements when a new one arrives
_SAFETY = 1.2  # factor by which the work may take longer than measured
_TRIED_AGAIN = 0.95  # a stage ten times too slow is tried again after about fifty questions

T = TypeVar("T")


class GivenUp(StrEnum):
    """Work omitted for a question, first in a round, then in the web path; each in the order of
    omission."""

    SAMPLES = "samples"  # one sample instead of several
    PASSAGES = "passages"  # half of the passages in the prompt
    ROUND = "round"  # the LLM is not asked
    RERANK = "rerank"  # what was not scored keeps its earlier order
    DENSE = "dense"  # BM25 only, for what was not embedded
    PAGES = "pages"  # only the first pages are read


class Pace:
    """Measured seconds per unit, for each kind of work; thread-safe."""

    def __init__(self) -> None:
        self._done: dict[str, tuple[float, float]] = {}  # units, seconds; older ones weigh less
        self._lock = threading.Lock()

    def done(self, what: str, units: float, seconds: float, *, cut_off: bool = False) -> None:
        """Learn that `units` of `what` took `seconds`. `cut_off`: they were not finished, so
        `seconds` is a lower bound; it is used only if it exceeds the forecast, and then replaces
        earlier measurements."""
        if units <= 0 or (cut_off and seconds <= self.expected(what, units)):
            return
        with self._lock:
            before = (0.0, 0.0) if cut_off else self._done.get(what, (0.0, 0.0))
            self._done[what] = (units + _OLDER * before[0], seconds + _OLDER * before[1])

    def skipped(self, what: str, eased: float) -> None:
        """Multiply the seconds of `what` by `eased` after it was omitted: work that never runs
        would never be measured again."""
        with self._lock:
            if what in self._done:
                units, seconds = self._done[what]
                self._done[what] = (units, seconds * eased)

    def expected(self, what: str, units: float) -> float:
        """The predicted seconds for `units`, with a safety margin; 0 where the pace is unknown."""
        with self._lock:
            known, seconds = self._done.get(what, (1.0, 0.0))
        return seconds / known * units * _SAFETY

    def in_time(
        self, what: str, parts: Iterable[tuple[float, T]], deadline: Deadline
    ) -> Iterator[T]:
        """The parts of (units, part) in order, until one would miss the deadline. Measures the time
        that the caller spends on each."""
        begun = False
        for units, part in parts:
            if deadline.remaining() <= self.expected(what, units):
                break
            begun, start = True, deadline.clock()
            yield part
            self.done(what, units, deadline.clock() - start)
        if not begun:
            self.skipped(what, _TRIED_AGAIN)
