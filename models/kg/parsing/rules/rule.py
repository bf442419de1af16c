"""What all rules share."""

from collections.abc import Sequence

from models.kg.language.ast import Program, Statement
from models.kg.lexicon.positions import NO_WORDS, Positions, union_of
from models.kg.lexicon.types import QuestionOperator, ValueType
from models.kg.parsing.answers import Composer
from models.kg.parsing.base import Base
from models.kg.parsing.bases import Bases
from models.kg.parsing.candidates import Candidate, RuleName
from models.kg.parsing.spans import Spans

_HONOURS = ("open.highlights", "open.awards")  # facts that are lists of honours
_CHAMPION = "champion"  # how such a list calls somebody who won a championship


class Rule:
    """The base class of all rules: a rule makes candidates of one or two bases."""

    def __init__(self, spans: Spans, bases: Bases) -> None:
        self.spans = spans
        self.bases = bases

    def candidate(
        self,
        rule: RuleName,
        composer: Composer,
        *bases: Base,
        operators: Sequence[QuestionOperator] = (),
        program: Program | None = None,
        positions: Positions = NO_WORDS,
        type: ValueType | None = None,
    ) -> Candidate:
        """A candidate that explains the words of its bases and operators, and those at `positions`.

        Args:
            program: other than that of the bases.
            type: other than the composer's.
        """
        if program is None:
            program = program_of(*bases)
        names = NO_WORDS.union(*(base.thing.positions for base in bases))
        explained = positions.union(*(base.explained for base in bases))
        for operator in operators:
            for place in self.spans.places_of(operator):
                if not place.meets(names):
                    explained |= place
        return Candidate(program, composer, type or composer.type, explained, rule, bases)

    def has(self, operator: QuestionOperator) -> bool:
        """Whether the question has words of an operator."""
        return operator in self.spans.operators

    def title_won(self, *bases: Base) -> tuple[str, ...]:
        """The stems of the title that the question asks for, if the bases read lists of honours:
        "nba champion" of "NBA rings"; none if it names no title."""
        if not all(base.relation.id in _HONOURS for base in bases):
            return ()
        lexicon = self.spans.lexicon
        free = union_of(base.thing.positions for base in bases)
        free |= union_of(self.spans.match.find((*lexicon.filler, *lexicon.honour_words)))
        for operator in (QuestionOperator.COUNT, QuestionOperator.MAX, QuestionOperator.SUM):
            free |= union_of(self.spans.places_of(operator))
        championships = union_of(self.spans.match.find(lexicon.champion_words))
        title = {self.spans.stems[i] for i in self.spans.content - free - championships}
        if championships:
            title.add(lexicon.stemmer.stem(_CHAMPION))
        return tuple(sorted(title))

    def requests(self, base: Base, operator: QuestionOperator) -> bool:
        """Whether an operator occurs in the question apart from the words of the base. A
        comparative ("higher") requests none: it compares two things."""
        for place in self.spans.places_of(operator):
            if not place <= base.explained and not place <= self.spans.comparatives:
                return True
        return False


def program_of(*bases: Base) -> Program:
    """The statements of some bases."""
    statements: list[Statement] = []
    for base in bases:
        statements += base.statements
    return Program(tuple(statements))
