"""Rules that sort a base: the latest, the first, the second, the highest."""

from collections.abc import Iterator
from dataclasses import dataclass

from models.kg.language.ast import Condition
from models.kg.lexicon.positions import NO_WORDS, Positions, union_of
from models.kg.lexicon.relations import Relation
from models.kg.lexicon.types import QuestionOperator, ThingType, ValueType
from models.kg.parsing.answers import Values
from models.kg.parsing.base import Base, condition_of
from models.kg.parsing.candidates import Candidate, RuleName
from models.kg.parsing.rules.rule import Rule
from models.kg.schema.operations import Op

_NAME_KEYS = ("name", "title")  # the key of a thing's own name


@dataclass(frozen=True, slots=True)
class _Order:
    """How rows are sorted.

    Attributes:
        operator: the operator of the question that requests it.
        where: conditions on the rows.
        positions: the words that name the key.
    """

    key: str
    descending: bool
    operator: QuestionOperator | None = None
    where: tuple[Condition, ...] = ()
    positions: Positions = NO_WORDS


@dataclass(frozen=True, slots=True)
class _Slice:
    """Which rows of an order are read: `count` of them after `start` others.

    `positions`: the words that name the number.
    """

    count: int
    start: int = 0
    positions: Positions = NO_WORDS


@dataclass(frozen=True, slots=True)
class _ReadKey:
    """The key read from the rows, "" for the base's own; the type of its values, and its words."""

    key: str
    type: ValueType
    positions: Positions = NO_WORDS


class OrderRules(Rule):
    """The first rows of a base by a date or a figure."""

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        read_keys = list(self._read_keys(base))
        yield from self._nth(base, read_keys)
        for order in self._orders_by_date(base):
            yield from self._first_rows(
                base, read_keys, order, one=RuleName.ONE_BY_DATE, several=RuleName.SEVERAL_BY_DATE
            )
        for order in self._orders_by_figure(base):
            yield from self._first_rows(
                base, read_keys, order, one=RuleName.ONE_BY_SIZE, several=RuleName.SEVERAL_BY_SIZE
            )

    def extreme(self, base: Base) -> Iterator[Candidate]:
        """Which of the things that a joined base names has the most or least: "the oldest
        member"."""
        if base.inner is None:
            return
        name_key = _name_key(base.relation)
        for adjective in self.spans.lexicon.adjectives_of(base.relation):
            positions = union_of(self.spans.match.find(adjective.phrases))
            if not positions or name_key is None:
                continue
            program = base.sorted_program(
                base.relation.key.name,
                1,
                descending=adjective.operator is QuestionOperator.MAX,
                read_key=name_key,
            )
            names = Values(base.inner.relation.target)
            yield self.candidate(
                RuleName.EXTREME, names, base, program=program, positions=positions
            )

    def _nth(self, base: Base, read_keys: list[_ReadKey]) -> Iterator[Candidate]:
        """The second, third, … by date."""
        date_key = base.relation.times.dated_key
        if not date_key:
            return
        order = _Order(date_key, descending=False)
        for number, positions in self.spans.ordinals:
            if not positions.meets(base.explained):
                rows = _Slice(1, start=number - 1, positions=positions)
                yield from self._sliced(base, read_keys, order, rows, RuleName.NTH)

    def _first_rows(
        self,
        base: Base,
        read_keys: list[_ReadKey],
        order: _Order,
        *,
        one: RuleName,
        several: RuleName,
    ) -> Iterator[Candidate]:
        """The first row, and as many as the question asks for."""
        for number, positions in [(1, NO_WORDS), *self.spans.numbers]:
            if not positions.meets(base.thing.positions):
                rows = _Slice(number, positions=positions)
                rule = several if number > 1 else one
                yield from self._sliced(base, read_keys, order, rows, rule)

    def _sliced(
        self,
        base: Base,
        read_keys: list[_ReadKey],
        order: _Order,
        rows: _Slice,
        rule: RuleName,
    ) -> Iterator[Candidate]:
        operators = [] if order.operator is None else [order.operator]
        for read in read_keys:
            program = base.sorted_program(
                order.key,
                rows.count,
                descending=order.descending,
                where=order.where,
                read_key=read.key,
                start=rows.start,
            )
            yield self.candidate(
                rule,
                Values(read.type),
                base,
                operators=operators,
                program=program,
                positions=rows.positions.union(order.positions, read.positions),
            )

    def _orders_by_date(self, base: Base) -> Iterator[_Order]:
        key = base.relation.times.dated_key
        if not key:
            return
        if self.has(QuestionOperator.LATEST):
            now = self.spans.question.asked_at
            where: tuple[Condition, ...] = ()
            if now is not None and key != "year":
                where = (Condition(Op.LE, key, now.date().isoformat()),)
            yield _Order(key, descending=True, operator=QuestionOperator.LATEST, where=where)
        if self.has(QuestionOperator.FIRST):
            yield _Order(key, descending=False, operator=QuestionOperator.FIRST)

    def _orders_by_figure(self, base: Base) -> Iterator[_Order]:
        """Figures of the things that a relation names: the longest film of a director."""
        target = base.relation.target
        if not target.is_name:
            return
        for figure in self.spans.lexicon.relations_of_type.get(ThingType(target), ()):
            needs_time = figure.times.parameter_indices or figure.times.required
            if figure.target.is_numeric and not needs_time and not figure.values.countable:
                yield from self._orders_by(figure, base)

    def _orders_by(self, figure: Relation, base: Base) -> Iterator[_Order]:
        """The orders by one figure that the question requests."""
        key = figure.key.name
        where = tuple(map(condition_of, figure.filters))
        positions = union_of(self.spans.match.find(figure.wording.phrases))
        for operator in (QuestionOperator.MAX, QuestionOperator.MIN):
            if positions and self.requests(base, operator):
                yield _Order(key, operator is QuestionOperator.MAX, operator, where, positions)
        for adjective in self.spans.lexicon.adjectives_of(figure):
            positions = union_of(self.spans.match.find(adjective.phrases))
            if positions:
                descending = adjective.operator is QuestionOperator.MAX
                yield _Order(key, descending, adjective.operator, where, positions)

    def _read_keys(self, base: Base) -> Iterator[_ReadKey]:
        """The keys that may be read: the name, or another key, such as a film's budget."""
        relation = base.relation
        if relation.values.read_key:
            yield _ReadKey("", ValueType.DATE)
            return
        yield _ReadKey("", relation.target)
        for other, anchor in self.bases.anchored(ThingType(relation.target), base.explained):
            if other.values.free_key or other.values.needs_pair or other.times.parameter_indices:
                continue
            if other.key.name in relation.function.key_names:
                yield _ReadKey(other.key.name, other.target, anchor.positions)


def _name_key(relation: Relation) -> str | None:
    """The key of the names of a relation's things."""
    for key in relation.function.keys:
        if key.name in _NAME_KEYS:
            return key.name
    return None
