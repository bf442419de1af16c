"""One batch on its way through a system."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from models.llm.protocol import Completion
from models.records import Answer, Question
from models.runtime.ledger import Ledger
from models.runtime.request import Request
from models.runtime.rounds import Rounds
from utils.deadline import Deadline


@dataclass
class Batch:
    """The input of every step of a system.

    Attributes:
        questions: the questions of the batch.
        rounds: asks the LLMs.
        deadline: of the whole batch.
        ledger: holds the answers.
        open: the indices of the questions without a final answer, in order.
    """

    questions: Sequence[Question]
    rounds: Rounds
    deadline: Deadline
    ledger: Ledger
    open: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.open = list(range(len(self.questions)))

    def share(self, part: float) -> Deadline:
        """The deadline of a step that may take `part`, a share, of the remaining time."""
        return self.deadline.sooner(self.deadline.remaining() * part)

    def ask(
        self, requests: Sequence[Request], deadline: Deadline
    ) -> list[tuple[Request, Completion]]:
        """One LLM round: each request with its completion."""
        completions = self.rounds.ask(requests, deadline, self.ledger)
        return list(zip(requests, completions, strict=True))

    def settle(self, index: int, answer: Answer) -> None:
        """Record a final answer."""
        self.ledger.record(index, answer)
        self.open.remove(index)


def in_turn(indices: Sequence[int], deadline: Deadline) -> Iterator[tuple[int, Deadline]]:
    """The questions one after the other, each with an equal share of the then remaining time."""
    for done, index in enumerate(indices):
        open_questions = len(indices) - done
        yield index, deadline.sooner(deadline.remaining() / open_questions)
