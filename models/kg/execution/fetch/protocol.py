"""How the rows of a function of the query language are fetched.

A function is a generator: it yields all calls that it needs next and receives their results. The
executor can thus make the calls of many statements in parallel, each once, while a function is
written as if it ran alone.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from models.kg.english.likeness import best
from utils.crag_api import ApiCall

Row = dict[str, Any]
_Given = TypeVar("_Given")
ApiSteps = Generator[Sequence[ApiCall], list[Any], _Given]


@dataclass(frozen=True, slots=True)
class Fetched:
    """Rows, best first, and the KG's own names of the requested entities.

    Attributes:
        complete: the KG has all rows of this kind, so that absence is evidence.
        asked: the entities of several calls, found or not; empty for a single call.
        notes: information for a reader of the rows.
    """

    rows: tuple[Row, ...] = ()
    entities: tuple[str, ...] = ()
    complete: bool = False
    asked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arguments:
    """A call's arguments: a text, a number, None if left open, or names that share rows.

    Attributes:
        wanted: the keys that are used; None: all of them. Only these cost calls.
        own: the names are the KG's own, from another call, and need no search.
        sift: keeps the rows that may satisfy the conditions; call it before making further calls.
    """

    values: tuple[str | int | float | tuple[str, ...] | None, ...]
    now: datetime | None
    wanted: frozenset[str] | None = None
    own: bool = False
    sift: Callable[[Sequence[Row]], list[Row]] = list

    def text(self, index: int) -> str | None:
        """The argument as one text; None if left open."""
        names = self.names(index)
        return names[0] if names else None

    def names(self, index: int) -> tuple[str, ...]:
        """The argument as names: none, one or several."""
        value = self.values[index] if index < len(self.values) else None
        if isinstance(value, tuple):
            return value
        return () if value is None else (str(value),)

    def wants(self, *keys: str) -> bool:
        """Whether one of `keys` may be used."""
        return self.wanted is None or self.names_key(*keys)

    def names_key(self, *keys: str) -> bool:
        """Whether one of `keys` is used explicitly, not only as part of a whole row."""
        return self.wanted is not None and not self.wanted.isdisjoint(keys)


FetchSteps = ApiSteps[Fetched]
FetchFunction = Callable[[Arguments], FetchSteps]


@dataclass(frozen=True, slots=True)
class Fetcher:
    """How a function of the language is fetched: `endpoints` in the order in which it may call
    them."""

    fetch: FetchFunction
    endpoints: tuple[str, ...]


def ask(endpoint: str, **params: Any) -> ApiSteps[Any]:
    """The result of one call."""
    (value,) = yield [ApiCall(endpoint, params)]
    return value


def ask_all(endpoint: str, queries: Sequence[Any]) -> ApiSteps[list[Any]]:
    """The results of one call per query, made in parallel."""
    return (yield [ApiCall(endpoint, {"query": query}) for query in queries])


def search(endpoint: str, name: str, name_of: Callable[[Any], str]) -> ApiSteps[list[Any]]:
    """The search hits whose names match `name`: several only if they match equally well."""
    hits = yield from ask(endpoint, query=name)
    found, _ = best(name, [(name_of(hit), hit) for hit in hits or []])
    return found


def side_by_side(works: Sequence[ApiSteps[_Given]]) -> ApiSteps[list[_Given]]:
    """The result of each of `works`; the calls that they need next are made together."""
    given: dict[int, _Given] = {}
    needs: dict[int, Sequence[ApiCall]] = {}
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
