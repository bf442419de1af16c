"""The tree of a program in the KG query language (db3, section 3.2 and Appendix C.3).

A program is statements; a statement fetches rows, keeps some, reads one key of them, and may reduce
the values to one. `language/printer.py` writes a tree as text and `language/parser.py` reads it
back: the same tree comes out.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Union

Scalar = str | int | float | bool | None


class Op(StrEnum):
    """How a condition compares; `ge` and `le` include the bound, `gt` and `lt` do not."""

    EQ = "eq"
    NE = "neq"
    GE = "ge"
    LE = "le"
    GT = "gt"
    LT = "lt"


class Reduce(StrEnum):
    """Many values become one."""

    LEN = "len"
    AVG = "AVG"
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"


@dataclass(frozen=True, slots=True)
class Star:
    """`*`: the result of the statement before."""


@dataclass(frozen=True, slots=True)
class Column:
    """A key of the same row, as the value of a condition: `gt(close, open)`."""

    key: str


@dataclass(frozen=True, slots=True)
class Names:
    """`["a", "b"]` as an argument, at least one: each of them, or, of a film or a person in a table
    that joins both, what all of them have in common."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """`op(key, value)`: keeps the rows whose `key` compares so with `value`."""

    op: Op
    key: str
    value: Union[Scalar, Star, Column, "Query"]


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)`: the rows of the KG that it names.

    Arguments stand by position, as the schema lists the function's parameters; None is one that is
    left open, and open ones at the end are dropped. Conditions are kept apart, in `where`. Names of
    functions and keys are those of the table, whatever alias was written.
    """

    function: str
    arguments: tuple[Union[Scalar, Star, Names, "Query"], ...] = ()
    where: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Sort:
    """`sort(conditions, key)` or `sort(conditions, -key)`: the rows before, put in order."""

    key: str
    descending: bool = False
    where: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Take:
    """How many rows: the first `count` (`3 get_…` or `get_…[:3]`) after `start` others
    (`get_…[1:2]` is the second one); None for `ALL`. The members of a list in one row are never
    cut."""

    count: int | None = 1
    start: int = 0


@dataclass(frozen=True, slots=True)
class Query:
    """One statement: `ALL get_movie_person_crew(None, "x", eq(job, "Director"))["movie_name"]`.

    Without a count a query gives the first row, but what reduces values has all of them: `AVG
    get_…["close"]` is a query with `Take(None)`, and `AVG get_…["close"][:3]` one with `Take(3)`. A
    number that is written is finite.
    """

    source: Call | Sort
    key: str | None = None
    take: Take = Take()
    reduce: Reduce | None = None


@dataclass(frozen=True, slots=True)
class Nothing:
    """`None` as a statement: the KG has nothing on this question."""


@dataclass(frozen=True, slots=True)
class Invalid:
    """A statement that could not be read, and why; the others of its program are run."""

    text: str
    message: str


Statement = Query | Nothing | Invalid


@dataclass(frozen=True, slots=True)
class Program:
    """Statements in their order, at least one."""

    statements: tuple[Statement, ...]


def uses_before(statement: Statement) -> bool:
    """Whether a statement uses the result of the one before it: by `sort` or `*`."""
    if not isinstance(statement, Query):
        return False
    source = statement.source
    if isinstance(source, Sort):
        return True
    parts = [*source.arguments, *(condition.value for condition in source.where)]
    return any(
        isinstance(part, Star) or (isinstance(part, Query) and uses_before(part)) for part in parts
    )
