"""What a batch gives up when its clock runs short, and how that is told beforehand.

The orders stand in docs/submit.md: samples, passages, then whole questions for rounds of an LLM;
rerank, dense, pages for the web path. Nothing is given up as long as what is known of the pace says
that the work fits; of a stage that never ran nothing is known.
"""

import threading
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TypeVar

from utils.deadline import Deadline

_OLDER = 0.5  # of what a measurement weighs is left when the next one comes
_SAFETY = 1.2  # work is taken to be so much more than it was
_TRIED_AGAIN = 0.95  # a stage ten times too slow is tried again after some fifty questions

T = TypeVar("T")


class GivenUp(StrEnum):
    """What was left out for a question: of a round, then of the web path, each in the order of
    leaving out."""

    SAMPLES = "samples"  # one sample in place of several
    PASSAGES = "passages"  # half of the passages in the prompt
    ROUND = "round"  # not asked at all
    RERANK = "rerank"  # the earlier order, for what was not scored
    DENSE = "dense"  # BM25 alone, for what was not embedded
    PAGES = "pages"  # the first pages only


class Pace:
    """Seconds a unit of work by what it is, as measured; safe to use from several threads."""

    def __init__(self) -> None:
        self._done: dict[str, tuple[float, float]] = {}  # units and seconds, older ones for less
        self._lock = threading.Lock()

    def done(self, what: str, units: float, seconds: float, *, cut_off: bool = False) -> None:
        """Learn that so many units of `what` took so many seconds. `cut_off`: they would have taken
        longer, which says something only where it is slower than what is known; then that is no
        longer true."""
        if units <= 0 or (cut_off and seconds <= self.expected(what, units)):
            return
        with self._lock:
            before = (0.0, 0.0) if cut_off else self._done.get(what, (0.0, 0.0))
            self._done[what] = (units + _OLDER * before[0], seconds + _OLDER * before[1])

    def skipped(self, what: str, eased: float) -> None:
        """Take `what` to be faster by the factor `eased`: it was left out, and what never runs is
        never measured again."""
        with self._lock:
            if what in self._done:
                units, seconds = self._done[what]
                self._done[what] = (units, seconds * eased)

    def expected(self, what: str, units: float) -> float:
        """Seconds that so many units will take, with some safety; 0 where nothing is known."""
        with self._lock:
            known, seconds = self._done.get(what, (1.0, 0.0))
        return seconds / known * units * _SAFETY

    def in_time(
        self,
        what: str,
        parts: Iterable[tuple[float, T]],
        deadline: Deadline,
        *,
        first: bool = False,
    ) -> Iterator[T]:
        """Of (units, part) each part, until one would not be done by the deadline; what the caller
        does with a part is measured. `first`: the first one is tried if there is any time at all.
        """
        begun = False
        for units, part in parts:
            expected = 0.0 if first and not begun else self.expected(what, units)
            if deadline.remaining() <= expected:
                break
            begun, start = True, deadline.clock()
            yield part
            self.done(what, units, deadline.clock() - start)
        if not begun:
            self.skipped(what, _TRIED_AGAIN)
