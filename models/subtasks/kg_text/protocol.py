"""The contract of a source of KG text, and the division of its text into passages."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Protocol

from models.runtime.case import Case
from models.subtasks.kg_text.bounded import KG_CHARS, bounded
from utils.deadline import Deadline

PIECE_CHARS = 1200  # of one passage of KG text; a prompt takes whole passages only


class KgText(Protocol):
    """A source of KG facts about questions, as text for a model's prompt."""

    def gather(self, cases: Sequence[Case], deadline: Deadline) -> list[str]:
        """KG text for each case, in order; empty: nothing found.

        If the calls of a case fail, it notes that, and its text is empty.
        """
        ...


def kg_pieces(text: str, question: str = "") -> list[str]:
    """The KG text as passages, shortened to about half of the references of a prompt; what has
    words of the question stays first."""
    return pieces("\n".join(bounded(text.splitlines(), KG_CHARS, question)))


def pieces(text: str, size: int = PIECE_CHARS) -> list[str]:
    """The KG text as passages of whole lines, about `size` characters each; a longer line is split
    between words if possible."""
    passages: list[str] = []
    for line in text.splitlines():
        for part in wrap(line, size):
            if passages and len(passages[-1]) + len(part) < size:
                passages[-1] += f"\n{part}"
            else:
                passages.append(part)
    return passages
