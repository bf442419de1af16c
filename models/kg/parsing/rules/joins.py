"""Joins: the relations of the things that a base's values name."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from models.kg.language.ast import Condition
from models.kg.lexicon.named_functions import functions
from models.kg.lexicon.positions import Positions, union_of
from models.kg.lexicon.relations import Relation, TimeUse, ValueUse, Wording
from models.kg.lexicon.types import (
    MOVIE,
    OPEN_ENTITY,
    SERIES,
    QuestionOperator,
    ThingType,
    ValueType,
)
from models.kg.parsing.base import Base
from models.kg.parsing.bases import Anchor, Bases
from models.kg.parsing.open_domain import fact_relation
from models.kg.parsing.spans import Spans
from models.kg.schema.operations import Op

_FILMS_OF_YEAR = "movie_list"  # the key that lists them
_RELEASED = "release_date"


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
                yield from self._joined(outer, base, anchor)
        if _names_few_people(base):
            yield from self._of_people(base)
        if relation.source.is_year and relation.key.name == _FILMS_OF_YEAR:
            yield from self._some_films(base)

    def _joined(self, outer: Relation, base: Base, anchor: Anchor) -> Iterator[Base]:
        """A relation of the values of a base; of one that needs a name, only for a series: "who
        plays Frodo in the Lord of the Rings series"."""
        joined = _joined_base(outer, base, anchor)
        if not outer.values.free_key:
            yield joined
        elif base.relation.source == SERIES:
            for positions, text in self._bases.unexplained_names(joined.explained):
                yield joined.restricted_to(outer.values.free_key, text, positions)

    def _of_named_things(self, base: Base) -> Iterator[Base]:
        """What the other domains know of the people or companies that an entity's page names: the
        songs of its founder."""
        fact = base.relation.id.removeprefix("open.")
        for kind, facts in self._spans.lexicon.things_of_facts.items():
            if fact not in facts:
                continue
            for outer, anchor in self._bases.anchored(ThingType(kind), base.explained):
                if not anchor.implied and not outer.values.free_key and self._may_be_outer(outer):
                    yield _joined_base(outer, base, anchor)

    def _of_people(self, base: Base) -> Iterator[Base]:
        """What the pages of the people that a base names say of them: whom its director married."""
        lexicon = self._spans.lexicon
        for fact in lexicon.facts_of_people:
            places = self._spans.match.find(lexicon.facts[fact])
            places = [place for place in places if not place.meets(base.explained)]
            if places:
                kind = ValueType.DATE if fact in lexicon.date_facts else ValueType.TEXT
                outer = fact_relation(lexicon, f"open.{fact}", fact, kind)
                yield _joined_base(
                    outer, base, Anchor(union_of(places), max(map(len, places)), False)
                )

    def _some_films(self, films: Base) -> Iterator[Base]:
        """The films of a year that are of a genre, came out in a month of it, or both."""
        of_months = list(self._films_of_months(films))
        yield from of_months
        for genre, positions in self._bases.genres_beside(films):
            for each in (_titles_of(films, positions), *of_months):
                yield each.restricted_to("genres", genre, positions)

    def _films_of_months(self, films: Base) -> Iterator[Base]:
        """The films of a part of their year that the question names."""
        for time, positions in self._spans.times:
            is_within = time.year is None and time.period.edge is None
            if is_within and positions.meets(films.thing.positions):
                where = (
                    Condition(Op.GE, _RELEASED, time.period.first.isoformat()),
                    Condition(Op.LE, _RELEASED, time.period.last.isoformat()),
                )
                yield replace(_titles_of(films, positions), where=where)

    def _may_be_outer(self, relation: Relation) -> bool:
        """Whether a relation needs no time and no second thing."""
        if relation.times.required or relation.times.fixed:
            return False
        return not relation.values.needs_pair

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


def _titles_of(films: Base, positions: Positions) -> Base:
    """The titles of the films that a base gives, which conditions on a film's keys may restrict."""
    explained = films.explained | positions
    return Base(
        _title_relation(), films.thing, explained, films.anchor_length, films.query(), inner=films
    )


@cache
def _title_relation() -> Relation:
    """The relation that reads a film's title, which no phrase names."""
    (film, *_) = functions().rows_of("get_movie")
    (title,) = (key for key in film.keys if key.name == "title")
    return Relation(
        "movie.get_movie.title",
        film,
        title,
        source=MOVIE,
        target=ValueType.MOVIE,
        parameter_index=0,
        wording=Wording(phrases=(), needs=(), context=()),
        times=TimeUse(dated_key=_RELEASED),
        values=ValueUse(countable=True),
    )


def _names_few_people(base: Base) -> bool:
    """Whether a base names people, but not a whole cast, whose pages take too many calls."""
    if base.relation.target is ValueType.MUSICIAN:
        return True
    is_restricted = bool(base.relation.filters or base.where)
    return base.relation.target is ValueType.PERSON and is_restricted


def _joined_base(outer: Relation, base: Base, anchor: Anchor) -> Base:
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
