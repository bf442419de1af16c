"""What every system is: something that fills a ledger of answers until its time is up."""

import threading
from collections.abc import Sequence
from typing import Protocol

from models.records import Answer, Question
from utils.deadline import Deadline


class Ledger:
    """One slot a question, "i don't know" to begin with; safe to write from any thread.

    A system records an answer as soon as it has one and may better it later. Once closed, writes
    are dropped: a system that runs on past its deadline changes nothing.
    """

    def __init__(self, size: int) -> None:
        self._answers: list[Answer] = [Answer()] * size
        self._done = [False] * size
        self._closed = False
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._answers)

    def record(self, index: int, answer: Answer, *, final: bool = True) -> None:
        """Put `answer` into slot `index`; `final=False`: it may still be bettered."""
        with self._lock:
            if not self._closed:
                self._answers[index] = answer
                self._done[index] = self._done[index] or final

    def close(self) -> tuple[list[Answer], list[bool]]:
        """Stop all writing; the answers, and for each slot whether a final one was recorded."""
        with self._lock:
            self._closed = True
            return list(self._answers), list(self._done)


class System(Protocol):
    """One way to answer a batch. Anytime: see `Ledger`."""

    def answer(self, questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        """Fill `answers`, slot i for `questions[i]`, before `deadline`.

        May raise: what it recorded before stands, and the other questions are tried once more.
        """
        ...
