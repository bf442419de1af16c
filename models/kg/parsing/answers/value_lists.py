"""Composers that show values: a list, a count, a sum, or shared values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from models.english.member_counts import member_count
from models.english.quantities import as_number
from models.kg.execution.decimals import exact_mean, exact_sum
from models.kg.execution.known_facts import says_there_is_none
from models.kg.execution.outcome import Outcome
from models.kg.lexicon.types import ValueType
from models.kg.parsing.answers.composer import distinct, identity, values_of
from models.kg.wording.value_text import answer_text
from models.records import INVALID, Domain
from utils.text import find_run, words

# The KG's codes of a result.
_WON = "W"
_LOST = "L"
_DRAWN = "D"


@dataclass(frozen=True, slots=True)
class Values:
    """The distinct values of the last statement.

    Attributes:
        limit: of more values, only so many; fewer are not sufficient.
        all_statements: the values of all statements.
        last_member_of: only the last member of the list in this key, such as the end of a span.
        needs_rows: the sum of no rows is unknown, not 0.
        within: words that each value must contain.
        without: a value that is left out.
        days: None: each value once. Otherwise repeated values stay, and if it is not 0, exactly so
            many are needed.
    """

    type: ValueType
    limit: int | None = None
    all_statements: bool = False
    last_member_of: str = ""
    needs_rows: bool = False
    within: str = ""
    without: str = ""
    days: int | None = None

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        if self.needs_rows and not outcomes[-1].rows:
            return None
        if self.last_member_of:
            return self._last_member(outcomes[-1])
        values = values_of(outcomes if self.all_statements else outcomes[-1:])
        if self.days and self.days != len(values):
            return None
        if len(values) < (self.limit or _number_taken(outcomes[-1])):
            return None
        if self.days is None:
            values = distinct(values)
        values = [value for value in values if self._is_wanted(value)]
        if values and all(map(says_there_is_none, values)) and _is_of_infobox(outcomes[-1]):
            return INVALID
        return ", ".join(answer_text(value, self.type) for value in values[: self.limit]) or None

    def _is_wanted(self, value: Any) -> bool:
        if self.within and find_run(words(self.within), words(str(value))) < 0:
            return False
        return not self.without or identity(value) != identity(self.without)

    def _last_member(self, outcome: Outcome) -> str | None:
        """The last member of a list in the last row; None if it is unknown."""
        if not outcome.taken:
            return None
        value = outcome.taken[-1].get(self.last_member_of)
        if isinstance(value, list) and value:
            value = value[-1]
        return None if value in (None, "") else answer_text(value, self.type)


def _is_of_infobox(outcome: Outcome) -> bool:
    return outcome.step is not None and outcome.step.function.domain is Domain.OPEN


def _number_taken(outcome: Outcome) -> int:
    """How many values a statement must give: as many rows as it takes; 0 if it takes all."""
    if outcome.step is None or outcome.step.reduce is not None:
        return 0
    return outcome.step.take.count or 0


@dataclass(frozen=True, slots=True)
class Count:
    """The number of values.

    Attributes:
        rows: count equal values separately.
        text: a text states the number, or lists the values.
    """

    rows: bool = False
    text: bool = False
    type: ClassVar[ValueType] = ValueType.NUMBER

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = values_of(outcomes)
        if not values and not any(outcome.complete for outcome in outcomes):
            return None
        if self.text and values:
            return self._of_text(values)
        return str(len(values if self.rows else distinct(values)))

    def _of_text(self, values: Sequence[Any]) -> str | None:
        """The number that the first text states, or the number of members that they list; None if
        several state one."""
        count = member_count(values)
        return None if count is None else str(count)


@dataclass(frozen=True, slots=True)
class Common:
    """The values that all statements share; of type `POLAR`, whether there are any. What is
    absent is shared by nobody, and differs from nothing, unless the KG is complete."""

    type: ValueType

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        for outcome in outcomes:
            if not outcome.entities or not (outcome.values or outcome.complete):
                return None
        if not values_of(outcomes):
            return None
        shared = list(outcomes[0].values)
        for outcome in outcomes:
            known = set(map(identity, outcome.values))
            shared = [value for value in shared if identity(value) in known]
        if self.type is ValueType.POLAR:
            return "yes" if shared else "no"
        return ", ".join(answer_text(value, self.type) for value in distinct(shared)) or None


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of the values of all statements, or their `mean`."""

    type: ValueType
    mean: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        numbers: list[float] = []
        for outcome in outcomes:
            number = as_number(outcome.values[0]) if outcome.values else None
            if number is None:
                return None
            numbers.append(number)
        combine = exact_mean if self.mean else exact_sum
        return answer_text(combine(numbers), self.type)


@dataclass(frozen=True, slots=True)
class Winner:
    """Who won a game of `team`, or who `lost` it; nobody in a draw."""

    team: str
    lost: bool = False
    type: ClassVar[ValueType] = ValueType.TEAM

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = outcomes[-1].taken
        if len(rows) != 1:
            return None
        opponent = str(rows[0].get("opponent") or "")
        result = rows[0].get("result")
        if result == _DRAWN:
            return "draw"
        if result not in (_WON, _LOST):
            return None
        won_by_team = result == _WON
        asks_for_team = won_by_team != self.lost
        return (self.team if asks_for_team else opponent) or None
