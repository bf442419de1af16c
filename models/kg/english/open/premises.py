"""Questions that take for granted what a page shows not to be so."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from models.kg.english.open.keys import SUMMARY
from models.kg.english.open.subjects import NAME, Subject
from models.kg.english.open.values import day
from models.kg.english.reading import Reading
from models.kg.execute import Outcome
from models.kg.language.printer import quoted
from models.records import INVALID

# An office that a question gives somebody, who then ought to have held it.
_OFFICES = re.compile(
    rf"\b(president|prime minister|chancellor|governor|king|queen|emperor) {NAME}\b"
)
_IN_OFFICE = re.compile(
    r"\b(?:vice[ -]?president|second in command|first lady|administration|presidency|cabinet"
    r"|running"
    r" mate|reign|rule|prime ministers?|in office|term)\b"
)
_TO_COME = re.compile(
    rf"\b(?:upcoming|forthcoming|next|{NAME} (?:is )?(?:planning|going) to|plans? to|will {NAME})\b"
)


@dataclass(frozen=True, slots=True)
class NeverHeld:
    """ "invalid question", where none of a person's texts has the word of an office."""

    office: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        rows = outcomes[-1].rows
        text = " ".join(str(value) for row in rows for value in row.values()).lower()
        known = any(row.get("birth_date") and row.get(SUMMARY) for row in rows)
        return INVALID if known and self.office not in text else None


@dataclass(frozen=True, slots=True)
class DeadBefore:
    """ "invalid question", where the last statement's date lies before the question was asked."""

    asked: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        died = day(outcomes[-1].values[0]) if outcomes[-1].values else None
        return INVALID if died and died < self.asked[: len(died)] else None


def premises(rest: str, about: Subject, at: datetime | None) -> Iterator[Reading]:
    """Readings that answer "invalid question" where a question's premise is shown to be false."""
    call = f"get_open({quoted(about.name)})"
    office = _OFFICES.search(rest)
    if office and _IN_OFFICE.search(rest):
        yield Reading(f"ALL {call}", NeverHeld(office[1]))
    if at and about.facts.get("death_date") and _TO_COME.search(rest):
        yield Reading(f'ALL {call}["death_date"]', DeadBefore(at.date().isoformat()))
