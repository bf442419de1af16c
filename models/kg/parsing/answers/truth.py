"""Composers that answer yes or no, or that detect false premises."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from models.kg.english.named_values import is_named
from models.kg.execution.execute import StatementResult
from models.kg.execution.operators import compare
from models.kg.parsing.answers.values import DAY, values_of
from models.records import INVALID
from utils.text import find_run, words


@dataclass(frozen=True, slots=True)
class Is:
    """Whether one of the values is `wanted`, under any of its names (`codes`)."""

    wanted: str
    codes: str = ""
    negated: bool = False
    type: ClassVar[str] = "polar"

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        values = values_of(outcomes)
        if not values:
            return None
        same = any(is_named(self.codes, value, self.wanted) for value in values)
        return "yes" if same != self.negated else "no"


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether a thing that the KG has, has any values."""

    type: ClassVar[str] = "polar"

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        if not any(o.entities or o.complete for o in outcomes):
            return None
        return "yes" if values_of(outcomes) else "no"


@dataclass(frozen=True, slots=True)
class Than:
    """Whether a value is below (`sign` -1), at (0) or above (1) a bound."""

    bound: str
    sign: int
    type: ClassVar[str] = "polar"

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        values = values_of(outcomes)
        if not values:
            return None
        value = str(values[0])
        if self.bound != value and self.bound.startswith(f"{value}-"):
            return None  # a year compared with one of its months
        sign = compare(value[: len(self.bound)] if DAY.match(value) else value, self.bound)
        return None if sign is None else "yes" if sign == self.sign else "no"


@dataclass(frozen=True, slots=True)
class Clash:
    """A false premise: the question names something that is absent from complete rows, or from
    these `keys` of them."""

    name: str
    keys: tuple[str, ...] = ()
    type: ClassVar[str] = "invalid"

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        rows = [row for o in outcomes for row in o.rows]
        whole = all(o.values and (o.complete or self.keys) for o in outcomes)
        if not rows or not whole or not all(row.get(key) for row in rows for key in self.keys):
            return None
        named = words(self.name)
        texts = [words(str(row[key])) for row in rows for key in self.keys or row]
        return None if any(find_run(named, text) >= 0 for text in texts) else INVALID


@dataclass(frozen=True, slots=True)
class FalsePremise:
    """A false premise: there are no values, though the KG is complete; or there cannot be any."""

    impossible: bool = False
    type: ClassVar[str] = "invalid"

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        absent = all(o.complete and not o.values for o in outcomes)
        return INVALID if self.impossible or absent else None
