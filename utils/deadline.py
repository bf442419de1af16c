"""A point in time that everything below is bounded by."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from utils.errors import DeadlineExceeded

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment, in seconds of a monotonic `clock`, after which work is worthless.

    It is a value: hand it down, and pass `remaining()` as the time-out of every call. Tests hand
    in a clock of their own.
    """

    at: float
    clock: Clock = field(default=time.monotonic, compare=False)

    @classmethod
    def after(cls, seconds: float, clock: Clock = time.monotonic) -> "Deadline":
        """The deadline `seconds` from now."""
        return cls(clock() + seconds, clock)

    def remaining(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.at - self.clock())

    @property
    def expired(self) -> bool:
        return self.remaining() <= 0.0

    def sooner(self, seconds: float) -> "Deadline":
        """The earlier of this deadline and `seconds` from now: a share for one step."""
        return Deadline(min(self.at, self.clock() + seconds), self.clock)

    def check(self, what: str) -> None:
        """Raise `DeadlineExceeded`, naming `what`, when no time is left."""
        if self.expired:
            raise DeadlineExceeded(f"{what}: no time left")
