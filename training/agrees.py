"""Whether an answer agrees with the gold, by a judge that must not be down."""

from evaluation.judge.protocol import Item, Judge, Verdict
from utils.errors import JudgeError

IN_A_ROW = 5  # failures, after which a judge is taken to be down


class Agrees:
    """Asks `judge` item by item; a failure now and then counts as no."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._failed = 0

    def __call__(self, item: Item) -> bool:
        """Whether the judge calls `item` correct.

        Raises:
            JudgeError: it gave no verdict several times in a row.
        """
        (said,) = self._judge.judge([item])
        self._failed = self._failed + 1 if said.failed else 0
        if self._failed >= IN_A_ROW:
            raise JudgeError(f"the judge gave no verdict {IN_A_ROW} times in a row: {said.reason}")
        return said.verdict is Verdict.CORRECT
