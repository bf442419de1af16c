"""What the types of answers have in common: readings, and why a text cannot be read as a type."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from evaluation.judge.question import JudgedQuestion
from evaluation.judge.text import Text

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Unread:
    """A reply that cannot be read as a type, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class AnswerType(Generic[V]):
    """A type of answers.

    Attributes:
        name: in the reasons of verdicts.
        read_gold: what a gold answer states; None if it is of another type.
        read_reply: what a reply states in its place, given the gold.
        equal: whether a reply says what the gold says.
        contradicts: whether both cannot be true.
        close: what to say of a reply that neither equals nor contradicts the gold.
    """

    name: str
    read_gold: Callable[[Text, JudgedQuestion], V | None]
    read_reply: Callable[[Text, JudgedQuestion, V], "V | Unread"]
    equal: Callable[[V, V], bool]
    contradicts: Callable[[V, V], bool]
    close: str = "is nearly the same"


AnyType = AnswerType[Any]
