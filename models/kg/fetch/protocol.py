"""How the rows of a function of the query language are fetched.

A function is a generator: it yields the calls it needs next, all at once, and is sent what they
gave. So the executor can make the calls of many statements side by side, each call once, and a
function reads as if it were alone.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from models.kg.match import best
from utils.crag_api import Call

Row = dict[str, Any]
Asking = Generator[Sequence[Call], list[Any], Any]


@dataclass(frozen=True, slots=True)
class Fetched:
    """Rows, best first, and what was asked of the KG by its own names.

    `complete`: the KG holds all there is of this kind, so that what is not there is not so.
    """

    rows: tuple[Row, ...] = ()
    entities: tuple[str, ...] = ()
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Arguments:
    """A call's arguments: a text, a number, None for what is left open, or several names."""

    values: tuple[str | int | float | tuple[str, ...] | None, ...]
    now: datetime | None

    def text(self, index: int) -> str | None:
        """The argument as one text; the first of several names; None where it is left open."""
        value = self.values[index] if index < len(self.values) else None
        if isinstance(value, tuple):
            return value[0] if value else None
        return None if value is None else str(value)

    def names(self, index: int) -> tuple[str, ...]:
        """The argument as names: none, one or several."""
        value = self.values[index] if index < len(self.values) else None
        if isinstance(value, tuple):
            return value
        return () if value is None else (str(value),)


Fetch = Generator[Sequence[Call], list[Any], Fetched]
Function = Callable[[Arguments], Fetch]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a function of the language gets its rows: `endpoints` in the order in which it may
    call them."""

    fetch: Function
    endpoints: tuple[str, ...]


def ask(endpoint: str, **params: Any) -> Generator[Sequence[Call], list[Any], Any]:
    """What one call gives."""
    (value,) = yield [Call(endpoint, params)]
    return value


def search(
    endpoint: str, name: str, name_of: Callable[[Any], str]
) -> Generator[Sequence[Call], list[Any], list[Any]]:
    """The hits of a search that are named like `name`: several only where they are equally so."""
    hits = yield from ask(endpoint, query=name)
    found, _ = best(name, [(name_of(hit), hit) for hit in hits or []])
    return found
