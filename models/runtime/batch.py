"""The cases of one batch on their way through a system."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from models.runtime.request import CaseT, Reply, Request
from models.runtime.rounds import Rounds
from utils.deadline import Deadline

T = TypeVar("T")


@dataclass(frozen=True)
class Batch(Generic[CaseT]):
    """The input of every step of a system.

    Attributes:
        cases: the questions, each with what the system has found.
        rounds: asks the LLMs.
        deadline: of the whole batch.
    """

    cases: Sequence[CaseT]
    rounds: Rounds
    deadline: Deadline

    @property
    def open(self) -> list[CaseT]:
        """The cases without a final answer, in order."""
        return [case for case in self.cases if case.is_open]

    def share(self, part: float) -> Deadline:
        """The deadline of a step that may take `part`, a share, of the remaining time."""
        return self.deadline.sooner(self.deadline.remaining() * part)

    def ask(self, requests: Sequence[Request[CaseT]], deadline: Deadline) -> list[Reply[CaseT]]:
        """One LLM round: the reply to each request."""
        return self.rounds.ask(requests, deadline)


def in_turn(items: Sequence[T], deadline: Deadline) -> Iterator[tuple[T, Deadline]]:
    """The items one after the other, each with an equal share of the then remaining time."""
    for done, item in enumerate(items):
        yield item, deadline.sooner(deadline.remaining() / (len(items) - done))
