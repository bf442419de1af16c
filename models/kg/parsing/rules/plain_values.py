"""Rules that give the values of a base as they are."""

from collections.abc import Iterator
from dataclasses import replace

from models.kg.language.ast import Program, Take
from models.kg.lexicon.types import OPEN_ENTITY, SERIES, End, QuestionOperator, ValueType
from models.kg.parsing.answers import Values
from models.kg.parsing.base import Base, TimeScope
from models.kg.parsing.candidates import Candidate, RuleName
from models.kg.parsing.rules.rule import Rule


class ValueRules(Rule):
    """All values of a base, the one that its relation picks, or some of them."""

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        yield from self._whole(base)
        if base.relation.values.pick is None and not base.relation.target.is_numeric:
            yield from self._of_series(base)
            yield from self._year_of_date(base)
            yield from self._first_values(base)
            yield from self._nth_of_list(base)

    def _whole(self, base: Base) -> Iterator[Candidate]:
        relation = base.relation
        is_period = base.scope is TimeScope.SEVERAL_DAYS
        if relation.values.pick is not None:
            yield self._picked(base)
        elif is_period and relation.times.day_of_period is not None:
            yield from self._of_days(base, relation.times.day_of_period)
        elif not is_period or not relation.target.is_numeric:
            values = _values(base)
            yield self.candidate(RuleName.VALUE, values, base)
            is_same_type = base.thing.type.is_same_as(relation.target)
            if base.inner is not None and is_same_type and self.has(QuestionOperator.OTHER):
                others = replace(values, without=base.thing.name)
                yield self.candidate(
                    RuleName.VALUE, others, base, operators=[QuestionOperator.OTHER]
                )

    def _picked(self, base: Base) -> Candidate:
        relation = base.relation
        last_member_of = ""
        if relation.values.pick is End.LAST and relation.target is ValueType.SPAN:
            last_member_of = relation.key.name
        values = replace(_values(base), limit=1, last_member_of=last_member_of)
        return self.candidate(RuleName.VALUE, values, base)

    def _of_days(self, base: Base, edge: End) -> Iterator[Candidate]:
        """The first or last day's value of a period, or each day's."""
        values = _values(base)
        program = base.sorted_program("date", 1, descending=edge is End.LAST)
        yield self.candidate(RuleName.DAY_OF_PERIOD, values, base, program=program)
        for place in self.spans.match.find(self.spans.lexicon.question_words.daily):
            of_each_day = replace(values, days=len(base.days))
            yield self.candidate(RuleName.EACH_TIME, of_each_day, base, positions=place)

    def _of_series(self, base: Base) -> Iterator[Candidate]:
        """The films of a series among the values."""
        if base.relation.target is not ValueType.MOVIE:
            return
        for series in self.spans.things:
            if series.type == SERIES and not series.positions.meets(base.explained):
                of_series = replace(_values(base), within=series.name)
                yield self.candidate(
                    RuleName.OF_SERIES, of_series, base, positions=series.positions
                )

    def _year_of_date(self, base: Base) -> Iterator[Candidate]:
        if base.relation.target is ValueType.DATE and self.has(QuestionOperator.YEAR):
            year = Values(ValueType.YEAR)
            yield self.candidate(
                RuleName.YEAR_OF_DATE, year, base, operators=[QuestionOperator.YEAR]
            )

    def _first_values(self, base: Base) -> Iterator[Candidate]:
        """As many values as the question asks for."""
        for number, positions in self.spans.numbers:
            if not positions.meets(base.thing.positions):
                first = replace(_values(base), limit=number)
                yield self.candidate(RuleName.FIRST_VALUES, first, base, positions=positions)

    def _nth_of_list(self, base: Base) -> Iterator[Candidate]:
        """One of an infobox's list: "her second husband", "the first wife"."""
        if base.relation.source != OPEN_ENTITY or base.relation.target is not ValueType.LIST:
            return
        for number, positions in self.spans.ordinals:
            if not positions.meets(base.explained):
                query = replace(base.query(), take=Take(1, number - 1))
                yield self.candidate(
                    RuleName.NTH,
                    _values(base),
                    base,
                    program=Program((query,)),
                    positions=positions,
                )
        if self.has(QuestionOperator.FIRST):
            first = replace(_values(base), limit=1)
            yield self.candidate(RuleName.NTH, first, base, operators=[QuestionOperator.FIRST])


def _values(base: Base) -> Values:
    relation = base.relation
    return Values(relation.target, all_statements=relation.values.also is not None)
