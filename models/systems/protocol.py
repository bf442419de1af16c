"""What every system is: something that fills a ledger of answers until its time is up."""

from collections.abc import Sequence
from typing import Protocol

from models.records import Question
from models.runtime.ledger import Ledger
from utils.deadline import Deadline


class System(Protocol):
    """One way to answer a batch. Anytime: see `Ledger`."""

    def answer(self, questions: Sequence[Question], deadline: Deadline, answers: Ledger) -> None:
        """Fill `answers`, slot i for `questions[i]`, before `deadline`.

        May raise: what it recorded before stands, and unfinished questions are tried once more, one
        by one. A call that outlasts its deadline is abandoned and may still be running, ignored,
        when the next one comes.
        """
        ...
