"""The contract of a system: it fills a ledger of answers before a deadline.

A system's module has `build(settings, llms=None) -> System`, where `llms` replace the engines of
the settings; `SUBTASKS`, the names of the subtasks that may use an LLM (absent: none), each known
to `models/llm/config.py`; and, where it has options, a dataclass that `utils.typed.read_record`
fills from the table `options`.
"""

from collections.abc import Sequence
from typing import Protocol

from models.records import Question
from models.runtime.ledger import Ledger
from utils.deadline import Deadline


class System(Protocol):
    """One way to answer a batch, as an anytime algorithm: see `Ledger`."""

    def answer(self, questions: Sequence[Question], deadline: Deadline, ledger: Ledger) -> None:
        """Fill `ledger`, slot i for `questions[i]`, before `deadline`.

        May raise: recorded answers are kept, and unfinished questions are retried once, one by one.
        A call that outlasts its deadline is abandoned; it may still be running, ignored, during the
        next one.
        """
        ...
