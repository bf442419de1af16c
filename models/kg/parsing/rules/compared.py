"""Rules for two bases: which has more, their difference, what they share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from models.kg.language.ast import NameList, Program
from models.kg.lexicon.positions import NO_WORDS, Positions, union_of
from models.kg.lexicon.types import OPEN_ENTITY, PERSON, QuestionOperator, ValueType
from models.kg.parsing.answers import (
    Common,
    Composer,
    Count,
    Difference,
    Greater,
    Measure,
    Most,
    Total,
    Values,
)
from models.kg.parsing.base import Base, TimeScope
from models.kg.parsing.candidates import Candidate, RuleName
from models.kg.parsing.rules.ages import AgeRules
from models.kg.parsing.rules.rule import Rule

# Types that can be compared with a date.
_AS_DATES = {ValueType.SPAN: ValueType.DATE, ValueType.YEAR: ValueType.DATE}
_IN_TIME = (
    (QuestionOperator.FIRST, QuestionOperator.MIN),
    (QuestionOperator.LATEST, QuestionOperator.MAX),
    (QuestionOperator.BEFORE, QuestionOperator.MIN),
    (QuestionOperator.AFTER, QuestionOperator.MAX),
)
_UNAMBIGUOUS_IN_TIME = _IN_TIME[:2]
# Which of two figures in time is greater.
_DIRECTIONS = {QuestionOperator.RISE: Greater.SECOND, QuestionOperator.FALL: Greater.FIRST}
_JOINING = "and"  # stands between the words of two keys
_LONGEST_JOIN = 5  # words from one key to the other
# Figures of one day, in the order of time.
_OPEN = "open"
_CLOSE = "close"
_MAKERS = (ValueType.PERSON, ValueType.MUSICIAN)
_CODED_TYPES = (ValueType.TEXT, ValueType.LANGUAGE, ValueType.COUNTRY, ValueType.RESULT)


@dataclass(frozen=True, slots=True)
class _Request:
    """A question's request for the greater or the lesser of two.

    Attributes:
        extreme: `MAX` or `MIN`.
        positions: the words that request it.
        operator: the operator of these words; None if they are adjectives, which imply the key.
    """

    extreme: QuestionOperator
    positions: Positions
    operator: QuestionOperator | None

    @property
    def operators(self) -> list[QuestionOperator]:
        return [] if self.operator is None else [self.operator]


@dataclass(frozen=True, slots=True)
class _Figures:
    """Two figures of one thing.

    Attributes:
        greater: which of them is, if the question says it.
    """

    first: Base
    second: Base
    greater: Greater | None = None


class ComparisonRules(Rule):
    """What two bases have together."""

    def candidates_of(self, one: Base, other: Base) -> Iterator[Candidate]:
        """The candidates of two bases."""
        if one.thing == other.thing:
            yield from self._two_times(one, other)
            yield from self._two_keys(one, other)
            return
        is_same_thing = (one.thing.type, one.thing.name) == (other.thing.type, other.thing.name)
        if is_same_thing or one.thing.positions.meets(other.thing.positions):
            return
        if _are_alike(one, other):
            yield from self._two_things(one, other)
        elif self.has(QuestionOperator.AGE) and self.spans.form.has_time_clause:
            yield from AgeRules(self.spans, self.bases).of_two(one, other)
        elif self._asks_for_shared_films(one, other):
            films = Common(ValueType.MOVIE)
            yield self.candidate(RuleName.FILMS_OF_BOTH, films, one, other)

    def _asks_for_shared_films(self, one: Base, other: Base) -> bool:
        """Whether it names two people in different roles on a film."""
        for base in (one, other):
            if base.thing.type != PERSON or base.inner is not None:
                return False
            if base.relation.target is not ValueType.MOVIE:
                return False
        is_negated = not self.spans.lexicon.vetoing_words.isdisjoint(self.spans.words)
        return not self.spans.chooses and not is_negated

    # --- two things

    def _two_things(self, one: Base, other: Base) -> Iterator[Candidate]:
        relation = one.relation
        if relation.source.is_year or relation.values.also or relation.values.read_key:
            return
        first, second = sorted((one, other), key=lambda base: base.thing.positions.first)
        names = (first.thing.label, second.thing.label)
        yield from self._weighed(first, second, names)
        yield from self._shared(first, second)

    def _weighed(self, first: Base, second: Base, names: tuple[str, str]) -> Iterator[Candidate]:
        """Which of two has more or less of a key; the difference; the sum; equality."""
        relation = first.relation
        is_coded = relation.target in _CODED_TYPES and relation.source != OPEN_ENTITY
        if is_coded and not relation.values.countable:
            return
        measure = self._measure(first)
        yield from self._greater(first, second, names, measure)
        if self.has(QuestionOperator.DIFFERENCE) and not relation.source.is_team:
            yield self._difference(first, second, measure)
        things = first.thing.positions | second.thing.positions
        is_figure = relation.target.is_numeric and measure is Measure.VALUE
        if is_figure and self.spans.names_no_other(first.thing.type, things):
            yield from self._total(first, second)

    def _greater(
        self, first: Base, second: Base, names: tuple[str, str], measure: Measure
    ) -> Iterator[Candidate]:
        """Which has more or less, or whether the first one has."""
        sum_words = NO_WORDS
        if measure is not Measure.VALUE:
            sum_words = union_of(self.spans.places_of(QuestionOperator.SUM))
        is_polar = self.spans.form.polar
        for request in self._requests_of_extreme(first, second):
            most = Most(
                names,
                least=request.extreme is QuestionOperator.MIN,
                measure=measure,
                absent=first.relation.values.absent,
                title=self.title_won(first, second),
            )
            positions = request.positions | sum_words
            if self.spans.chooses or not is_polar:
                yield self.candidate(
                    RuleName.MOST,
                    most,
                    first,
                    second,
                    operators=request.operators,
                    positions=positions,
                )
            if is_polar:
                yield self.candidate(
                    RuleName.IS_MORE,
                    replace(most, type=ValueType.POLAR),
                    first,
                    second,
                    operators=request.operators,
                    positions=positions,
                )

    def _difference(self, first: Base, second: Base, measure: Measure) -> Candidate:
        greater: Greater | None = None
        for request in self._requests_of_extreme(first, second):
            greater = Greater.FIRST if request.extreme is QuestionOperator.MAX else Greater.SECOND
            break
        relation = first.relation
        difference = Difference(
            relation.target, measure, absent=relation.values.absent, greater=greater
        )
        return self.candidate(
            RuleName.DIFFERENCE, difference, first, second, operators=[QuestionOperator.DIFFERENCE]
        )

    def _total(self, first: Base, second: Base) -> Iterator[Candidate]:
        for operator, is_mean in ((QuestionOperator.SUM, False), (QuestionOperator.AVERAGE, True)):
            if self.has(operator):
                total = Total(first.relation.target, is_mean)
                yield self.candidate(RuleName.TOTAL, total, first, second, operators=[operator])

    def _requests_of_extreme(self, first: Base, second: Base) -> Iterator[_Request]:
        """The words that ask which of two has the most or least."""
        things = first.thing.positions | second.thing.positions
        for extreme, places, operator in self._places_of_extremes(first):
            positions = union_of(place for place in places if not place.meets(things))
            if positions:
                yield _Request(extreme, positions, operator)

    def _places_of_extremes(
        self, base: Base
    ) -> list[tuple[QuestionOperator, Sequence[Positions], QuestionOperator | None]]:
        """The places of adjectives for a key; without any ("prettier" says what is better), those
        of general words for more and less."""
        relation = base.relation
        lexicon = self.spans.lexicon
        places: list[tuple[QuestionOperator, Sequence[Positions], QuestionOperator | None]] = [
            (adjective.operator, self.spans.match.find(adjective.phrases), None)
            for adjective in lexicon.adjectives_of(relation)
        ]
        if any(hits for _, hits, _ in places):
            return places
        if relation.target is not ValueType.YEAR:
            lower_is_more = lexicon.lower_is_more(relation)
            for operator, opposite in (
                (QuestionOperator.MAX, QuestionOperator.MIN),
                (QuestionOperator.MIN, QuestionOperator.MAX),
            ):
                extreme = opposite if lower_is_more else operator
                places.append((extreme, self.spans.places_of(operator), operator))
        if relation.target.is_time:
            in_time = _IN_TIME if self.spans.form.polar else _UNAMBIGUOUS_IN_TIME
            for operator, extreme in in_time:
                places.append((extreme, self.spans.places_of(operator), operator))
        return places

    def _measure(self, base: Base) -> Measure:
        """How the quantity of a thing is measured."""
        relation = base.relation
        is_dated = bool(relation.times.dated_key)
        if self.title_won(base):
            return Measure.VALUE
        if relation.target.is_listed:
            return Measure.COUNT
        if not relation.target.is_numeric:
            return Measure.COUNT if relation.values.countable else Measure.VALUE
        if self.has(QuestionOperator.LATEST) and is_dated and not base.scope:
            return Measure.LAST
        is_period = base.scope is TimeScope.SEVERAL_DAYS
        if not relation.values.countable and (is_dated or is_period):
            return Measure.SUM
        return Measure.VALUE

    def _shared(self, first: Base, second: Base) -> Iterator[Candidate]:
        """What two things share, or whether they share anything."""
        relation = first.relation
        may_share = relation.target.is_listed or relation.target is ValueType.TEXT
        if relation.times.required or relation.values.pick is not None:
            return
        has_both = self.has(QuestionOperator.BOTH)
        if may_share and (has_both or self._asks_whose_both_are(first, second)):
            kind = ValueType.POLAR if self.spans.form.polar else relation.target
            yield self.candidate(
                RuleName.COMMON, Common(kind), first, second, operators=[QuestionOperator.BOTH]
            )
        if relation.target.is_listed and self.has(QuestionOperator.COUNT):
            yield from self._count_of_shared(first, second)

    def _count_of_shared(self, first: Base, second: Base) -> Iterator[Candidate]:
        """How many values two things share: "how many films were they in together?"."""
        relation = first.relation
        parameter = relation.function.parameters[relation.parameter_index]
        things = first.thing.positions | second.thing.positions
        if not parameter.shared or self.spans.chooses or first.second is not None:
            return
        if self.spans.names_no_other(first.thing.type, things):
            both = replace(first, argument=NameList((first.thing.name, second.thing.name)))
            yield self.candidate(
                RuleName.COUNT_OF_COMMON,
                Count(),
                first,
                second,
                operators=[QuestionOperator.COUNT, QuestionOperator.BOTH],
                program=Program((both.query(),)),
            )

    def _asks_whose_both_are(self, first: Base, second: Base) -> bool:
        """Whether it asks for one person or thing behind two works: "who sang A and B"."""
        form = self.spans.form
        if form.polar or form.plural or first.relation.target not in _MAKERS:
            return False
        between = range(first.thing.positions.last + 1, second.thing.positions.first)
        return [self.spans.words[i] for i in between] == ["and"]

    # --- one thing

    def _two_times(self, one: Base, other: Base) -> Iterator[Candidate]:
        """One figure of a thing on two days."""
        if one.relation is not other.relation or one.times == other.times:
            return
        if one.scope is not TimeScope.DAY or other.scope is not TimeScope.DAY:
            return
        first, second = _in_order_of_own_words(one, other)
        names = (
            self.spans.text_of(first.explained - second.explained),
            self.spans.text_of(second.explained - first.explained),
        )
        yield from self._weighed(first, second, names)
        kind = first.relation.target
        of_each_day = Values(kind, all_statements=True, days=2)
        yield self.candidate(RuleName.EACH_TIME, of_each_day, first, second)
        if self.has(QuestionOperator.CHANGE) and kind.is_numeric:
            yield self._change(first, second)

    def _change(self, first: Base, second: Base) -> Candidate:
        """By how much a figure changed from the earlier to the later day."""
        earlier, later = sorted((first, second), key=lambda base: base.times)
        change = Difference(
            first.relation.target,
            percent=self.has(QuestionOperator.PERCENT),
            greater=self._direction(),
        )
        operators = [QuestionOperator.CHANGE, *_DIRECTIONS, QuestionOperator.PERCENT]
        return self.candidate(RuleName.DIFFERENCE, change, earlier, later, operators=operators)

    def _two_keys(self, one: Base, other: Base) -> Iterator[Candidate]:
        """Two figures of one thing: both, their difference, their sum, whether the first is
        greater."""
        kind = _AS_DATES.get(one.relation.target, one.relation.target)
        other_kind = _AS_DATES.get(other.relation.target, other.relation.target)
        if kind is not other_kind or not kind.is_ordered or self._read_the_same(one, other):
            return
        yield from self._both_values(one, other)
        figures = self._figures_in_order(one, other)
        yield from self._difference_of_keys(kind, figures)
        yield from self._sum_of_keys(kind, figures)
        yield from self._is_first_greater(figures)

    def _figures_in_order(self, one: Base, other: Base) -> _Figures:
        """Two figures in the order of time, if the question says how the price changed from
        opening to close; else in the order of their words."""
        base_of_key = {base.relation.key.name: base for base in (one, other)}
        direction = self._direction()
        if direction is not None and base_of_key.keys() == {_OPEN, _CLOSE}:
            return _Figures(base_of_key[_OPEN], base_of_key[_CLOSE], direction)
        first, second = sorted((one, other), key=_first_word)
        return _Figures(first, second)

    def _difference_of_keys(self, kind: ValueType, figures: _Figures) -> Iterator[Candidate]:
        difference = Difference(kind, greater=figures.greater)
        years = Difference(ValueType.DATE, full_years=True, last=True, greater=figures.greater)
        for operator, composer in (
            (QuestionOperator.DIFFERENCE, difference),
            (QuestionOperator.AGE, years),
            (QuestionOperator.CHANGE, difference),
        ):
            if self.has(operator):
                yield self._of_two_keys(composer, figures, operator, *_DIRECTIONS)

    def _sum_of_keys(self, kind: ValueType, figures: _Figures) -> Iterator[Candidate]:
        if self.has(QuestionOperator.SUM) and kind is ValueType.NUMBER:
            operators = [QuestionOperator.SUM]
            yield self.candidate(
                RuleName.TOTAL, Total(kind), figures.first, figures.second, operators=operators
            )

    def _is_first_greater(self, figures: _Figures) -> Iterator[Candidate]:
        if not self.spans.form.polar:
            return
        for operator in (QuestionOperator.MAX, QuestionOperator.MIN):
            if self.has(operator):
                is_least = operator is QuestionOperator.MIN
                more = Most(("", ""), least=is_least, type=ValueType.POLAR)
                yield self._of_two_keys(more, figures, operator)

    def _of_two_keys(
        self, composer: Composer, figures: _Figures, *operators: QuestionOperator
    ) -> Candidate:
        return self.candidate(
            RuleName.TWO_KEYS, composer, figures.first, figures.second, operators=operators
        )

    def _both_values(self, one: Base, other: Base) -> Iterator[Candidate]:
        """The values of two keys that the question joins: "its high and low", "the cost and the
        gross"."""
        if one.relation.function is not other.relation.function or self.spans.form.polar:
            return
        if one.scope is TimeScope.SEVERAL_DAYS or one.times != other.times:
            return
        first, second = _in_order_of_own_words(one, other)
        start = _first_own_word(first, second)
        end = _first_own_word(second, first)
        if _JOINING in self.spans.words[start:end] and end - start <= _LONGEST_JOIN:
            both = Values(first.relation.target, all_statements=True, days=2)
            yield self.candidate(RuleName.VALUES_OF_TWO_KEYS, both, first, second)

    def _read_the_same(self, one: Base, other: Base) -> bool:
        """Whether two bases of one thing read the same: the same key, the same words ("forward
        P/E"), or a day and its year."""
        if (one.relation.key, one.key) == (other.relation.key, other.key):
            return True
        shared_words = one.explained & other.explained
        if shared_words - one.thing.positions - self.spans.time_words:
            return True
        targets = (one.relation.target, other.relation.target)
        return targets[0] is not targets[1] and ValueType.SPAN not in targets

    def _direction(self) -> Greater | None:
        """Which of two figures in time is greater, if the question says it: "rise", "fall"."""
        for operator, greater in _DIRECTIONS.items():
            if self.has(operator):
                return greater
        return None


def _first_word(base: Base) -> int:
    return min(base.explained - base.thing.positions, default=0)


def _in_order_of_own_words(one: Base, other: Base) -> tuple[Base, Base]:
    """Two bases of one thing by the first words that they do not share."""
    if _first_own_word(other, one) < _first_own_word(one, other):
        return other, one
    return one, other


def _first_own_word(base: Base, other: Base) -> int:
    return min(base.explained - other.explained, default=0)


def _are_alike(one: Base, other: Base) -> bool:
    """Whether two bases read the same key of two things, and so can be compared."""
    if not _are_joined_alike(one, other):
        return False
    if one.relation.id != other.relation.id:
        return False
    if one.relation.source != OPEN_ENTITY and one.relation.key != other.relation.key:
        return False
    if one.second != other.second:
        return False
    return one.times == other.times and one.where == other.where


def _are_joined_alike(one: Base, other: Base) -> bool:
    """Whether no base is joined, or both are by the same fact of two entities: "the capital of A or
    of B"."""
    if one.inner is None or other.inner is None:
        return one.inner is other.inner
    if one.relation.source != OPEN_ENTITY:
        return False
    return one.inner.relation.id == other.inner.relation.id
