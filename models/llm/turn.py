"""One caller at a time: an engine in this process holds state from one call to its next step."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from utils.deadline import Deadline


class Turn:
    """Who may use an engine; a call that was abandoned keeps its turn until its own deadline."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @contextmanager
    def taken(self, deadline: Deadline) -> Iterator[bool]:
        """Wait for the turn, no longer than `deadline`: whether it came."""
        mine = self._lock.acquire(timeout=min(deadline.remaining(), threading.TIMEOUT_MAX))
        try:
            yield mine
        finally:
            if mine:
                self._lock.release()
