"""What is under way in a run, in words: the questions of its current batch, and their LLM round."""

from collections.abc import Callable
from threading import Lock

from models.records import Answer
from models.runtime.case import Event
from models.runtime.request import RoundProgress


class UnderWay:
    """The questions that are being answered, from what a model tells of them.

    A model in another process tells nothing: then only their number is known.
    """

    def __init__(self) -> None:
        """Nothing is under way."""
        self.on_change: Callable[[], None] | None = None  # called when the words change
        self._questions = 0
        self._answered: set[int] = set()
        self._round: RoundProgress | None = None
        self._lock = Lock()

    def start(self, questions: int) -> None:
        """A batch of so many questions is begun."""
        self._set(self._questions + questions)

    def end(self, questions: int) -> None:
        """A batch of so many questions is answered."""
        self._set(self._questions - questions)

    def _set(self, questions: int) -> None:
        with self._lock:
            self._questions = questions
            self._answered.clear()
            self._round = None
        self._tell()

    def hear(self, index: int, event: Event) -> None:
        """An event of question `index` of the batch: the `listener` of a `UserModel`."""
        with self._lock:
            if isinstance(event, Answer):
                self._answered.add(index)
            elif isinstance(event, RoundProgress):
                self._round = event
            else:
                return
        self._tell()

    def _tell(self) -> None:
        if self.on_change is not None:
            self.on_change()

    def __str__(self) -> str:
        """In words; empty: nothing is under way."""
        with self._lock:
            if not self._questions:
                return ""
            details = []
            if self._answered:
                details.append(f"{len(self._answered)} answered")
            if self._round is not None:
                details.append(f"{self._round.step} {self._round.done}/{self._round.requests}")
            words = f"{self._questions} under way"
            return f"{words} ({', '.join(details)})" if details else words
