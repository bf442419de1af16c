"""A base: one key of one call, with the restrictions that a question states."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from models.kg.language.ast import (
    Column,
    Condition,
    FunctionCall,
    NameList,
    Program,
    Query,
    Scalar,
    Sort,
    Take,
)
from models.kg.lexicon.named_functions import functions
from models.kg.lexicon.positions import Positions
from models.kg.lexicon.relations import Relation, RowFilter
from models.kg.parsing.spans import Thing
from models.kg.schema.operations import Op, Reduce


class TimeScope(StrEnum):
    """How the question restricts a base in time."""

    ANY = ""
    DAY = "day"
    SEVERAL_DAYS = "several"
    YEAR = "year"  # or another condition on the date


@dataclass(frozen=True, slots=True)
class Base:
    """One key of a call.

    Attributes:
        explained: the words of the question that it explains.
        anchor_length: number of words in the longest phrase that names the relation.
        argument: the value of the thing's parameter: its name, a year, or another query.
        second: the thing of another parameter.
        where: conditions that the question states.
        times: the arguments of the time parameters.
        days: the days that rows of a period must have.
        inner: the base whose values replace the thing.
        implied: named only by comparing words: "older".
        key: the key to read instead of the relation's, such as one that the schema does not list.
    """

    relation: Relation
    thing: Thing
    explained: Positions
    anchor_length: int
    argument: Scalar | Query | NameList
    second: Thing | None = None
    where: tuple[Condition, ...] = ()
    times: tuple[str, ...] = ()
    scope: TimeScope = TimeScope.ANY
    days: tuple[str, ...] = ()
    inner: "Base | None" = None
    implied: bool = False
    key: str = ""

    def restricted_to(self, key: str, value: Scalar, positions: Positions) -> "Base":
        """The rows in which a key has a value, as the words at `positions` state."""
        where = (*self.where, Condition(Op.EQ, key, value))
        return replace(self, explained=self.explained | positions, where=where)

    def query(self, *, reduce: Reduce | None = None) -> Query:
        """The statement that reads it."""
        return self._query(self.relation.function.name, self.key or self.relation.key.name, reduce)

    def _query(self, function: str, key: str, reduce: Reduce | None) -> Query:
        relation = self.relation
        arguments: list[Any] = [None] * len(relation.function.parameters)
        arguments[relation.parameter_index] = self.argument
        if self.second is not None:
            arguments[1 - relation.parameter_index] = self.second.name
        for place, time in zip(relation.times.parameter_indices, self.times, strict=False):
            arguments[place] = time
        written = functions().minimum_argument_count(function)
        while len(arguments) > written and arguments[-1] is None:
            arguments.pop()
        where = (*map(condition_of, relation.filters), *self.where)
        return Query(FunctionCall(function, tuple(arguments), where), key, Take(None), reduce)

    @property
    def statements(self) -> tuple[Query, ...]:
        """The statement that reads it, and that of the relation's other function."""
        also = self.relation.values.also
        if also is None:
            return (self.query(),)
        function, key = also
        return (self.query(), self._query(function, key, None))

    def sorted_program(
        self,
        key: str,
        count: int,
        *,
        descending: bool,
        where: tuple[Condition, ...] = (),
        read_key: str = "",
        start: int = 0,
    ) -> Program:
        """The first `count` rows by a key, after `start` others, of which `read_key` is read."""
        read_key = read_key or self.relation.values.read_key or self.relation.key.name
        ordered = Query(Sort(key, descending, where), read_key, Take(count, start))
        return Program((self.query(), ordered))


def condition_of(row_filter: RowFilter) -> Condition:
    """A condition of the lexicon in the query language."""
    value = Column(str(row_filter.value)) if row_filter.is_key else row_filter.value
    return Condition(row_filter.op, row_filter.key, value)
