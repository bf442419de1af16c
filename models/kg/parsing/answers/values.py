"""Composers that show values: a list, a count, a sum, an age, or shared values."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from models.kg.english.quantities import as_number
from models.kg.execution.execute import StatementResult
from models.kg.schema.codes import in_words
from models.kg.wording.values import answer_text as show
from models.records import INVALID
from utils.text import find_run, fold, words

DAY = re.compile(r"\d{4}-\d\d-\d\d")


class Composer(Protocol):
    @property
    def type(self) -> str:
        """The type of its answers, as a relation's target, or "polar", "which", "invalid"."""
        ...

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None: ...


def identity(value: Any) -> str | float:
    """A key that equal values share: a number, or a text without case and blanks."""
    number = as_number(value)
    return number if number is not None else " ".join(fold(str(value)).replace('"', "").split())


def distinct(values: Sequence[Any]) -> list[Any]:
    """Each value once."""
    seen: dict[str | float, Any] = {}
    for value in values:
        seen.setdefault(identity(value), value)
    return list(seen.values())


def values_of(outcomes: Sequence[StatementResult]) -> list[Any]:
    return [value for o in outcomes for value in o.values if not isinstance(value, dict)]


@dataclass(frozen=True, slots=True)
class Values:
    """The distinct values of the last statement, or of `all_of` them; at most `most`.

    `within`: words of each; `without`: a value that is left out; `last`: only the key's last list
    member; `rows`: the sum of no rows is unknown, not 0; `days`: equal values, too, one for each
    of so many days (0: of any number)."""

    type: str
    most: int | None = None
    all_of: bool = False
    last: str = ""
    rows: bool = False
    within: str = ""
    without: str = ""
    days: int | None = None

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        if self.rows and not outcomes[-1].rows:
            return None
        if self.last:
            return self._end(outcomes[-1])
        values = values_of(outcomes if self.all_of else outcomes[-1:])
        if self.days and self.days != len(values):
            return None
        values = distinct(values) if self.days is None else values
        if self.within:
            values = [v for v in values if find_run(words(self.within), words(str(v))) >= 0]
        values = [v for v in values if not self.without or identity(v) != identity(self.without)]
        if self.type == "text" and [str(value).lower() for value in values] == ["none"]:
            return INVALID  # there is no such thing
        return ", ".join(show(value, self.type) for value in values[: self.most]) or None

    def _end(self, outcome: StatementResult) -> str | None:
        """The last member of a list, such as the end of a span; None if it is unknown."""
        found = outcome.taken[-1].get(self.last) if outcome.taken else None
        value = found[-1] if isinstance(found, list) and found else found
        return show(value, self.type) if value not in (None, "") else None


@dataclass(frozen=True, slots=True)
class Count:
    """The number of values. `rows`: count equal values separately; `text`: a text states the
    number, or lists the values."""

    rows: bool = False
    text: bool = False
    type: ClassVar[str] = "number"

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        values = values_of(outcomes)
        if not values and not any(o.complete for o in outcomes):
            return None
        if self.text and values:
            number = re.match(r"\d+\b(?![-–,.\d])", str(values[0]))
            if number is None and len(values) > 1:
                return str(len(distinct(values)))
            parts = re.split(r",|;|\band\b|\n", str(values[0]).lower())
            members = [part for part in parts if part.strip() not in ("", "none")]
            return number[0] if number else str(len(members))
        return str(len(values if self.rows else distinct(values)))


@dataclass(frozen=True, slots=True)
class Common:
    """The values that all statements share; `type` "polar": whether there are any."""

    type: str

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        if not all(o.entities for o in outcomes):
            return None
        each = [set(map(identity, o.values)) for o in outcomes]
        shared = [v for v in outcomes[0].values if all(identity(v) in known for known in each)]
        if self.type == "polar":
            return "yes" if shared else "no"
        return ", ".join(show(value, self.type) for value in distinct(shared)) or None


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of the values of all statements, or their `mean`."""

    type: str
    mean: bool = False

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        numbers = [as_number(o.values[0]) if o.values else None for o in outcomes]
        known = [number for number in numbers if number is not None]
        if len(known) < len(outcomes):
            return None
        return show(math.fsum(known) / (len(known) if self.mean else 1), self.type)


def years_between(first: str, last: str) -> str:
    """Full years from one day to another, both as "2024-03-01"."""
    return str(int(last[:4]) - int(first[:4]) - (last[5:10] < first[5:10]))


@dataclass(frozen=True, slots=True)
class Age:
    """Full years from a date of birth to a day ("2024-03-01")."""

    at: str
    type: ClassVar[str] = "number"

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        values = values_of(outcomes)
        if len(values) != 1 or not DAY.match(str(values[0])):
            return None
        return years_between(str(values[0]), self.at)


@dataclass(frozen=True, slots=True)
class Winner:
    """Who won a game of `team`, or who `lost` it; nobody in a draw."""

    team: str
    lost: bool = False
    type: ClassVar[str] = "team"

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        rows = outcomes[-1].taken
        result = in_words("result", rows[0].get("result")) if len(rows) == 1 else ""
        other = str(rows[0].get("opponent") or "") if result else ""
        won, lost = (other, self.team) if self.lost else (self.team, other)
        return {"a win": won, "a loss": lost, "a draw": "draw"}.get(result) or None


def compose(composer: Composer, outcomes: Sequence[StatementResult]) -> str | None:
    """The answer; None if a statement failed or came too late."""
    return None if any(o.errors for o in outcomes) else composer(outcomes)
