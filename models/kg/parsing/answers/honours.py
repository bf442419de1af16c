"""How often somebody won a title, from the list of honours in an infobox."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from models.kg.execution.outcome import Outcome
from models.kg.lexicon.types import ValueType
from models.kg.parsing.answers.composer import values_of
from utils.text import stem, words

_TIMES = re.compile(r"\s*(\d+)\s*[×xX]")
_BRACKETS = re.compile(r"\(([^()]*)\)")
_YEARS = re.compile(r"\b((?:19|20)\d\d)(?:\s*[-–—]\s*((?:19|20)\d\d|\d\d)(?!\d))?")
_SHORT = 2  # digits of the second year of "1991–93"


def times_won(values: Sequence[Any], title: tuple[str, ...]) -> int | None:
    """How often the shortest entry with all stems of a title, and its repetitions with other years,
    say that it was won; None without such an entry.

    >>> times_won(["6× NBA champion (1991)", "NBA All-Star (1992, 1994-1996)"], ("nba", "star"))
    4
    """
    entries: list[str] = []
    for value in values:
        entries += str(value).splitlines()
    matching = [entry for entry in entries if set(title) <= set(map(stem, words(entry)))]
    if not matching:
        return None
    name = _without_times(min(matching, key=len))
    of_title = [entry for entry in matching if _without_times(entry) == name]
    return sum(map(_times_in_entry, dict.fromkeys(of_title)))


def _without_times(entry: str) -> list[str]:
    """The words of an entry, without how often and when."""
    return words(_BRACKETS.sub("", _TIMES.sub("", entry, count=1)))


def _times_in_entry(entry: str) -> int:
    """How often an entry says that its title was won, at least once."""
    stated = _TIMES.match(entry)
    if stated is not None:
        return int(stated[1])
    times = 0
    for bracket in _BRACKETS.findall(entry):
        for first, last in _YEARS.findall(bracket):
            times += _years_in_span(first, last)
    return max(times, 1)


def _years_in_span(first: str, last: str) -> int:
    """How many years "1991–1993" or "1991–93" has; "2005–06" is one season."""
    begin = int(first)
    if len(last) != _SHORT:
        return int(last or first) - begin + 1
    later = (int(last) - begin) % 100
    return 1 if later == 1 else later + 1


@dataclass(frozen=True, slots=True)
class TimesWon:
    """How often a title was won; `title` holds the stems of its words."""

    title: tuple[str, ...]
    type: ClassVar[ValueType] = ValueType.NUMBER

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        times = times_won(values_of(outcomes), self.title)
        return None if times is None else str(times)
