"""Builds bases: a relation applied to a thing, restricted by times, leagues, roles."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from models.english.days import Period
from models.english.periods import on_an_open_day
from models.english.times import TimePhrase, time_arguments, trading_days
from models.kg.language.ast import Condition, Scalar
from models.kg.lexicon.positions import Positions, union_of
from models.kg.lexicon.relations import Relation
from models.kg.lexicon.types import (
    MOVIE,
    MUSICIAN,
    PERSON,
    SERIES,
    SONG,
    QuestionOperator,
    Side,
    ThingType,
    ValueType,
)
from models.kg.parsing.base import Base, TimeScope
from models.kg.parsing.spans import Spans, Thing
from models.kg.schema.operations import Op
from models.records import Domain
from utils.text import ARTICLES

_EXCHANGES_CLOSE = 14  # hour, Pacific time, from which the figures of a day are known
# The types that may describe a work, and the keys of its rows that must then hold them.
_DESCRIBING_KEYS: Mapping[str, Mapping[ThingType, Sequence[str]]] = {
    MOVIE: {PERSON: ["cast", "director"]},
    SONG: {MUSICIAN: ["author"]},
}
_COUNTERPARTS = {MOVIE: PERSON, PERSON: MOVIE}  # the other thing that a role or award has
_LISTING_FILMS = (PERSON, SERIES)  # the types of things whose films a genre may restrict
_NEAR = 2  # words from "before" to its year
_BOUNDS = (
    (QuestionOperator.BEFORE, Op.LT),
    (QuestionOperator.UNTIL, Op.LE),
    (QuestionOperator.AFTER, Op.GT),
    (QuestionOperator.SINCE, Op.GE),
)


@dataclass(frozen=True, slots=True)
class Anchor:
    """How the question names a relation.

    Attributes:
        positions: the words that name it.
        length: number of content words in the longest phrase.
        implied: it is named only by a comparative.
    """

    positions: Positions
    length: int
    implied: bool


class Bases:
    """The bases of a question."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans
        self._relations_named: dict[ThingType, list[tuple[Relation, list[Positions]]]] = {}

    def bases_of(self, thing: Thing) -> Iterator[Base]:
        """All bases of a thing, by the phrases in the question."""
        mentions = self._mentions(thing)
        for relation, anchor in self.anchored(thing.type, thing.positions):
            if not _is_on_its_side(thing, relation.wording.side, anchor):
                continue
            argument: Scalar = int(thing.name) if thing.type.is_number else thing.name
            explained = anchor.positions | mentions
            base = Base(relation, thing, explained, anchor.length, argument, implied=anchor.implied)
            yield from self._restricted(base)

    def _mentions(self, thing: Thing) -> Positions:
        """The words that name a thing; of a team that plays another one, in all places."""
        if not thing.type.is_team:
            return thing.positions
        teams = [other for other in self._spans.things if other.type == thing.type]
        same = [other for other in teams if other.name == thing.name]
        if len(same) == len(teams):
            return thing.positions
        return union_of(other.positions for other in same)

    def anchored(self, source: ThingType, taken: Positions) -> Iterator[tuple[Relation, Anchor]]:
        """The relations of a type that words of the question name, apart from those `taken`."""
        if source not in self._relations_named:
            self._relations_named[source] = list(self._find_relations(source))
        for relation, places in self._relations_named[source]:
            anchor = self._anchor(relation, places, taken)
            if anchor is not None:
                yield relation, anchor

    def _find_relations(self, source: ThingType) -> Iterator[tuple[Relation, list[Positions]]]:
        lexicon = self._spans.lexicon
        for relation in lexicon.relations_of_type.get(source, ()):
            places = self._spans.match.find(lexicon.phrases_naming(relation))
            if places:
                yield relation, places

    def _anchor(
        self, relation: Relation, places: list[Positions], taken: Positions
    ) -> Anchor | None:
        """How words that are not `taken` name a relation; None if they do not."""
        if relation.function.domain is Domain.SPORTS:
            taken = taken.union(*(positions for _, positions in self._spans.leagues))
        places = [positions for positions in places if not positions.meets(taken)]
        if not places:
            return None
        needed = self._spans.match.find(relation.wording.needs)
        if relation.wording.needs and not needed:
            return None
        content = self._spans.content
        length = max(len(positions & content) for positions in places)
        of_phrases = self._spans.match.find(relation.wording.phrases)
        implied = not any(positions in of_phrases for positions in places)
        return Anchor(union_of((*places, *needed)), length, implied)

    def _restricted(self, base: Base) -> Iterator[Base]:
        """A base with each restriction that the question may state."""
        relation = base.relation
        if relation.function.domain is Domain.SPORTS:
            base = self._in_league(base)
        if relation.values.free_key:
            for positions, text in self.unexplained_names(base.explained):
                yield base.restricted_to(relation.values.free_key, text, positions)
        elif relation.values.needs_pair:
            yield from self._paired(base)
        elif relation.times.fixed:
            yield replace(base, times=(relation.times.fixed,))
        elif relation.times.required:
            yield from self._at_times(base)
        else:
            yield base
            yield from self._with_unneeded_bound(base)
            yield from self._described(base)
            yield from self._paired(base)
            of_genres = list(self._of_genre(base))
            yield from of_genres
            if relation.times.dated_key:
                for each in (base, *of_genres):
                    yield from self._dated(each)

    def _of_genre(self, base: Base) -> Iterator[Base]:
        """The films of a genre among those of a person or a series: "her animated films"."""
        relation = base.relation
        if relation.target is ValueType.MOVIE and relation.source in _LISTING_FILMS:
            for genre, positions in self.genres_beside(base):
                yield base.restricted_to("genres", genre, positions)

    def genres_beside(self, base: Base) -> Iterator[tuple[str, Positions]]:
        """The genres of films that the question names beside the words of a base."""
        longer_names = [each.positions for each in self._spans.things if len(each.positions) > 1]
        for genre, phrases in self._spans.lexicon.values["genres"].items():
            positions = union_of(
                place
                for place in self._spans.match.find(phrases)
                if not any(place < name for name in longer_names)  # "Star Wars" is no war film
            )
            if positions and not positions.meets(base.explained):
                yield genre, positions

    def _times_beside(self, thing: Thing) -> list[tuple[TimePhrase, Positions]]:
        """The times that are no part of a thing's name."""
        return [
            (time, positions)
            for time, positions in self._spans.times
            if not positions.meets(thing.positions)
        ]

    def _with_unneeded_bound(self, base: Base) -> Iterator[Base]:
        """The base with "until 2019" explained, where the KG's count ends by then anyway."""
        last_year = base.relation.times.until
        if not last_year:
            return
        for year, positions in self._spans.years:
            until = self._spans.until_before(positions)
            if until and year >= last_year:
                with_ceremony = self._spans.with_ceremony(positions)
                yield replace(base, explained=base.explained.union(until, with_ceremony))

    def _paired(self, base: Base) -> Iterator[Base]:
        """A person's role in a film, or award for it."""
        relation = base.relation
        counterpart = _COUNTERPARTS.get(relation.source)
        if counterpart is None or counterpart.is_same_as(relation.target):
            return
        entities = [parameter.entity for parameter in relation.function.parameters]
        if not any(entity and counterpart.is_same_as(entity) for entity in entities):
            return
        for thing in self._spans.things:
            if thing.type == counterpart and not thing.positions.meets(base.explained):
                explained = base.explained | thing.positions
                pair = replace(base, explained=explained, second=thing)
                yield pair
                yield from self._described(pair)

    def _described(self, base: Base) -> Iterator[Base]:
        """A work described by a year or person: "Hannibal (2001)", "the Ridley Scott film"."""
        keys = base.relation.function.key_names
        for key, value, positions in self._descriptions(base):
            if key in keys and not positions.meets(base.explained):
                yield base.restricted_to(key, value, positions)

    def _descriptions(self, base: Base) -> Iterator[tuple[str, str, Positions]]:
        """Keys of the base's rows with values that the question names."""
        keys_by_type = self.describing_keys(base)
        for thing in self._spans.things:
            for key in keys_by_type.get(thing.type, ()):
                yield key, thing.name, thing.positions
        if base.thing.type in _DESCRIBING_KEYS:
            date_key = "year" if "year" in base.relation.function.key_names else "release_date"
            for year, positions in self._spans.years:
                yield date_key, str(year), positions

    def describing_keys(self, base: Base) -> Mapping[ThingType, Sequence[str]]:
        """The types of things that may describe the base's, and the keys of its rows for them."""
        known = base.relation.function.key_names
        every = _DESCRIBING_KEYS.get(base.thing.type, {})
        return {kind: keys for kind, keys in every.items() if known.issuperset(keys)}

    # --- times that a call needs

    def _at_times(self, base: Base) -> Iterator[Base]:
        """The base at each time of the question; games also by opponent and venue."""
        relation = base.relation
        bases: list[Base] = []
        for time, positions in self._times_beside(base.thing):
            timed = self._at_time(base, time, positions)
            if timed is not None:
                bases.append(timed)
        if relation.values.countable and relation.wording.side is None:
            bases = [each for each in bases if each.scope is not TimeScope.DAY]
        yield from bases
        for each in bases:
            yield from self._against(each)
            yield from self._at_venue(each)

    def _at_time(self, base: Base, time: TimePhrase, positions: Positions) -> Base | None:
        """The rows of a time; None for a day whose figures are not known before it ends."""
        scope = TimeScope.DAY if time.is_day else TimeScope.SEVERAL_DAYS
        timed = replace(base, explained=base.explained | positions, scope=scope)
        if base.relation.function.domain is Domain.FINANCE:
            return self._at_trading_time(timed, time)
        if time.is_day:
            return replace(timed, times=time_arguments(time.period))
        return replace(timed, times=(f"{time.period.first} to {time.period.last}",))

    def _at_trading_time(self, base: Base, time: TimePhrase) -> Base | None:
        now = self._spans.question.asked_at
        phrase = self._spans.question.spelled(time.span)
        time = replace(time, period=on_an_open_day(phrase, time.period))
        period = time.period
        if now is not None and base.relation.key.name != "open":  # known when trading begins
            starts_today_or_later = not period.edge and period.first >= now.date()
            if time.is_day and starts_today_or_later and now.hour < _EXCHANGES_CLOSE:
                return None
            period = time.until(now.date())
        days = () if time.is_day else trading_days(period)
        return replace(base, times=time_arguments(period), days=days)

    def _against(self, base: Base) -> Iterator[Base]:
        """A game against another team that the question names later."""
        if base.relation.key.name == "opponent":
            return
        if "opponent" not in base.relation.function.key_names:
            return
        for other in self._spans.things:
            if other.type != base.thing.type or other.name == base.thing.name:
                continue
            is_later = other.positions.first > base.thing.positions.last
            if is_later and not other.positions.meets(base.explained):
                yield base.restricted_to("opponent", other.name, other.positions)

    def _at_venue(self, base: Base) -> Iterator[Base]:
        """Games at home, or away."""
        relation = base.relation
        if relation.function.domain is not Domain.SPORTS or not relation.values.countable:
            return
        for value, phrases in self._spans.lexicon.values["venue"].items():
            for positions in self._spans.match.find(phrases):
                yield base.restricted_to("venue", value, positions)

    def _in_league(self, base: Base) -> Base:
        if "league" in base.relation.function.key_names:
            for name, positions in self._spans.leagues:
                base = base.restricted_to("league", name, positions)
        return base

    # --- times as conditions on a date

    def _dated(self, base: Base) -> Iterator[Base]:
        """The rows of a year or another period, before or after one, or between two years."""
        years = [
            (year, positions)
            for year, positions in self._spans.years
            if not positions.meets(base.thing.positions)
        ]
        if len(years) == 2:
            yield self._between_years(base, years)
        yield from self._in_a_year(base)
        for time, positions in self._times_beside(base.thing):
            yield from self._around_time(base, time, positions)

    def _in_a_year(self, base: Base) -> Iterator[Base]:
        """The rows of last year, if it asks how often something happens "a year"."""
        now = self._spans.question.asked_at
        if now is None or base.relation.function.domain is not Domain.FINANCE:
            return
        if QuestionOperator.COUNT in self._spans.operators and not self._spans.years:
            for positions in self._spans.match.find(self._spans.lexicon.question_words.yearly):
                yield from self._around_year(base, now.year - 1, positions)

    def _between_years(self, base: Base, years: Sequence[tuple[int, Positions]]) -> Base:
        key = base.relation.times.dated_key
        first = min(year for year, _ in years)
        last = max(year for year, _ in years)
        explained = base.explained.union(
            *(positions for _, positions in years), *self._spans.places_of(QuestionOperator.BETWEEN)
        )
        where = (Condition(Op.GE, key, str(first)), Condition(Op.LE, key, str(last)))
        return replace(base, explained=explained, scope=TimeScope.YEAR, where=(*base.where, *where))

    def _around_time(self, base: Base, time: TimePhrase, positions: Positions) -> Iterator[Base]:
        """The rows of a year or of exact days, and those before or after them."""
        if time.year is not None:
            yield from self._around_year(base, time.year, positions)
        elif time.period.edge is None and not self._is_edge_of_month(time, positions):
            yield from self._around_days(base, time.period, positions)

    def _is_edge_of_month(self, time: TimePhrase, positions: Positions) -> bool:
        """Whether a time is a day that stands for those around it: "the end of May"."""
        words = {self._spans.words[i] for i in positions}
        month_edges = self._spans.lexicon.question_words.month_edges
        return time.is_day and not words.isdisjoint(month_edges)

    def _around_days(self, base: Base, period: Period, positions: Positions) -> Iterator[Base]:
        """The rows of the days of a period, and those before or after it."""
        key = base.relation.times.dated_key
        first = period.first.isoformat()
        last = period.last.isoformat()
        where = (Condition(Op.GE, key, first), Condition(Op.LE, key, last))
        yield self._on_date(base, where, positions)
        yield from self._beyond(base, first, positions)

    def _around_year(self, base: Base, year: int, positions: Positions) -> Iterator[Base]:
        """The rows of a year, and those before or after it."""
        where = (Condition(Op.EQ, base.relation.times.dated_key, str(year)),)
        yield self._on_date(base, where, positions)
        yield from self._beyond(base, str(year), positions)

    def _beyond(self, base: Base, bound: str, positions: Positions) -> Iterator[Base]:
        """The rows before, until, after or since a time, if a word beside it asks for them."""
        for operator, op in _BOUNDS:
            places = [
                place
                for place in self._spans.places_of(operator)
                if positions.follows(place, within=_NEAR)
            ]
            if operator is QuestionOperator.SINCE:  # "2010 onward"
                places += [
                    place
                    for place in self._spans.places_of(QuestionOperator.ONWARD)
                    if place.first == positions.last + 1
                ]
            if places:
                where = (Condition(op, base.relation.times.dated_key, bound),)
                yield self._on_date(base, where, positions.union(*places))

    def _on_date(self, base: Base, where: tuple[Condition, ...], positions: Positions) -> Base:
        explained = base.explained | positions
        return replace(base, explained=explained, scope=TimeScope.YEAR, where=(*base.where, *where))

    # --- names that no search finds

    def unexplained_names(self, explained: Positions) -> Iterator[tuple[Positions, str]]:
        """The runs of words without another known meaning; behind an article, their ends, too: of
        "the evil Queen Ravenna", "Queen Ravenna" is a name."""
        words = self._spans.words
        for run in self._unexplained_runs(explained):
            is_behind_article = words[run[0] - 1] in ARTICLES
            starts = range(len(run)) if is_behind_article else range(1)
            for start in starts:
                positions = Positions(run[start:])
                yield positions, self._spans.text_of(positions)

    def _unexplained_runs(self, explained: Positions) -> Iterable[list[int]]:
        """Neighbouring words that are neither explained nor cue words."""
        idle_words = self._spans.lexicon.idle_words(MOVIE)
        runs: list[list[int]] = []
        for i, word in enumerate(self._spans.words):
            if i in explained or word in idle_words:
                continue
            if runs and runs[-1][-1] == i - 1:
                runs[-1].append(i)
            else:
                runs.append([i])
        return runs


def _is_on_its_side(thing: Thing, side: Side | None, anchor: Anchor) -> bool:
    """Whether a thing stands where its relation wants it: "who beat Arsenal" is not "whom Arsenal
    beat"."""
    if side is None:
        return True
    is_behind = thing.positions.first > anchor.positions.last
    return is_behind == (side is Side.AFTER)
