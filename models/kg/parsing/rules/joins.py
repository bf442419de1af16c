"""Joins: the relations of the things that a base's values name."""

from collections.abc import Iterator

from models.kg.lexicon.relations import Relation
from models.kg.lexicon.types import OPEN_ENTITY, QuestionOperator, ThingType
from models.kg.parsing.base import Base
from models.kg.parsing.bases import Anchor, Bases
from models.kg.parsing.spans import Spans


class Joins:
    """The joined bases of one question."""

    def __init__(self, spans: Spans, bases: Bases) -> None:
        self._spans = spans
        self._bases = bases

    def joined_bases(self, base: Base) -> Iterator[Base]:
        """Bases whose argument is the query of `base`."""
        relation = base.relation
        if base.inner is not None or relation.source == OPEN_ENTITY:
            return
        if relation.values.also or relation.values.read_key:
            return
        for outer, anchor in self._bases.anchored(ThingType(relation.target), base.explained):
            if outer.times.required or outer.times.fixed:
                continue
            if outer.values.free_key or outer.values.needs_pair:
                continue
            if self._is_one_call(outer, base, anchor):
                continue
            yield Base(
                outer,
                base.thing,
                base.explained | anchor.positions,
                anchor.length + base.anchor_length,
                base.query(),
                inner=base,
                implied=anchor.implied,
            )

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
