"""How the rows of a function of the query language are fetched.

A function is a generator: it yields all calls that it needs next and receives their results. The
executor can thus make the calls of many statements in parallel, each once, while a function is
written as if it ran alone.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from models.english.likeness import SAME_LETTERS, best_matches
from utils.crag_api import ApiCall
from utils.plain_question import plain_signs

Row = dict[str, Any]
# The key that tells the entity of a row from others with its name: "Dune (1984)". Rows have it only
# where the KG has several entities of the requested name; those of the best known are first.
ENTITY = "entity"
OF = "of"  # the key that names a row's entity, where rows of several entities are joined
_Result = TypeVar("_Result")
# Yields the calls that it needs next, is sent their replies, and returns a result.
CallGenerator = Generator[Sequence[ApiCall], list[Any], _Result]
ArgumentValue = str | int | float | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Fetched:
    """Rows, best first, and the KG's own names of the requested entities.

    Attributes:
        complete: the KG has all rows of this kind, so that absence is evidence.
        subjects: of several calls, a name each, found or not; empty for a single call.
        notes: information for a reader of the rows.
        readings: names that were read as other ones, a sentence each.
    """

    rows: tuple[Row, ...] = ()
    entities: tuple[str, ...] = ()
    complete: bool = False
    subjects: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arguments:
    """A call's arguments: a text, a number, None if left open, or names that share rows.

    Attributes:
        wanted: the keys that are used; None: all of them. Only these cost calls.
        names_are_exact: the names are the KG's own, from another call, and need no search.
        sift: keeps the rows that may satisfy the conditions; call it before making further calls.
    """

    values: tuple[ArgumentValue, ...]
    now: datetime | None
    wanted: frozenset[str] | None = None
    names_are_exact: bool = False
    sift: Callable[[Sequence[Row]], list[Row]] = list

    def text(self, index: int) -> str | None:
        """The argument as one text; None if left open."""
        names = self.names(index)
        return names[0] if names else None

    def names(self, index: int) -> tuple[str, ...]:
        """The argument as names: none, one or several."""
        value = self.values[index] if index < len(self.values) else None
        if value is None:
            return ()
        names = value if isinstance(value, tuple) else (str(value),)
        if self.names_are_exact:
            return names
        return tuple(plain_signs(name).strip(' "') or name for name in names)

    def wants(self, *keys: str) -> bool:
        """Whether one of `keys` may be used."""
        return self.wanted is None or self.wants_explicitly(*keys)

    def wants_explicitly(self, *keys: str) -> bool:
        """Whether one of `keys` is used, not only as part of a whole row."""
        return self.wanted is not None and not self.wanted.isdisjoint(keys)


FetchSteps = CallGenerator[Fetched]
FetchFunction = Callable[[Arguments], FetchSteps]


@dataclass(frozen=True, slots=True)
class Fetcher:
    """How a function of the language is fetched.

    Attributes:
        endpoints: those that it may call, in this order.
    """

    fetch: FetchFunction
    endpoints: tuple[str, ...]


def ask(endpoint: str, **params: Any) -> CallGenerator[Any]:
    """The result of one call."""
    (value,) = yield [ApiCall(endpoint, params)]
    return value


def ask_all(endpoint: str, queries: Sequence[Any]) -> CallGenerator[list[Any]]:
    """The results of one call per query, made in parallel."""
    return (yield [ApiCall(endpoint, {"query": query}) for query in queries])


@dataclass(frozen=True, slots=True)
class Matches:
    """The search hits that match a name: several only if they match equally well.

    Attributes:
        readings: a sentence if the hits have another name, such as another spelling.
    """

    hits: list[Any]
    readings: tuple[str, ...] = ()


def search(
    endpoint: str, name: str, name_of: Callable[[Any], str], *, exactly: bool = False
) -> CallGenerator[Matches]:
    """The search hits whose names match `name`; if `exactly`, no misspelt ones."""
    hits = yield from ask(endpoint, query=name)
    matches, score = best_matches(name, [(name_of(hit), hit) for hit in hits or []])
    if not matches or (exactly and score < SAME_LETTERS):
        return Matches([])
    return Matches(matches, readings_of(name, name_of(matches[0]), score))


def readings_of(name: str, match: str, score: float) -> tuple[str, ...]:
    """That a name was read as another one; nothing if only case, punctuation, accents, articles or
    the spelling of numbers differ."""
    return () if score >= SAME_LETTERS else (reading_of(name, match),)


def reading_of(name: str, match: str) -> str:
    """That a name was read as another one, in words."""
    return f'"{name}" was read as "{match}"'


def told_apart(rows: Sequence[Row], labels: Sequence[str]) -> list[Row]:
    """The rows of entities with one name, each with the label of its entity; unchanged if there is
    only one entity."""
    if len(set(labels)) < 2:
        return list(rows)
    return [{**row, ENTITY: label} for row, label in zip(rows, labels, strict=True)]


def about_one_of(labels: Sequence[str]) -> list[str]:
    """That the first of several entities of one name is meant; nothing about a single one."""
    if len(labels) < 2:
        return []
    return [f"this is about {labels[0]}; others of this name: {', '.join(labels[1:])}"]


def side_by_side(works: Sequence[CallGenerator[_Result]]) -> CallGenerator[list[_Result]]:
    """The result of each of `works`; the calls that they need next are made together."""
    results: dict[int, _Result] = {}
    needed_calls: dict[int, Sequence[ApiCall]] = {}
    replies: dict[int, list[Any]] = {}
    while len(results) < len(works):
        for index, work in enumerate(works):
            if index in results:
                continue
            try:
                if index in replies:
                    needed_calls[index] = work.send(replies[index])
                else:
                    needed_calls[index] = next(work)
            except StopIteration as stop:
                results[index] = stop.value
                needed_calls.pop(index, None)
        together: list[ApiCall] = []
        for calls in needed_calls.values():
            together += calls
        next_reply = iter((yield together))
        replies = {}
        for index, calls in needed_calls.items():
            replies[index] = [next(next_reply) for _ in calls]
    return [results[index] for index in range(len(works))]
