"""Rules for the number of values, and for figures of several rows together."""

from collections.abc import Iterator

from models.kg.language.ast import Program
from models.kg.lexicon.types import OPEN_ENTITY, QuestionOperator, ValueType
from models.kg.parsing.answers import Count, TimesWon, Values
from models.kg.parsing.base import Base, TimeScope
from models.kg.parsing.candidates import Candidate, RuleName
from models.kg.parsing.rules.rule import Rule
from models.kg.schema.operations import Reduce

_REDUCTIONS = {
    QuestionOperator.SUM: Reduce.SUM,
    QuestionOperator.AVERAGE: Reduce.AVG,
    QuestionOperator.MAX: Reduce.MAX,
    QuestionOperator.MIN: Reduce.MIN,
}
# How figures of several days are combined if the question does not say it.
_SUMMED_KEYS = (
    "volume goals opponent_goals points opponent_points reb ast stl blk tov pf fgm fg3m ftm"
).split()
_IMPLIED_OPERATORS = {
    "high": QuestionOperator.MAX,
    "low": QuestionOperator.MIN,
    **dict.fromkeys(_SUMMED_KEYS, QuestionOperator.SUM),
}


class CountRules(Rule):
    """The number of values; of a number, the number itself."""

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        if not self.has(QuestionOperator.COUNT):
            return
        relation = base.relation
        title = self.title_won(base)
        if title:
            times = TimesWon(title)
            yield self.candidate(RuleName.COUNT, times, base, operators=[QuestionOperator.COUNT])
            return
        is_dated = bool(relation.times.dated_key)
        is_page = relation.source == OPEN_ENTITY
        if relation.target.is_numeric and not is_dated:
            yield self.candidate(
                RuleName.NUMBER_ITSELF,
                Values(relation.target),
                base,
                operators=[QuestionOperator.COUNT],
                type=ValueType.NUMBER,
            )
        elif (
            relation.values.countable
            or is_dated
            or relation.target.is_listed
            or (is_page and relation.target is ValueType.TEXT)
        ):
            is_row_key = relation.key.name in ("date", "year")
            counts_rows = is_row_key or relation.target in (ValueType.TEXT, ValueType.MONEY)
            count = Count(counts_rows, text=is_page)
            operators = [QuestionOperator.COUNT, QuestionOperator.SUM]
            yield self.candidate(RuleName.COUNT, count, base, operators=operators)


class ReductionRules(Rule):
    """The total, mean, highest and lowest figure of several days; the day of the highest."""

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        relation = base.relation
        if not relation.target.is_numeric:
            return
        if base.scope is not TimeScope.SEVERAL_DAYS and not relation.times.dated_key:
            return
        requested = self._requested(base)
        for operator, reduce in _REDUCTIONS.items():
            if operator in requested:
                figure = Values(relation.target, needs_rows=True)
                program = Program((base.query(reduce=reduce),))
                yield self.candidate(
                    RuleName.REDUCED, figure, base, operators=[operator], program=program
                )
        if "date" in relation.function.key_names:
            for operator in (QuestionOperator.MAX, QuestionOperator.MIN):
                if operator in requested:
                    yield self._day_of_extreme(base, operator)

    def _requested(self, base: Base) -> set[QuestionOperator]:
        """The operators that the question states, or the key implies."""
        relation = base.relation
        requested = {operator for operator in _REDUCTIONS if self.requests(base, operator)}
        if relation.key.name in _IMPLIED_OPERATORS:
            requested.add(_IMPLIED_OPERATORS[relation.key.name])
        if base.scope is TimeScope.YEAR and self.has(QuestionOperator.COUNT):
            requested.add(QuestionOperator.SUM)  # "how much did it pay in 2023?"
        if relation.target is ValueType.MONEY and not relation.times.dated_key:
            requested.discard(QuestionOperator.SUM)  # prices are not added
        return requested

    def _day_of_extreme(self, base: Base, operator: QuestionOperator) -> Candidate:
        program = base.sorted_program(
            base.relation.key.name, 1, descending=operator is QuestionOperator.MAX, read_key="date"
        )
        return self.candidate(
            RuleName.DAY_OF_EXTREME,
            Values(ValueType.DATE),
            base,
            operators=[operator],
            program=program,
        )
