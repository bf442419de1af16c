"""Ages in full years."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from models.kg.execution.outcome import Outcome
from models.kg.lexicon.types import ValueType
from models.kg.parsing.answers.composer import values_of

ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def years_between(first: str, last: str) -> str:
    """Full years from one day to another, both as "2024-03-01"."""
    years = int(last[:4]) - int(first[:4])
    has_birthday_ahead = last[5:10] < first[5:10]
    return str(years - 1 if has_birthday_ahead else years)


@dataclass(frozen=True, slots=True)
class Age:
    """Full years from a date of birth to a day ("2024-03-01")."""

    at: str
    type: ClassVar[ValueType] = ValueType.NUMBER

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = values_of(outcomes)
        if len(values) != 1 or not ISO_DAY.match(str(values[0])):
            return None
        return years_between(str(values[0]), self.at)
