"""Load shedding: which work a batch omits when time is short, and the forecast that decides it.

docs/submit.md has the order. In a round of an LLM: samples, passages, then whole questions. In the
web path: reranking, embedding, pages. Nothing is omitted while the measured pace predicts that the
work fits. The pace of a stage that never ran is unknown, so the stage is tried.
"""

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from utils.deadline import Deadline

_OLDER = 0.5  # weight of older measurements when a new one arrives
_SAFETY = 1.2  # factor by which the work may take longer than measured
# Forecast factor per skipped question: a stage that was ten times too slow is retried after about
# fifty questions.
_EASED_PER_SKIP = 0.95

T = TypeVar("T")


class GivenUp(StrEnum):
    """Work that is omitted for a question, in the order of omission.

    The first three belong to a round of an LLM, the others to the web path.
    """

    SAMPLES = "samples"  # one sample instead of several
    PASSAGES = "passages"  # half of the passages in the prompt
    ROUND = "round"  # the LLM is not asked
    RERANK = "rerank"  # passages that were not scored keep their earlier order
    DENSE = "dense"  # passages that were not embedded are ranked by BM25 only
    PAGES = "pages"  # only the first pages are read


@dataclass(frozen=True, slots=True)
class _Measured:
    """How long work took; older measurements are included with less weight."""

    units: float
    seconds: float


class Pace:
    """Measured seconds per unit, for each kind of work; thread-safe."""

    def __init__(self) -> None:
        self._done: dict[str, _Measured] = {}
        self._lock = threading.Lock()

    def done(self, what: str, units: float, seconds: float, *, cut_off: bool = False) -> None:
        """Learn that `units` of `what` took `seconds`.

        `cut_off`: the work was not finished, so `seconds` is a lower bound. It is used only if it
        exceeds the forecast, and then replaces earlier measurements.
        """
        if units <= 0 or (cut_off and seconds <= self.expected(what, units)):
            return
        with self._lock:
            older = self._done.get(what)
            if older is None or cut_off:
                self._done[what] = _Measured(units, seconds)
            else:
                weighted_units = units + _OLDER * older.units
                weighted_seconds = seconds + _OLDER * older.seconds
                self._done[what] = _Measured(weighted_units, weighted_seconds)

    def skipped(self, what: str, eased: float) -> None:
        """Multiply the seconds of `what` by `eased` after it was omitted.

        Otherwise work that is omitted once would never run, and never be measured, again.
        """
        with self._lock:
            measured = self._done.get(what)
            if measured is not None:
                self._done[what] = _Measured(measured.units, measured.seconds * eased)

    def expected(self, what: str, units: float) -> float:
        """The predicted seconds for `units`, with a safety margin; 0 where the pace is unknown."""
        with self._lock:
            measured = self._done.get(what)
        if measured is None:
            return 0.0
        return measured.seconds / measured.units * units * _SAFETY

    def in_time(
        self, what: str, parts: Iterable[tuple[float, T]], deadline: Deadline
    ) -> Iterator[T]:
        """The parts of (units, part) in order, until one would miss the deadline.

        Measures the time that the caller spends on each part.
        """
        any_begun = False
        for units, part in parts:
            if deadline.remaining() <= self.expected(what, units):
                break
            any_begun = True
            start = deadline.clock()
            yield part
            self.done(what, units, deadline.clock() - start)
        if not any_begun:
            self.skipped(what, _EASED_PER_SKIP)
