"""Joins: the relations of the things that a base's values name."""

from collections.abc import Iterator

from models.kg.lexicon.positions import union_of
from models.kg.lexicon.relations import Relation
from models.kg.lexicon.types import OPEN_ENTITY, QuestionOperator, ThingType, ValueType
from models.kg.parsing.base import Base
from models.kg.parsing.bases import Anchor, Bases
from models.kg.parsing.open_domain import fact_relation
from models.kg.parsing.spans import Spans


class Joins:
    """The joined bases of one question."""

    def __init__(self, spans: Spans, bases: Bases) -> None:
        self._spans = spans
        self._bases = bases

    def joined_bases(self, base: Base) -> Iterator[Base]:
        """Bases whose argument is the query of `base`."""
        relation = base.relation
        if base.inner is not None or base.implied:
            return
        if relation.source == OPEN_ENTITY:
            yield from self._of_named_things(base)
            return
        if relation.values.also or relation.values.read_key:
            return
        for outer, anchor in self._bases.anchored(ThingType(relation.target), base.explained):
            if self._may_be_outer(outer) and not self._is_one_call(outer, base, anchor):
                yield _joined(outer, base, anchor)
        if _names_few_people(base):
            yield from self._of_people(base)

    def _of_named_things(self, base: Base) -> Iterator[Base]:
        """What the other domains know of the people or companies that an entity's page names: the
        songs of its founder."""
        fact = base.relation.id.removeprefix("open.")
        for kind, facts in self._spans.lexicon.things_of_facts.items():
            if fact not in facts:
                continue
            for outer, anchor in self._bases.anchored(ThingType(kind), base.explained):
                if not anchor.implied and self._may_be_outer(outer):
                    yield _joined(outer, base, anchor)

    def _of_people(self, base: Base) -> Iterator[Base]:
        """What the pages of the people that a base names say of them: whom its director married."""
        lexicon = self._spans.lexicon
        for fact in lexicon.facts_of_people:
            places = self._spans.match.find(lexicon.facts[fact])
            places = [place for place in places if not place.meets(base.explained)]
            if places:
                kind = ValueType.DATE if fact in lexicon.date_facts else ValueType.TEXT
                outer = fact_relation(lexicon, f"open.{fact}", fact, kind)
                yield _joined(outer, base, Anchor(union_of(places), max(map(len, places)), False))

    def _may_be_outer(self, relation: Relation) -> bool:
        """Whether a relation needs nothing beside its thing."""
        if relation.times.required or relation.times.fixed:
            return False
        return not relation.values.free_key and not relation.values.needs_pair

    def _is_one_call(self, outer: Relation, base: Base, anchor: Anchor) -> bool:
        """Whether the rows of one call hold both keys, so that no join is needed."""
        inner = base.relation
        if outer.function is not inner.function:
            return False
        filter_values = {outer.filter_value, inner.filter_value}
        if "" not in filter_values and len(filter_values) > 1:
            return False
        asks_for_others = QuestionOperator.OTHER in self._spans.operators
        if asks_for_others and base.thing.type.is_same_as(outer.target):
            return False
        return not (anchor.implied and outer.source == inner.source)


def _names_few_people(base: Base) -> bool:
    """Whether a base names people, but not a whole cast, whose pages take too many calls."""
    if base.relation.target is ValueType.MUSICIAN:
        return True
    is_restricted = bool(base.relation.filters or base.where)
    return base.relation.target is ValueType.PERSON and is_restricted


def _joined(outer: Relation, base: Base, anchor: Anchor) -> Base:
    """The outer relation of the things that a base's values name."""
    return Base(
        outer,
        base.thing,
        base.explained | anchor.positions,
        anchor.length + base.anchor_length,
        base.query(),
        inner=base,
        implied=anchor.implied,
    )
