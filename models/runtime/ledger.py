"""The ledger of a batch: each question's current answer, its failures and its trace."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from models.load_shedding import GivenUp
from models.records import Answer
from models.runtime.trace import Step
from utils.deadline import Clock
from utils.errors import ApiError

if TYPE_CHECKING:
    from models.runtime.request import RoundProgress, WrittenRequest
    from models.web.retrieved import Retrieved


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of a question.

    Attributes:
        error: its cause.
        step: the name of the step in which it happened; empty: outside of any step.
    """

    error: BaseException
    step: str = ""

    @property
    def kind(self) -> str:
        """Its name in reports."""
        return getattr(self.error, "kind", "") or type(self.error).__name__

    @property
    def of_setup(self) -> bool:
        """Whether its cause is the setup (server, key, package), which affects all questions."""
        return bool(getattr(self.error, "of_setup", False))

    @property
    def leaves_no_answer(self) -> bool:
        """Whether it explains "i don't know": the setup, the whole system, or the KG API failed."""
        return self.of_setup or not self.step or isinstance(self.error, ApiError)


# What becomes of a question, and a function that hears of it: (the question's index, the event).
# It is called while the ledger is locked, so it must be quick, and must not call the ledger.
Event: TypeAlias = "Answer | Failure | Retrieved | RoundProgress | Step | WrittenRequest"
Listener = Callable[[int, Event], None]


@dataclass(slots=True)
class QuestionOutcome:
    """One question's slot.

    Attributes:
        answer: the current answer.
        final: whether no better answer will follow.
        answered_at: when the answer was recorded, by the ledger's clock; None: it was not.
        failed: the failures, in order of arrival.
        steps: the trace, likewise.
        given_up: omitted work, likewise.
    """

    answer: Answer = Answer()
    final: bool = False
    answered_at: float | None = None
    failed: list[Failure] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    given_up: list[GivenUp] = field(default_factory=list)

    @property
    def failures(self) -> list[BaseException]:
        """The errors only."""
        return [failure.error for failure in self.failed]


class Ledger:
    """One slot per question, initially "i don't know"; thread-safe.

    A system records an answer as soon as it has one and may replace it later. Once the ledger is
    closed, writes are dropped: a system that outlasts its deadline changes nothing.
    """

    def __init__(
        self, size: int, clock: Clock = time.monotonic, listener: Listener | None = None
    ) -> None:
        """A ledger for `size` questions; `listener` is called with each event, by any thread."""
        self._slots = [QuestionOutcome() for _ in range(size)]
        self._clock = clock
        self._listener = listener
        self._closed = False
        self._lock = threading.Lock()

    def record(self, index: int, answer: Answer, *, final: bool = True) -> None:
        """Put `answer` into slot `index`; with `final=False`, a better one may follow.

        Raises:
            TypeError: `answer` is not an `Answer` with a text.
        """
        if not isinstance(answer, Answer) or not isinstance(answer.text, str):
            raise TypeError(f"an answer must be an Answer with a text, is {answer!r:.80}")
        with self._lock:
            slot = self._slot(index)
            slot.answer = answer
            slot.answered_at = self._clock()
            slot.final = slot.final or final
            self._tell(index, answer)

    def note_failure(self, index: int, error: Exception, step: str = "") -> None:
        """Note a failure of question `index` in a step that did not end its processing."""
        failure = Failure(error, step)
        with self._lock:
            self._slot(index).failed.append(failure)
            self._tell(index, failure)

    def note_step(self, index: int, step: Step, written: "WrittenRequest | None" = None) -> None:
        """Add `step` to the trace of question `index`; of an LLM's step, the listener is told
        before what was `written` for it."""
        with self._lock:
            self._slot(index).steps.append(step)
            if written is not None:
                self._tell(index, written)
            self._tell(index, step)

    def note_retrieved(self, index: int, retrieved: "Retrieved") -> None:
        """Tell the listener which passages were retrieved for question `index`."""
        with self._lock:
            self._tell(index, retrieved)

    def note_round(self, index: int, progress: "RoundProgress") -> None:
        """Tell the listener how far the LLM round is in which question `index` is asked."""
        with self._lock:
            self._tell(index, progress)

    def note_given_up(self, index: int, what: GivenUp) -> None:
        """Note that `what` is omitted for question `index`, for lack of time."""
        with self._lock:
            slot = self._slot(index)
            if what not in slot.given_up:
                slot.given_up.append(what)

    def _tell(self, index: int, event: Event) -> None:
        if self._listener is not None and not self._closed:
            self._listener(index, event)

    def _slot(self, index: int) -> QuestionOutcome:
        """The slot to write to; once the ledger is closed, one that nobody reads."""
        return QuestionOutcome() if self._closed else self._slots[index]

    def close(self) -> list[QuestionOutcome]:
        """Reject further writes and return the slots."""
        with self._lock:
            self._closed = True
            return self._slots
