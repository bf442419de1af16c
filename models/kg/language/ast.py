"""The syntax tree of a program in the KG query language (db3, section 3.2 and Appendix C.3).

A program is a list of statements. A statement fetches rows, filters them, reads one key, and may
aggregate the values. `language/printer.py` writes a tree as text, and `language/parse.py` reads
that text as the same tree.
"""

from dataclasses import dataclass
from typing import Union

from models.kg.schema.operations import Arithmetic, Op, Reduce

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Star:
    """`*`: the result of the previous statement."""


@dataclass(frozen=True, slots=True)
class Column:
    """A key of the same row, as the value of a condition: `gt(close, open)`."""

    key: str


@dataclass(frozen=True, slots=True)
class NameList:
    """`["a", "b"]` as an argument, not empty: the function is called for each name. Where the
    parameter is `shared`, it returns the rows that all names have in common."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """`op(key, value)`: keeps the rows whose `key` stands in the relation `op` to `value`."""

    op: Op
    key: str
    value: Union[Scalar, Star, Column, "Query"]


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """`function(arguments)`: the KG rows for these arguments.

    Arguments are positional, in the order of the function's parameters; None leaves one open, and
    open ones at the end are dropped. Conditions are separate, in `where`. Functions and keys have
    the names of the table, whatever alias the text used.
    """

    function: str
    arguments: tuple[Union[Scalar, Star, NameList, "Query"], ...] = ()
    where: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Sort:
    """`sort(conditions, key)` or `sort(conditions, -key)`: the previous rows, sorted."""

    key: str
    descending: bool = False
    where: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Calculation:
    """`minus(a, b)`: one value, made of the one value of each side. A text is a time: "today"."""

    op: Arithmetic
    left: Union[str, int, float, Star, "Query"]
    right: Union[str, int, float, Star, "Query"]


@dataclass(frozen=True, slots=True)
class Take:
    """A slice of rows: `count` rows after the first `start`.

    `3 get_…` and `get_…[:3]` take the first three, `get_…[1:2]` takes the second. For `ALL`,
    `count` is None. A list within one row stays whole; only a slice that starts after the only row
    applies to its list.
    """

    count: int | None = 1
    start: int = 0


@dataclass(frozen=True, slots=True)
class Query:
    """One statement: `ALL get_movie_person_crew(None, "x", eq(job, "Director"))["movie_name"]`.

    Without a count a query returns its first row, but an aggregation uses all rows: `AVG
    get_…["close"]` is a query with `Take(None)`, and `AVG get_…["close"][:3]` one with `Take(3)`.
    Numbers in a program are finite. The query of a calculation has nothing but its source.

    Attributes:
        distinct: of rows with the same value of the key, only the first counts; like an
            aggregation, it uses all rows.
    """

    source: FunctionCall | Sort | Calculation
    key: str | None = None
    take: Take = Take()
    reduce: Reduce | None = None
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Nothing:
    """`None` as a statement: the KG has nothing about this question."""


@dataclass(frozen=True, slots=True)
class InvalidStatement:
    """A statement that could not be parsed, and why; the program's other statements are run."""

    text: str
    message: str


Statement = Query | Nothing | InvalidStatement


@dataclass(frozen=True, slots=True)
class Program:
    """Statements in order, at least one."""

    statements: tuple[Statement, ...]


def uses_before(statement: Statement) -> bool:
    """Whether a statement uses the result of the previous one, by `sort` or `*`."""
    if not isinstance(statement, Query):
        return False
    if isinstance(statement.source, Sort):
        return True
    for value in _values_in(statement.source):
        if isinstance(value, Star):
            return True
        if isinstance(value, Query) and uses_before(value):
            return True
    return False


def _values_in(source: FunctionCall | Calculation) -> list[object]:
    """The values in a call or calculation, some of which may be queries."""
    if isinstance(source, Calculation):
        return [source.left, source.right]
    return [*source.arguments, *(condition.value for condition in source.where)]
