"""Rules for the Grammys of a category that somebody won."""

from collections.abc import Iterator

from models.kg.language.ast import Condition, FunctionCall, Program, Query, Sort, Take
from models.kg.lexicon.types import GRAMMY_YEAR, QuestionOperator, ValueType
from models.kg.parsing.answers import Count
from models.kg.parsing.base import Base
from models.kg.parsing.candidates import Candidate, RuleName
from models.kg.parsing.rules.rule import Rule
from models.kg.schema.operations import Op

_COUNT_OF_PERSON = "music.get_grammy_person.award_count"


class GrammyRules(Rule):
    """How often somebody won a category whose winners are works: those of the years in which they
    won any Grammy, as far as they are theirs."""

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        if base.relation.id != _COUNT_OF_PERSON or not self.has(QuestionOperator.COUNT):
            return
        years = Query(
            FunctionCall(base.relation.function.name, (base.argument,), ()),
            "award_date",
            Take(None),
            None,
        )
        for category, anchor in self.bases.anchored(GRAMMY_YEAR, base.thing.positions):
            if category.target is not ValueType.SONG:
                continue
            works = Query(
                FunctionCall(category.function.name, (years,), ()),
                category.key.name,
                Take(None),
                None,
            )
            is_theirs = Condition(Op.EQ, "author", base.thing.name)
            of_person = Query(Sort("release_date", False, (is_theirs,)), "name", Take(None))
            yield self.candidate(
                RuleName.COUNT,
                Count(rows=True),
                base,
                operators=[QuestionOperator.COUNT],
                program=Program((works, of_person)),
                positions=anchor.positions,
            )
