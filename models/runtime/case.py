"""A question on its way through a system: what it asks, and the slot that its answer goes to."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from models.load_shedding import GivenUp
from models.records import Answer, Question
from models.runtime.trace import Step
from utils.deadline import Clock
from utils.errors import ApiError


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


# What becomes of a question: an Answer, a Failure, a Step, what was Retrieved, a RoundProgress, or
# the WrittenRequest of the step that follows.
Event: TypeAlias = object
# A function that hears of it. It is called while the question's slot is locked, so it must be
# quick, and must not write to the slot.
Listener = Callable[[Event], None]


@dataclass(slots=True)
class QuestionOutcome:
    """What became of a question.

    Attributes:
        answer: the current answer.
        final: whether no better answer will follow.
        answered_at: when the answer was recorded, by the slot's clock; None: it was not.
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


class Slot:
    """Where one question's outcome is written, initially "i don't know"; thread-safe.

    Once the slot is closed, writes are dropped: a system that outlasts its deadline changes
    nothing.
    """

    def __init__(self, clock: Clock = time.monotonic, listener: Listener | None = None) -> None:
        """An empty slot; `listener` is called with each event, by any thread."""
        self._outcome = QuestionOutcome()
        self._clock = clock
        self._listener = listener
        self._closed = False
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Whether a better answer may still be recorded."""
        return not (self._closed or self._outcome.final)

    def record(self, answer: Answer, *, final: bool) -> None:
        """Put `answer` into the slot; unless it is `final`, a better one may follow.

        Raises:
            TypeError: `answer` is not an `Answer` with a text.
        """
        if not isinstance(answer, Answer) or not isinstance(answer.text, str):
            raise TypeError(f"an answer must be an Answer with a text, is {answer!r:.80}")
        with self._lock:
            outcome = self._writable()
            outcome.answer = answer
            outcome.answered_at = self._clock()
            outcome.final = outcome.final or final
            self._tell(answer)

    def note_failure(self, failure: Failure) -> None:
        """Note a failure that did not end the question's processing."""
        with self._lock:
            self._writable().failed.append(failure)
            self._tell(failure)

    def note_step(self, step: Step, written: Event | None = None) -> None:
        """Add `step` to the trace; of an LLM's step, the listener is told before what was
        `written` for it."""
        with self._lock:
            self._writable().steps.append(step)
            if written is not None:
                self._tell(written)
            self._tell(step)

    def note_given_up(self, what: GivenUp) -> None:
        """Note that `what` is omitted, for lack of time."""
        with self._lock:
            given_up = self._writable().given_up
            if what not in given_up:
                given_up.append(what)

    def tell(self, event: Event) -> None:
        """Tell the listener what is not a part of the outcome."""
        with self._lock:
            self._tell(event)

    def close(self) -> QuestionOutcome:
        """Reject further writes and return the outcome."""
        with self._lock:
            self._closed = True
            return self._outcome

    def _tell(self, event: Event) -> None:
        if self._listener is not None and not self._closed:
            self._listener(event)

    def _writable(self) -> QuestionOutcome:
        """The outcome to write to; once the slot is closed, one that nobody reads."""
        return QuestionOutcome() if self._closed else self._outcome


@dataclass(eq=False)
class Case:
    """One question under way. A system's own subclass has what the system has found so far.

    Attributes:
        question: what is asked.
        slot: where its outcome is written.
    """

    question: Question
    slot: Slot = field(default_factory=Slot)

    @property
    def is_open(self) -> bool:
        """Whether it has no final answer yet."""
        return self.slot.is_open

    def settle(self, answer: Answer) -> None:
        """Record the final answer."""
        self.slot.record(answer, final=True)

    def propose(self, answer: Answer) -> None:
        """Record an answer; a better one may follow."""
        self.slot.record(answer, final=False)

    def note_step(self, step: Step) -> None:
        """Add a step to the trace."""
        self.slot.note_step(step)

    def note_failure(self, error: BaseException, step: str = "") -> None:
        """Note a failure, in the step of this name, that did not end the processing."""
        self.slot.note_failure(Failure(error, step))
