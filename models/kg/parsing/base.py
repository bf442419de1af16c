"""A base: one key of one call, with the restrictions that a question states."""

from dataclasses import dataclass, replace
from typing import Any

from models.kg.language.ast import (
    Column,
    Condition,
    FunctionCall,
    Program,
    Query,
    Scalar,
    Sort,
    Take,
)
from models.kg.lexicon.matching import Positions
from models.kg.lexicon.named_functions import functions
from models.kg.lexicon.relations import Relation, RowFilter
from models.kg.parsing.spans import Thing
from models.kg.schema.operations import Op, Reduce


@dataclass(frozen=True, slots=True)
class Base:
    """One key of a call.

    Attributes:
        used: the words of the question that it explains.
        anchor: number of words in the longest phrase that names the relation.
        argument: the value of the thing's parameter: its name, a year, or another query.
        period: its restriction in time: "", "day", "several" days or "year".
        days: the days that rows of a period must have.
        inner: the base whose values replace the thing.
        implied: named only by comparing words: "older".
        key: a key that is not in the schema.
    """

    relation: Relation
    thing: Thing
    used: Positions
    anchor: int
    argument: Scalar | Query
    second: Thing | None = None
    where: tuple[Condition, ...] = ()
    times: tuple[str, ...] = ()
    period: str = ""
    days: tuple[str, ...] = ()
    inner: "Base | None" = None
    implied: bool = False
    key: str = ""

    def only(self, key: str, value: Scalar, used: Positions) -> "Base":
        """The rows in which a key has a value, as the words `used` say."""
        where = (*self.where, Condition(Op.EQ, key, value))
        return replace(self, used=self.used | used, where=where)

    def query(self, *, reduce: Reduce | None = None, also: bool = False) -> Query:
        """The statement that reads it; `also`: the relation's other function and key."""
        relation = self.relation
        function, key = relation.function.name, self.key or relation.key.name
        if also and relation.also is not None:
            function, key = relation.also
        parts: list[Any] = [None] * len(relation.function.parameters)
        parts[relation.place] = self.argument
        if self.second is not None:
            parts[1 - relation.place] = self.second.name
        for place, time in zip(relation.times, self.times, strict=False):
            parts[place] = time
        written = functions().written_of(function)
        while len(parts) > written and parts[-1] is None:
            parts.pop()
        where = (*map(condition_of, relation.where), *self.where)
        return Query(FunctionCall(function, tuple(parts), where), key, Take(None), reduce)

    @property
    def statements(self) -> tuple[Query, ...]:
        also = (self.query(also=True),) if self.relation.also else ()
        return (self.query(), *also)

    def sorted(
        self, key: str, count: int, *, descending: bool, where: tuple[Condition, ...] = (),
        read: str = "", start: int = 0,
    ) -> Program:  # fmt: skip
        """The first `count` rows by a key, after `start` others, of which `read` is read."""
        read = read or self.relation.read or self.relation.key.name
        ordered = Query(Sort(key, descending, where), read, Take(count, start))
        return Program((self.query(), ordered))


def condition_of(each: RowFilter) -> Condition:
    """A condition of the lexicon in the query language."""
    return Condition(each.op, each.key, Column(str(each.value)) if each.is_key else each.value)
