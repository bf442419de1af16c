"""A candidate: a program with the composer of its answer."""

from dataclasses import dataclass
from enum import StrEnum

from models.kg.language.ast import Program
from models.kg.lexicon.positions import Positions
from models.kg.lexicon.types import ValueType
from models.kg.parsing.answers import Composer
from models.kg.parsing.base import Base
from models.kg.parsing.spans import Thing


class RuleName(StrEnum):
    """The rule that built a candidate. Its value stands in the names of features and weights."""

    VALUE = "value"
    OF_SERIES = "of series"
    YEAR_OF_DATE = "year of date"
    FIRST_VALUES = "first values"
    DAY_OF_PERIOD = "edge in order"
    EACH_TIME = "each time"
    NUMBER_ITSELF = "value, count"
    COUNT = "count"
    REDUCED = "reduced"
    DAY_OF_EXTREME = "day of extreme"
    AGE = "age"
    AGE_AT_EVENT = "age at"
    NTH = "nth in order"
    ONE_BY_DATE = "one in order"
    SEVERAL_BY_DATE = "first in order"
    ONE_BY_SIZE = "one in order of size"
    SEVERAL_BY_SIZE = "first in order of size"
    EXTREME = "extreme"
    IS_ITSELF = "is itself"
    IS_VALUE = "is value"
    IS_OTHER = "is other"
    THAN = "than"
    ANY = "any"
    MOST = "most"
    IS_MORE = "less"
    DIFFERENCE = "difference"
    TWO_KEYS = "two keys"
    VALUES_OF_TWO_KEYS = "values of two keys"
    TOTAL = "total"
    COMMON = "common"
    COUNT_OF_COMMON = "count of common"
    FILMS_OF_BOTH = "of both"
    WINNER = "winner"
    MARGIN = "margin"
    NO_ROWS = "invalid"
    CLASH = "clash"
    CLASH_OF_DESCRIPTION = "described"
    CLOSED_DAY = "closed"

    @property
    def is_plain_value(self) -> bool:
        """Whether it gives the values of a key as they are."""
        return self in (RuleName.VALUE, RuleName.IS_VALUE)

    @property
    def counts(self) -> bool:
        return self in (RuleName.COUNT, RuleName.NUMBER_ITSELF, RuleName.COUNT_OF_COMMON)

    @property
    def chooses(self) -> bool:
        """Whether it weighs two things against each other."""
        return self in (RuleName.MOST, RuleName.IS_MORE)

    @property
    def finds_false_premise(self) -> bool:
        return self in (
            RuleName.NO_ROWS,
            RuleName.CLASH,
            RuleName.CLASH_OF_DESCRIPTION,
            RuleName.CLOSED_DAY,
        )

    @property
    def orders(self) -> bool:
        """Whether it reads the first rows in an order."""
        return self in _ORDERING


_ORDERING = frozenset(
    (
        RuleName.DAY_OF_PERIOD,
        RuleName.NTH,
        RuleName.ONE_BY_DATE,
        RuleName.SEVERAL_BY_DATE,
        RuleName.ONE_BY_SIZE,
        RuleName.SEVERAL_BY_SIZE,
    )
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program with the composer and type of its answer.

    Attributes:
        explained: the words of the question that it explains.
        rule: the rule that built it.
        joined: its base was joined with another one before.
        other: a thing that values are compared with.
    """

    program: Program
    composer: Composer
    type: ValueType
    explained: Positions
    rule: RuleName
    bases: tuple[Base, ...]
    other: Thing | None = None
    joined: bool = False

    @property
    def rule_label(self) -> str:
        """The rule with its join, as features and explanations name it."""
        return f"join, {self.rule}" if self.joined else str(self.rule)
