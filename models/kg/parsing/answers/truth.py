"""Composers that answer yes or no, or that detect false premises."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from models.kg.execution.fetch.protocol import Row
from models.kg.execution.outcome import Outcome
from models.kg.execution.row_operations import compare
from models.kg.lexicon.types import ValueType
from models.kg.names.named_values import is_named
from models.kg.parsing.answers.ages import ISO_DAY
from models.kg.parsing.answers.composer import values_of
from models.records import INVALID
from utils.text import find_run, words


@dataclass(frozen=True, slots=True)
class Is:
    """Whether one of the values is `wanted`, under any of its names.

    Attributes:
        codes: the table of `schema/codes.toml` that has these names; "" for none.
        negated: whether no value is.
    """

    wanted: str
    codes: str = ""
    negated: bool = False
    type: ClassVar[ValueType] = ValueType.POLAR

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = values_of(outcomes)
        if not values:
            return None
        same = any(is_named(self.codes, value, self.wanted) for value in values)
        return "yes" if same != self.negated else "no"


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether a thing has any values: that it has none, only rows can say that are complete, or
    that all violate a condition."""

    type: ClassVar[ValueType] = ValueType.POLAR

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if values_of(outcomes):
            return "yes"
        is_known = all(outcome.complete or outcome.all_violate for outcome in outcomes)
        return "no" if is_known else None


@dataclass(frozen=True, slots=True)
class Than:
    """Whether a value is below (`sign` -1), at (0) or above (1) a bound."""

    bound: str
    sign: int
    type: ClassVar[ValueType] = ValueType.POLAR

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = values_of(outcomes)
        if not values:
            return None
        value = str(values[0])
        if self.bound != value and self.bound.startswith(f"{value}-"):
            return None  # a year compared with one of its months
        if ISO_DAY.match(value):
            value = value[: len(self.bound)]
        sign = compare(value, self.bound)
        if sign is None:
            return None
        return "yes" if sign == self.sign else "no"


@dataclass(frozen=True, slots=True)
class Clash:
    """A false premise: the question names something that is absent from complete rows, or from
    these `keys` of them."""

    name: str
    keys: tuple[str, ...] = ()
    type: ClassVar[ValueType] = ValueType.INVALID

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows: list[Row] = []
        for outcome in outcomes:
            if not outcome.values or not (outcome.complete or self.keys):
                return None
            rows += outcome.rows
        if not rows:
            return None
        name = words(self.name)
        for row in rows:
            if not all(row.get(key) for key in self.keys):
                return None
        for row in rows:
            for key in self.keys or row:
                if find_run(name, words(str(row[key]))) >= 0:
                    return None
        return INVALID


@dataclass(frozen=True, slots=True)
class FalsePremise:
    """A false premise: there are no values, though the KG is complete."""

    type: ClassVar[ValueType] = ValueType.INVALID

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        is_absent = all(outcome.complete and not outcome.values for outcome in outcomes)
        return INVALID if is_absent else None


@dataclass(frozen=True, slots=True)
class ClosedDay:
    """A false premise: the day is without trading, and the KG has prices before and after it."""

    type: ClassVar[ValueType] = ValueType.INVALID

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        return INVALID if all(outcome.values for outcome in outcomes) else None
