"""Answers as a multiple-choice question, and the choice of a model (dragonrangers, section 3.3)."""

import re
import string
from collections.abc import Sequence

from models.llm.protocol import Constraint, ConstraintKind
from models.records import Answer

LETTERS = string.ascii_uppercase


def choice_lines(offered: Sequence[Answer]) -> str:
    """One line per answer, each with its letter."""
    shown = [answer.text if answer.known else "I don't know" for answer in offered]
    return "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, shown, strict=False))


def choice_constraint(offered: Sequence[Answer]) -> Constraint:
    """One of the letters, and nothing else."""
    return Constraint(ConstraintKind.CHOICE, "\n".join(LETTERS[: len(offered)]))


def chosen(text: str, offered: Sequence[Answer]) -> Answer:
    """The answer whose letter begins `text`; "i don't know" if there is none."""
    letter = re.match(r"\W*([A-Z])\b", text)
    place = LETTERS.index(letter[1]) if letter else len(offered)
    return offered[place] if place < len(offered) else Answer()
