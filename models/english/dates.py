"""Reads dates of any granularity in a text: "4 May 1950", "may 4 and 5", "may 1950", "1950"."""

import re
from dataclasses import dataclass
from functools import lru_cache

from models.english.calendar_words import MONTHS
from models.english.quantity_words import ORDINAL_ENDING, any_of

_MONTH = rf"(?P<month>{any_of(MONTHS)})\b\.?"
_DAY = rf"\d{{1,2}}{ORDINAL_ENDING}?(?![\d:%]|\.\d)"
_DAYS = rf"(?P<days>{_DAY}(?:\s*(?:,|and|&|-|to|, and)\s*(?:the )?{_DAY})*)"
_YEAR = r"(?P<year>[12]\d{3})(?!\d)"
_OF_YEAR = rf"(?:\s*,?\s*(?:of )?{_YEAR})?"
# Tried in order; text matched by one pattern is skipped by the next.
_PATTERNS = (
    re.compile(  # 1950-05-04
        r"(?<!\d)(?P<year>[12]\d{3})[-/.](?P<number>\d{1,2})[-/.](?P<days>\d{1,2})(?!\d)"
    ),
    re.compile(  # 5/4/1950
        r"(?<![\d/.$-])(?P<number>\d{1,2})(?P<mark>[-/.])(?P<days>\d{1,2})(?P=mark)"
        r"(?P<year>\d{4}|\d{2})(?![\d/])"
    ),
    re.compile(rf"\b{_MONTH}\s+(?:the )?{_DAYS}{_OF_YEAR}"),
    re.compile(rf"(?<![\d.,$/-]){_DAYS}\s+(?:of )?{_MONTH}{_OF_YEAR}"),
    re.compile(rf"\b{_MONTH}\s*,?\s*(?:of )?{_YEAR}"),
    re.compile(  # a year alone
        r"(?<![\d.,$€£/\w])(?P<year>1\d{3}|20\d{2})(?![\d%]|[.,]\d|'?s\b| (?:million|billion"
        r"|feet|miles|km|meters|metres|usd|dollars|people|points|pounds|ft)\b)"
    ),
)
_IS_RANGE = re.compile(r"-|\bto\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Date:
    """A date in a text; parts that it leaves open are None.

    Attributes:
        year: below 100 it has no century.
        start, end: its offsets in the text.
    """

    year: int | None
    month: int | None
    day: int | None
    start: int
    end: int


@lru_cache(maxsize=8192)
def dates(text: str) -> tuple[Date, ...]:
    """The dates of a text, left to right, with years alone.

    Args:
        text: in lower case, with plain quotes, dashes and spaces.
    """
    results: list[Date] = []
    spans: list[tuple[int, int]] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if not any(start < match.end() and match.start() < end for start, end in spans):
                spans.append(match.span())
                results.extend(_dates_of(match))
    return tuple(sorted(results, key=lambda date: date.start))


def _dates_of(match: re.Match[str]) -> list[Date]:
    """The dates of one match: several for "may 4 and 5"."""
    groups = match.groupdict()
    year = int(groups["year"]) if groups.get("year") else None
    days = [int(day) for day in re.findall(r"\d+", groups.get("days") or "")]
    if groups.get("number"):
        month: int | None = int(groups["number"])
    else:
        month = MONTHS.get(groups.get("month") or "")
    if month and month > 12 and days and days[0] <= 12:  # 31/12/1999
        first_number = month
        month = days[0]
        days = [first_number]
    if len(days) == 2 and days[0] < days[1] and _IS_RANGE.search(groups["days"]):
        days = list(range(days[0], days[1] + 1))
    start, end = match.span()
    if not days:
        return [Date(year=year, month=month, day=None, start=start, end=end)]
    return [Date(year=year, month=month, day=day, start=start, end=end) for day in days]
