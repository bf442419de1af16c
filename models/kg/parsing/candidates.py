"""A candidate: a program with a composer; and what all rules share."""

from dataclasses import dataclass

from models.kg.language.ast import Program
from models.kg.lexicon.matching import NOTHING, Positions
from models.kg.lexicon.relations import NUMERIC
from models.kg.parsing.answers import Composer
from models.kg.parsing.base import Base
from models.kg.parsing.bases import Bases
from models.kg.parsing.spans import Spans, Thing

NAMED = frozenset(("movie", "person", "musician", "song"))  # types whose values are names
COMPARED = frozenset(("date", "year", *NUMERIC))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program with the composer and type of its answer.

    Attributes:
        used: the words of the question that it explains.
        rule: the rule that built it last.
        other: a thing that values are compared with.
    """

    program: Program
    composer: Composer
    type: str
    used: Positions
    rule: str
    bases: tuple[Base, ...]
    other: Thing | None = None


class Rule:
    """The base of all rules: the question's spans and bases."""

    def __init__(self, spans: Spans, bases: Bases) -> None:
        self.spans = spans
        self.bases = bases
        self.spoken = spans.operators

    def made(
        self, rule: str, composer: Composer, base: Base | tuple[Base, Base], *operators: str,
        program: Program | None = None, used: Positions = NOTHING, type: str = "",
    ) -> Candidate:  # fmt: skip
        """A candidate that explains the words of its bases and operators, and those in `used`.

        `program`: other than that of the bases; `type`: other than the composer's.
        """
        bases = base if isinstance(base, tuple) else (base,)
        if program is None:
            program = Program(tuple(statement for b in bases for statement in b.statements))
        taken = frozenset(i for each in bases for i in each.thing.used)
        hits = (u for name in operators for u in self.spoken.get(name, ()) if not u & taken)
        used = used.union(*hits, *(each.used for each in bases))
        return Candidate(program, composer, type or composer.type, used, rule, bases)

    def asks(self, base: Base, operator: str) -> bool:
        """Whether an operator occurs in the question apart from the words of the base. A
        comparative ("higher") asks for none: it compares two things."""
        return any(
            not used <= base.used and not used <= self.spans.comparatives
            for used in self.spoken.get(operator, ())
        )
