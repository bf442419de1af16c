"""A deadline with an injectable clock."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from utils.errors import DeadlineExceeded

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Deadline:
    """The time, in seconds of a monotonic `clock`, after which work has no value.

    Pass it to every function that waits, and use `remaining()` as the timeout of every call. Tests
    pass their own clock.
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
        """Whether no time is left."""
        return self.remaining() <= 0.0

    def sooner(self, seconds: float) -> "Deadline":
        """The earlier of this deadline and `seconds` from now: a share for one step."""
        return Deadline(min(self.at, self.clock() + seconds), self.clock)

    def check(self, what: str) -> None:
        """Check that time is left for the work `what`.

        Raises:
            DeadlineExceeded: no time is left; the message names `what`.
        """
        if self.expired:
            raise DeadlineExceeded(f"{what}: no time left")
