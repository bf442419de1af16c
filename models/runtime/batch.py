"""One batch on its way through a system."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.llm.protocol import Completion
from models.records import Question
from models.runtime.ledger import Ledger
from models.runtime.rounds import Request, Rounds
from utils.deadline import Deadline


@dataclass
class Batch:
    """The input of every step of a system. `deadline` is that of the whole batch."""

    questions: Sequence[Question]
    rounds: Rounds
    deadline: Deadline
    ledger: Ledger

    def share(self, part: float) -> Deadline:
        """The deadline of a step that may take the share `part` of the time left."""
        return self.deadline.sooner(self.deadline.remaining() * part)

    def ask(self, requests: Sequence[Request], deadline: Deadline) -> list[Completion]:
        """One LLM round: one completion per request, in order."""
        return self.rounds.ask(requests, deadline, self.ledger)
