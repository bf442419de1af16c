"""How the rows of a function of the query language are fetched.

A function is a generator: it yields the calls it needs next, all at once, and is sent what they
gave. So the executor can make the calls of many statements side by side, each call once, and a
function reads as if it were alone.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from models.kg.match import best
from utils.crag_api import Call

Row = dict[str, Any]
_Given = TypeVar("_Given")
Asking = Generator[Sequence[Call], list[Any], _Given]


@dataclass(frozen=True, slots=True)
class Fetched:
    """Rows, best first, and what was asked of the KG by its own names.

    Attributes:
        complete: the KG holds all there is of this kind, so that what is not there is not so.
        asked: the entities of several calls, found or not; empty where it was one call.
        notes: what a reader of the rows should know.
    """

    rows: tuple[Row, ...] = ()
    entities: tuple[str, ...] = ()
    complete: bool = False
    asked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arguments:
    """A call's arguments: a text, a number, None for what is left open, or names that share rows.

    Attributes:
        wanted: the keys that are used; None: all of them. Only what is wanted costs calls.
        own: the names are the KG's own, from another call: no search is needed for them.
        equal: the values of the conditions that rows must equal.
        sift: keeps the rows that may fulfil the conditions, to be called before more is asked.
    """

    values: tuple[str | int | float | tuple[str, ...] | None, ...]
    now: datetime | None
    wanted: frozenset[str] | None = None
    own: bool = False
    equal: Mapping[str, Any] = field(default_factory=dict)
    sift: Callable[[Sequence[Row]], list[Row]] = list

    def text(self, index: int) -> str | None:
        """The argument as one text; None where it is left open."""
        names = self.names(index)
        return names[0] if names else None

    def names(self, index: int) -> tuple[str, ...]:
        """The argument as names: none, one or several."""
        value = self.values[index] if index < len(self.values) else None
        if isinstance(value, tuple):
            return value
        return () if value is None else (str(value),)

    def fixed(self, key: str) -> str | None:
        """The value that every row must have under a key; None where any may be there."""
        value = self.equal.get(key)
        return None if value is None else str(value)

    def wants(self, *keys: str) -> bool:
        """Whether one of `keys` may be used."""
        return self.wanted is None or self.names_key(*keys)

    def names_key(self, *keys: str) -> bool:
        """Whether one of `keys` is used by its name, and not only as part of a whole row."""
        return self.wanted is not None and not self.wanted.isdisjoint(keys)


Fetch = Asking[Fetched]
Function = Callable[[Arguments], Fetch]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a function of the language gets its rows: `endpoints` in the order in which it may
    call them."""

    fetch: Function
    endpoints: tuple[str, ...]


def ask(endpoint: str, **params: Any) -> Asking[Any]:
    """What one call gives."""
    (value,) = yield [Call(endpoint, params)]
    return value


def ask_all(endpoint: str, queries: Sequence[Any]) -> Asking[list[Any]]:
    """What one call per query gives, all made at once."""
    return (yield [Call(endpoint, {"query": query}) for query in queries])


def search(endpoint: str, name: str, name_of: Callable[[Any], str]) -> Asking[list[Any]]:
    """The hits of a search that are named like `name`: several only where they are equally so."""
    hits = yield from ask(endpoint, query=name)
    found, _ = best(name, [(name_of(hit), hit) for hit in hits or []])
    return found


def side_by_side(works: Sequence[Asking[_Given]]) -> Asking[list[_Given]]:
    """What each of `works` gives; the calls that all of them need next are made at once."""
    given: dict[int, _Given] = {}
    needs: dict[int, Sequence[Call]] = {}
    results: dict[int, list[Any]] = {}
    while len(given) < len(works):
        for index, work in enumerate(works):
            if index in given:
                continue
            try:
                needs[index] = next(work) if index not in needs else work.send(results[index])
            except StopIteration as stop:
                given[index] = stop.value
                needs.pop(index, None)
        replies = iter((yield [call for calls in needs.values() for call in calls]))
        results = {index: [next(replies) for _ in calls] for index, calls in needs.items()}
    return [given[index] for index in range(len(works))]
