"""The contract of a system: it settles cases before a deadline.

A system's module has `build(settings, llms=None) -> System`, where `llms` replace the engines of
the settings; `SUBTASKS`, the names of the subtasks that may use an LLM (absent: none), each known
to `models/llm/config.py`; and, where it has options, a dataclass that `utils.typed.read_record`
fills from the table `options`.
"""

from collections.abc import Sequence
from typing import Protocol

from models.runtime.case import Case
from utils.deadline import Deadline


class System(Protocol):
    """One way to answer a batch, as an anytime algorithm: an answer is recorded as soon as there is
    one, and may be replaced."""

    def answer(self, cases: Sequence[Case], deadline: Deadline) -> None:
        """Settle each case before `deadline`.

        May raise: recorded answers are kept, and unfinished questions are retried once, one by one.
        A call that outlasts its deadline is abandoned; it may still be running, ignored, during the
        next one.
        """
        ...
