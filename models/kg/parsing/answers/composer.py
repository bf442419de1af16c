"""What all composers share: their contract, and the values of outcomes."""

from collections.abc import Sequence
from typing import Any, Protocol

from models.english.quantities import as_number
from models.kg.execution.outcome import Outcome
from models.kg.lexicon.types import ValueType
from utils.text import fold


class Composer(Protocol):
    """Composes an answer."""

    @property
    def type(self) -> ValueType:
        """The type of its answers."""
        ...

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        """The answer; None if the outcomes are not sufficient."""
        ...


def compose(composer: Composer, outcomes: Sequence[Outcome]) -> str | None:
    """The answer; None if the outcomes are not sufficient, or a statement failed or came too
    late."""
    if any(outcome.errors for outcome in outcomes):
        return None
    return composer(outcomes)


def values_of(outcomes: Sequence[Outcome]) -> list[Any]:
    """The values of all outcomes, without records."""
    values: list[Any] = []
    for outcome in outcomes:
        values += [value for value in outcome.values if not isinstance(value, dict)]
    return values


def identity(value: Any) -> str | float:
    """A key that equal values share: a number, or a text with its signs but without case, blanks
    and quotes. Values of one key differ by their signs: "AA+" is another rating than "AA"."""
    number = as_number(value)
    if number is not None:
        return number
    return " ".join(fold(str(value)).replace('"', "").split())


def distinct(values: Sequence[Any]) -> list[Any]:
    """Each value once."""
    value_by_identity: dict[str | float, Any] = {}
    for value in values:
        value_by_identity.setdefault(identity(value), value)
    return list(value_by_identity.values())
