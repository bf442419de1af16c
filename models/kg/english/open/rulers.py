"""Who ruled a state first, last, or in a year: the numbered rows of a former state's infobox."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from models.kg.english.open.subjects import Subject, explained
from models.kg.english.reading import Reading
from models.kg.execute import Outcome
from models.kg.language.printer import quoted
from utils.text import FUNCTION_WORDS, stem, words

# Words for whoever rules, whatever the title; and titles, which the infobox must give.
_RULER = r"(?:rulers?|leaders?|monarchs?|sovereigns?|heads? of state|person (?:to|who) rule)"
_TITLE = (
    r"(?:emperors?|empress|kings?|queens?|sultans?|shahs?|khans?|khagans?|tsars?|czars?|caliphs?"
    r"|pharaohs?|dukes?|princes?|presidents?|chancellors?|prime ministers?|governors?|regents?"
    r"|viceroys?|general secretar(?:y|ies)|chairm[ae]n|emirs?|kaisers?|doges?)"
)
_FIRST = r"(?:first|1st|earliest|original|initial|founding|inaugural)"
_LAST = r"(?:last|final|latest|ultimate|most recent)"
_ENDED = (
    r"(?:when (?:it|the \w+|xx) (?:end|fell|fall|collaps|dissol)\w*|at (?:the|its) (?:end|fall"
    r"|collapse)"
    r"(?: of)?|before (?:its|the) (?:end|fall|collapse)|until (?:its|the) (?:end|fall))"
)
_RULES = (
    r"(?:rul(?:e|ed|es|ing)|reign(?:ed|ing)?|govern(?:ed|ing)?|led|lead|headed|presided over"
    r"|throne|power)"
)
_YEAR = r"\b(?:in|during|as of) (?:the year )?(\d{3,4})\b"
_ROWS = ("leader", "deputy", "representative")
_HONORIFICS = r"(?:Emperor|Empress|King|Queen|Sultan|Shah|Khan|Prince|Duke|Tsar|Caliph|Pope)"


@dataclass(frozen=True, slots=True)
class Ruler:
    """A person of a numbered row, as the page's summary names him or her."""

    summary: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = [str(value) for value in outcomes[-1].values]
        return known_part(values[0], self.summary) if len(values) == 1 else None


def known_part(value: str, summary: str) -> str:
    """The part of a link's target and its shown text, written as one, that the summary names.

    All of it where the summary has it, or knows neither part.
    """
    text = re.sub(r"\s*\([^()]*\)", "", value).strip(" ,")
    parts = text.split()
    if text in summary or not 1 < len(parts) <= 6:
        return text
    for start in range(1, len(parts) - 1):
        tail = " ".join(parts[start:])
        if tail in summary and (start > 1 or re.search(_HONORIFICS, tail)):
            return tail
    for end in range(len(parts) - 1, 0, -1):
        head = " ".join(parts[:end])
        if re.search(rf"\b{re.escape(head)}\b(?! (?:[A-Z]|of\b))", summary):
            return head
    return text


def rulers(rest: str, about: Subject, call: str) -> Iterator[Reading]:
    """Readings of a question for a ruler of a state: its first, its last, or that of a year."""
    found = re.search(rf"\b(?:{_RULER}|{_TITLE}|{_RULES})\b", rest)
    if not found:
        return
    for rows in _ROWS:
        numbers = _numbers(about.facts, rows)
        if not numbers or not _titled(rest, about.facts, rows):
            continue
        for number, told in _chosen(rest, about.facts, rows, numbers):
            if explained(_untimed(rest, told), frozenset(told.split()) | _told(rest), [about]):
                yield Reading(f"ALL {call}[{quoted(f'{rows}{number}')}]", Ruler(about.summary))


def _untimed(rest: str, told: str) -> str:
    return rest.replace(told, " ") if any(char.isdigit() for char in told) else rest


def _told(rest: str) -> frozenset[str]:
    """The words of the question that speak of ruling."""
    cue = rf"\b(?:{_RULER}|{_TITLE}|{_RULES}|dynasty|empire|kingdom|sit|sat|on|to)\b"
    return frozenset(word for each in re.findall(cue, rest) for word in each.split())


def _numbers(facts: Mapping[str, Any], rows: str) -> list[int]:
    return sorted(int(key[len(rows) :]) for key, value in facts.items()
                  if value and re.fullmatch(rf"{rows}\d+", key))  # fmt: skip


def _titled(rest: str, facts: Mapping[str, Any], rows: str) -> bool:
    """Whether the rows are those of the title that a question gives; rulers are the leaders."""
    titles = re.findall(rf"\b{_TITLE}\b", rest)
    own = {stem(word) for word in words(str(facts.get(f"title_{rows}") or ""))}
    if titles:
        return all(stem(word) in own for word in words(titles[0]) if word not in FUNCTION_WORDS)
    return rows == "leader"


def _chosen(
    rest: str, facts: Mapping[str, Any], rows: str, numbers: Sequence[int]
) -> Iterator[tuple[int, str]]:
    """The number that a question means, and its words that say so."""
    first = re.search(rf"\b{_FIRST}\b", rest)
    last = re.search(rf"\b(?:{_LAST}|{_ENDED})\b", rest)
    year = re.search(_YEAR, rest)
    if year:
        held = [n for n in numbers if _holds(facts.get(f"year_{rows}{n}"), int(year[1]))]
        if len(held) == 1:
            yield held[0], year.group()
    elif last and not first:
        yield numbers[-1], last.group()
    elif first and not last:
        yield numbers[0], first.group()


def _holds(span: Any, year: int) -> bool:
    """Whether the year lies within a span, the years of change apart."""
    years = [int(each) for each in re.findall(r"\d{3,4}", str(span or ""))]
    return len(years) == 2 and years[0] < year < years[1]
