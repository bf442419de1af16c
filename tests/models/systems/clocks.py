"""A clock that a test moves."""

from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass
class Clock:
    """Stands still until a test moves it."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now

    def after(self, seconds: float, value: T) -> T:
        """`value`, so many seconds later."""
        self.now += seconds
        return value
