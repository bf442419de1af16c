"""What a reader makes of a question: a program to run, and how its results become an answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from models.kg.english.names import Names
from models.kg.execute import Outcome
from models.kg.linking.question import Asked


class Compose(Protocol):
    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        """The short answer that the outcomes of a program give; None where they settle nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Reading:
    """`program`: text of the query language, in its strict form."""

    program: str
    compose: Compose


class Reader(Protocol):
    def __call__(self, asked: Asked, names: Names) -> list[Reading]:
        """The readings of a question, the likeliest first; none where it asks for something else.

        Raises:
            ApiError: a search of the KG failed.
            DeadlineExceeded: no time was left for one.
        """
        ...
