"""The ledger of a batch: each question's answer so far, its failures and its trace."""

import threading
from dataclasses import dataclass

from models.load_shedding import GivenUp
from models.records import Answer
from models.runtime.trace import Step


@dataclass(frozen=True, slots=True)
class Failure:
    """What failed for a question, in the step of that name; empty: outside of any step."""

    error: BaseException
    step: str = ""

    @property
    def kind(self) -> str:
        """What reports call it."""
        return getattr(self.error, "kind", "") or type(self.error).__name__

    @property
    def of_setup(self) -> bool:
        """Whether other questions meet it too, for it tells of a server, a key or a package."""
        return bool(getattr(self.error, "of_setup", False))


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question's slot when the ledger was closed; all in the order in which they came."""

    answer: Answer
    final: bool
    failed: tuple[Failure, ...]
    steps: tuple[Step, ...] = ()
    given_up: tuple[GivenUp, ...] = ()

    @property
    def failures(self) -> tuple[BaseException, ...]:
        """The errors alone."""
        return tuple(failure.error for failure in self.failed)


class Ledger:
    """One slot a question, "i don't know" to begin with; safe to write from any thread.

    A system records an answer as soon as it has one and may better it later. Once closed, writes
    are dropped: a system that runs on past its deadline changes nothing.
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
            TypeError: `answer` is no `Answer` with a text.
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
        """Note that something failed for question `index` in a step; it goes on without it."""
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
        """Note that `what` is left out for question `index`, for lack of time."""
        self._check(index)
        with self._lock:
            if not self._closed:
                self._given_up[index][what] = None

    def _check(self, index: int) -> None:
        if not 0 <= index < len(self._answers):
            raise IndexError(f"no slot {index} in a ledger of {len(self._answers)}")

    def close(self) -> list[Outcome]:
        """Stop all writing; what stands in each slot."""
        with self._lock:
            self._closed = True
            return [
                Outcome(answer, final, tuple(failures), tuple(steps), tuple(given_up))
                for answer, final, failures, steps, given_up in zip(
                    self._answers,
                    self._final,
                    self._failures,
                    self._steps,
                    self._given_up,
                    strict=True,
                )
            ]
