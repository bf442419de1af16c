"""What each step of electricsheep works on."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.llm.protocol import Completion
from models.records import Question
from models.runtime.ledger import Ledger
from models.runtime.rounds import Request, Rounds
from utils.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch on its way through the steps."""

    questions: Sequence[Question]
    rounds: Rounds
    deadline: Deadline
    answers: Ledger

    def share(self, part: float) -> Deadline:
        """The end of a step that may take `part` of the time that is left."""
        return self.deadline.sooner(self.deadline.remaining() * part)

    def ask(self, requests: Sequence[Request], part: float) -> list[Completion]:
        """One round, which may take `part` of the time that is left."""
        return self.rounds.ask(requests, self.share(part), self.answers)
