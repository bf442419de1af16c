"""Rules for ages: now, at death, at an event."""

from collections.abc import Iterator
from dataclasses import replace

from models.kg.execution.fetch.infobox import find_key
from models.kg.language.ast import Program
from models.kg.lexicon.types import OPEN_ENTITY, QuestionOperator, ValueType
from models.kg.parsing.answers import Age, Difference
from models.kg.parsing.base import Base
from models.kg.parsing.candidates import Candidate, RuleName
from models.kg.parsing.rules.rule import Rule

_YEARS_BETWEEN = Difference(ValueType.DATE, full_years=True)


class AgeRules(Rule):
    """The age of somebody now, at death, or at an event."""

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        if not base.relation.is_birth or not self.has(QuestionOperator.AGE):
            return
        death_key = self._death_key(base)
        now = self.spans.question.asked_at
        if death_key is not None:
            lived = Program((base.query(), replace(base, key=death_key).query()))
            yield self.candidate(
                RuleName.AGE, _YEARS_BETWEEN, base, operators=[QuestionOperator.AGE], program=lived
            )
        elif now is not None and not self._is_of_another_time(base):
            age = Age(now.date().isoformat())
            yield self.candidate(RuleName.AGE, age, base, operators=[QuestionOperator.AGE])

    def of_two(self, one: Base, other: Base) -> Iterator[Candidate]:
        """The age of somebody at an event: "how old was she when it came out"."""
        if one.relation.target is not ValueType.DATE or other.relation.target is not ValueType.DATE:
            return
        births = [base for base in (one, other) if base.relation.is_birth]
        named = one.thing.positions | other.thing.positions
        if len(births) == 1 and self.spans.names_no_other(births[0].thing.type, named):
            yield self.candidate(
                RuleName.AGE_AT_EVENT, _YEARS_BETWEEN, one, other, operators=[QuestionOperator.AGE]
            )

    def _death_key(self, base: Base) -> str | None:
        """The key of the date of death, if the page has one and the question may mean it."""
        if base.relation.source != OPEN_ENTITY:
            return None
        names_death = self.spans.match.find(self.spans.lexicon.facts["death_date"])
        if self.spans.form.has_time_clause and not names_death:
            return None
        page = self.spans.facts_of(base.thing.name)
        return find_key("death_date", [key for key, value in page.items() if value])

    def _is_of_another_time(self, base: Base) -> bool:
        """Whether the question asks for the age at another time: "in 1997", "when it came out"."""
        if self.spans.form.has_time_clause:
            return True
        now = self.spans.question.asked_at
        today = now.date() if now is not None else None
        times = [positions for time, positions in self.spans.times if time.period.last != today]
        times += [positions for _, positions in self.spans.years]
        return any(not positions.meets(base.explained) for positions in times)
