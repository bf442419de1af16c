"""Keys that infoboxes number: one office, club or marriage a number (`office2`, `term_start2`)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from models.kg.english.open.values import day
from utils.text import FUNCTION_WORDS, stem, words

# The keys that one number joins, and those of them that say what the row is about.
_TITLES = (
    "office title jr/sr minister_from ambassador_from country state district constituency"
    " state_house state_senate clubs team managerclubs youthclubs nationalteam profession"
).split()
_JOINED = frozenset(
    (*_TITLES, *"order term_start term_end predecessor successor president vicepresident deputy"
     " primeminister governor leader appointer nominator appointed monarch years caps goals"
     " manageryears youthyears nationalyears nationalcaps nationalgoals".split())
)  # fmt: skip
_SPAN = re.compile(r"(\d{4})(?:\s?[–-]\s?(\d{4})?)?")


@dataclass(frozen=True, slots=True)
class Row:
    """One number's key for what is asked, and the words of the question that tell the number."""

    key: str
    number: str
    told: frozenset[str]


def row_of(rest: str, key: str, told: frozenset[str], facts: Mapping[str, Any]) -> Row | None:
    """The numbered key that `rest` means by `key`, where it says of which office or club."""
    base = _split(key)[0].removeprefix("total")
    if base not in _JOINED:
        return None
    asked = {stem(word): word for word in rest.split()
             if word not in FUNCTION_WORDS | told and len(word) > 2}  # fmt: skip
    year = re.search(r"\b(?:in|during) (?:the year )?(\d{4})\b", rest)
    best: tuple[tuple[int, int], Row] | None = None
    for number, row in _rows(facts).items():
        if base not in row:
            continue
        titles = [{stem(word) for word in words(str(row.get(title, "")))} for title in _TITLES]
        about = set().union(*titles)
        common = about & asked.keys()
        in_year = year is not None and _holds(row, int(year[1]))
        if not common and not in_year:
            continue
        words_told = {asked[own] for own in common} | ({year[1]} if in_year and year else set())
        rank = (len(words_told), -min((len(each) for each in titles if each & common), default=0))
        if best is None or rank > best[0]:
            best = (rank, Row(f"{base}{number}", number, frozenset(words_told)))
    return best[1] if best else None


def _split(key: str) -> tuple[str, str]:
    match = re.fullmatch(r"(.*?)(\d*)", key)
    return (match[1], match[2]) if match else (key, "")


def _rows(facts: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for key, value in facts.items():
        base, number = _split(key)
        if value and base in _JOINED:
            found.setdefault(number, {})[base] = value
    return found


def _holds(row: Mapping[str, Any], year: int) -> bool:
    years = next((str(row[key]) for key in row if key.endswith("years")), None)
    if years:
        span = _SPAN.search(years)
        last = (span[2] or ("9999" if re.search(r"[–-]", years) else span[1])) if span else "0"
        return bool(span) and int(span[1] if span else 0) <= year <= int(last)
    first, last_day = day(row.get("term_start")), day(row.get("term_end"))
    return bool(first) and int(str(first)[:4]) <= year <= int((last_day or "9999")[:4])
