"""The ledger of a batch: each question's current answer, its failures and its trace."""

import threading
from dataclasses import dataclass

from models.load_shedding import GivenUp
from models.records import Answer
from models.runtime.trace import Step


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of a question in the step of that name; empty: outside of any step."""

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


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """One question's slot when the ledger was closed; each list in order of arrival."""

    answer: Answer
    final: bool
    failed: tuple[Failure, ...]
    steps: tuple[Step, ...] = ()
    given_up: tuple[GivenUp, ...] = ()

    @property
    def failures(self) -> tuple[BaseException, ...]:
        """The errors only."""
        return tuple(failure.error for failure in self.failed)


class Ledger:
    """One slot per question, initially "i don't know"; thread-safe.

    A system records an answer as soon as it has one and may replace it later. Once the ledger is
    closed, writes are dropped: a system that outlasts its deadline changes nothing.
    """

    def __init__(self, size: int) -> None:
        self._answers: list[Answer] = [Answer()] * size
        self._final = [False] * size
        self._failures: list[list[Failure]] = [[] for _ in range(size)]
        self._steps: list[list[Step]] = [[] for _ in range(size)]
        self._given_up: list[dict[GivenUp, None]] = [{} for _ in range(size)]
        self._closed = False
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._answers)

    def record(self, index: int, answer: Answer, *, final: bool = True) -> None:
        """Put `answer` into slot `index`; `final=False`: a better one may follow.

        Raises:
            TypeError: `answer` is not an `Answer` with a text.
            IndexError: there is no such slot.
        """
        if not isinstance(answer, Answer) or not isinstance(answer.text, str):
            raise TypeError(f"an answer must be an Answer with a text, is {answer!r:.80}")
        self._check(index)
        with self._lock:
            if not self._closed:
                self._answers[index] = answer
                self._final[index] = self._final[index] or final

    def failed(self, index: int, error: Exception, step: str = "") -> None:
        """Note a failure of question `index` in a step that did not end its processing."""
        self._check(index)
        with self._lock:
            if not self._closed:
                self._failures[index].append(Failure(error, step))

    def note(self, index: int, step: Step) -> None:
        """Add `step` to the trace of question `index`."""
        self._check(index)
        with self._lock:
            if not self._closed:
                self._steps[index].append(step)

    def gave_up(self, index: int, what: GivenUp) -> None:
        """Note that `what` is omitted for question `index`, for lack of time."""
        self._check(index)
        with self._lock:
            if not self._closed:
                self._given_up[index][what] = None

    def _check(self, index: int) -> None:
        if not 0 <= index < len(self._answers):
            raise IndexError(f"no slot {index} in a ledger of {len(self._answers)}")

    def close(self) -> list[QuestionOutcome]:
        """Reject further writes and return the slots."""
        with self._lock:
            self._closed = True
            return [
                QuestionOutcome(answer, final, tuple(failures), tuple(steps), tuple(given_up))
                for answer, final, failures, steps, given_up in zip(
                    self._answers,
                    self._final,
                    self._failures,
                    self._steps,
                    self._given_up,
                    strict=True,
                )
            ]
