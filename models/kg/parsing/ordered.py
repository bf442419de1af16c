"""Rules that sort a base: the latest, the first, the second, the highest."""

from collections.abc import Iterator
from dataclasses import dataclass

from models.kg.language.ast import Condition
from models.kg.lexicon.matching import NOTHING, Positions
from models.kg.lexicon.relations import NUMERIC, Relation
from models.kg.parsing import answers
from models.kg.parsing.base import Base, condition_of
from models.kg.parsing.candidates import NAMED, Candidate, Rule
from models.kg.schema.operations import Op

_NAMES = ("name", "title")  # the key of a thing's own name


@dataclass(frozen=True, slots=True)
class _Order:
    """A key to sort by, the operator that requests it, and the words that name the key."""

    key: str
    operator: str
    descending: bool
    where: tuple[Condition, ...] = ()
    used: Positions = NOTHING


@dataclass(frozen=True, slots=True)
class _Read:
    """The key read from the first rows, the type of its values, and its words."""

    key: str
    type: str
    used: Positions = NOTHING


class Ordered(Rule):
    def of(self, base: Base) -> Iterator[Candidate]:
        relation, reads = base.relation, list(self._reads(base))
        for place, said in self.spans.ordinals if relation.dated else ():
            if not said & base.used:
                order = _Order(relation.dated, "", False)
                yield from self._taken(base, reads, order, 1, said, place - 1, "nth in order")
        orders = [(order, "in order") for order in self._dates(base)]
        orders += [(order, "in order of size") for order in self._figures(relation, base)]
        for order, rule in orders:
            for number, said in [(1, NOTHING), *self.spans.numbers]:
                if not said & base.thing.used:
                    name = f"{'first' if number > 1 else 'one'} {rule}"
                    yield from self._taken(base, reads, order, number, said, 0, name)

    def extreme(self, base: Base) -> Iterator[Candidate]:
        """Which of the things that a base names has the most or least: "the oldest member"."""
        relation, lexicon = base.relation, self.spans.lexicon
        for adjective in lexicon.adjectives_of(relation):
            used = NOTHING.union(*self.spans.match.find(adjective.phrases))
            name = next((key.name for key in relation.function.keys if key.name in _NAMES), "")
            if used and name and base.inner:
                descending = adjective.operator == "max"
                program = base.sorted(relation.key.name, 1, descending=descending, read=name)
                values = answers.Values(base.inner.relation.target)
                yield self.made("extreme", values, base, program=program, used=used)

    def _taken(
        self,
        base: Base,
        reads: list[_Read],
        order: _Order,
        count: int,
        said: Positions,
        start: int,
        rule: str,
    ) -> Iterator[Candidate]:
        for read in reads:
            program = base.sorted(
                order.key, count, descending=order.descending, where=order.where,
                read=read.key, start=start,
            )  # fmt: skip
            used = said.union(order.used, read.used)
            names = (order.operator,) if order.operator else ()
            values = answers.Values(read.type)
            yield self.made(rule, values, base, *names, program=program, used=used)

    def _dates(self, base: Base) -> Iterator[_Order]:
        key, now = base.relation.dated, self.spans.asked.at
        if key and "latest" in self.spoken:
            past = now is not None and key != "year"
            day = now.date().isoformat() if now else ""
            yield _Order(key, "latest", True, (Condition(Op.LE, key, day),) if past else ())
        if key and "first" in self.spoken:
            yield _Order(key, "first", False)

    def _figures(self, relation: Relation, base: Base) -> Iterator[_Order]:
        """Figures of the things that a relation names: the longest film of a director."""
        if relation.target not in NAMED:
            return
        lexicon, match = self.spans.lexicon, self.spans.match
        for figure in lexicon.of_source.get(relation.target, ()):
            if figure.target not in NUMERIC or figure.times or figure.must or figure.countable:
                continue
            key = figure.key.name
            where = tuple(map(condition_of, figure.where))
            hits = match.find(figure.phrases)
            for name in ("max", "min"):
                if hits and self.asks(base, name):
                    yield _Order(key, name, name == "max", where, NOTHING.union(*hits))
            for adjective in lexicon.adjectives_of(figure):
                hits, name = match.find(adjective.phrases), adjective.operator
                if hits:
                    yield _Order(key, name, name == "max", where, NOTHING.union(*hits))

    def _reads(self, base: Base) -> Iterator[_Read]:
        """The keys that may be read: the name, or another key, such as a film's budget."""
        relation = base.relation
        if relation.read:
            yield _Read("", "date")
            return
        yield _Read("", relation.target)
        for outer, found in self.bases.anchored(relation.target, base.used):
            own = outer.key.name in relation.function.key_names
            if own and not (outer.free or outer.pair or outer.times):
                yield _Read(outer.key.name, outer.target, found.used)
