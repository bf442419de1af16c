"""Rules for yes/no questions: whether a value is what the question names."""

from collections.abc import Iterator

from models.kg.lexicon.positions import NO_WORDS, Positions
from models.kg.lexicon.types import QuestionOperator, ValueType
from models.kg.parsing.answers import Composer, Exists, Is, Than
from models.kg.parsing.base import Base, TimeScope
from models.kg.parsing.candidates import Candidate, RuleName
from models.kg.parsing.rules.rule import Rule
from models.kg.parsing.spans import WHOLE_NAME

_NEAR = 3  # words from "before" to its bound
# Operators, each with the sign of (value - bound) that it asks for.
_IN_TIME = (
    (QuestionOperator.BEFORE, -1),
    (QuestionOperator.UNTIL, -1),
    (QuestionOperator.AFTER, 1),
    (QuestionOperator.SINCE, 1),
)
_IN_SIZE = ((QuestionOperator.BELOW, -1), (QuestionOperator.ABOVE, 1))


class YesNoRules(Rule):
    """Whether a base has a value, or one that the question names."""

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        relation = base.relation
        for composer, positions, rule in self._named_values(base):
            yield self.candidate(rule, composer, base, positions=positions)
        if relation.target.is_ordered:
            yield from self._bounded(base)
            yield from self._signed(base)
        may_have_several = (
            relation.values.countable or relation.target.is_listed or relation.times.dated_key
        )
        if may_have_several and base.scope is not TimeScope.DAY and not relation.source.is_year:
            yield self.candidate(RuleName.ANY, Exists(), base)

    def _named_values(self, base: Base) -> Iterator[tuple[Composer, Positions, RuleName]]:
        """Names and coded values of the question."""
        relation = base.relation
        codes = relation.key.codes
        if relation.values.own_name:
            if base.thing.score < WHOLE_NAME:
                return
            same_name = Is(base.thing.mention, codes, relation.values.negated)
            yield same_name, NO_WORDS, RuleName.IS_ITSELF
        for value, phrases in self.spans.lexicon.values.get(relation.key.name, {}).items():
            for place in self.spans.match.find(phrases):
                yield Is(value, codes), place, RuleName.IS_VALUE
        if "than" in self.spans.words:  # "taller than the tower": a bound, not a value
            return
        if relation.target.is_ordered or relation.target is ValueType.RESULT or codes == "venue":
            return
        for other in self.spans.things:
            if other.type.is_number or other.type.is_team:  # "born in Chicago" names no team
                continue
            if not other.positions.meets(base.explained):
                yield Is(other.name, codes), other.positions, RuleName.IS_OTHER

    def _bounded(self, base: Base) -> Iterator[Candidate]:
        """Whether a date or number is before or after, above or below one in the question."""
        is_time = base.relation.target.is_time
        bounds = self._times() if is_time else self._amounts()
        signs = _IN_TIME if is_time else _IN_SIZE
        for bound, positions in bounds:
            if positions.meets(base.thing.positions):
                continue
            has_side = False
            for operator, sign in signs:
                places = [
                    place
                    for place in self.spans.places_of(operator)
                    if positions.follows(place, within=_NEAR)
                ]
                if places:
                    has_side = True
                    yield self.candidate(
                        RuleName.THAN,
                        Than(bound, sign),
                        base,
                        operators=[operator],
                        positions=positions.union(*places),
                    )
            if is_time and not has_side:
                yield self.candidate(RuleName.THAN, Than(bound, 0), base, positions=positions)

    def _signed(self, base: Base) -> Iterator[Candidate]:
        """Whether a figure is positive or negative."""
        if not self.spans.lexicon.signed(base.relation):
            return
        cues = self.spans.lexicon.question_words
        for phrases, sign in ((cues.positive, 1), (cues.negative, -1)):
            for place in self.spans.match.find(phrases):
                yield self.candidate(RuleName.THAN, Than("0", sign), base, positions=place)

    def _amounts(self) -> list[tuple[str, Positions]]:
        return [(str(amount), positions) for amount, positions in self.spans.amounts]

    def _times(self) -> list[tuple[str, Positions]]:
        """Years, days and months."""
        times = [(str(year), positions) for year, positions in self.spans.years]
        for time, positions in self.spans.times:
            if time.year is None:
                day = time.period.first.isoformat()
                times.append((day if time.is_day else day[:7], positions))
        return times
