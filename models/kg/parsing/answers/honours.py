"""How often somebody won a title, from the list of honours in an infobox."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from models.kg.execution.execute import StatementResult
from models.kg.lexicon.types import ValueType
from models.kg.parsing.answers.composer import values_of
from utils.text import stem, words

_TIMES = re.compile(r"\s*(\d+)\s*[×xX]")
_BRACKETS = re.compile(r"\(([^()]*)\)")
_YEARS = re.compile(r"\b((?:19|20)\d\d)(?:\s*[-–—]\s*((?:19|20)\d\d))?")


def times_won(values: Sequence[Any], title: tuple[str, ...]) -> int | None:
    """How often the shortest entry with all stems of a title says that it was won; None without
    such an entry.

    >>> times_won(["6× NBA champion (1991)", "NBA All-Star (1992, 1994-1996)"], ("nba", "star"))
    4
    """
    entries: list[str] = []
    for value in values:
        entries += str(value).splitlines()
    matching = [entry for entry in entries if set(title) <= set(map(stem, words(entry)))]
    if not matching:
        return None
    entry = min(matching, key=len)
    stated = _TIMES.match(entry)
    if stated is not None:
        return int(stated[1])
    years = 0
    for bracket in _BRACKETS.findall(entry):
        for first, last in _YEARS.findall(bracket):
            years += int(last or first) - int(first) + 1
    return max(years, 1)


@dataclass(frozen=True, slots=True)
class TimesWon:
    """How often a title was won; `title` holds the stems of its words."""

    title: tuple[str, ...]
    type: ClassVar[ValueType] = ValueType.NUMBER

    def __call__(self, outcomes: Sequence[StatementResult]) -> str | None:
        times = times_won(values_of(outcomes), self.title)
        return None if times is None else str(times)
