"""Dates in text, of any granularity, and whether two of them agree."""

import re
from dataclasses import dataclass
from functools import lru_cache

from evaluation.judge.numbers import Match

_MONTHS = {
    name[:size]: i
    for i, name in enumerate(
        "january february march april may june july august september october november"
        " december".split(),
        start=1,
    )
    for size in {3, len(name)}
} | {"sept": 9}
_M = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?(?![\d:%]|\.\d)"
_DAYS = rf"(?P<days>{_DAY}(?:\s*(?:,|and|&|-|to|, and)\s*(?:the )?{_DAY})*)"
_YEAR = r"(?P<year>[12]\d{3})(?!\d)"

_ISO = re.compile(r"(?<!\d)(?P<y>[12]\d{3})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)")
_SLASHED = re.compile(
    r"(?<![\d/.$-])(?P<a>\d{1,2})(?P<sep>[-/.])(?P<b>\d{1,2})(?P=sep)(?P<y>\d{4}|\d{2})(?![\d/])"
)
_MONTH_DAY = re.compile(rf"\b{_M}\s+(?:the )?{_DAYS}(?:\s*,?\s*(?:of )?{_YEAR})?")
_DAY_MONTH = re.compile(rf"(?<![\d.,$/-]){_DAYS}\s+(?:of )?{_M}(?:\s*,?\s*(?:of )?{_YEAR})?")
_MONTH_YEAR = re.compile(rf"\b{_M}\s*,?\s*(?:of )?{_YEAR}")
_YEAR_ALONE = re.compile(
    r"(?<![\d.,$€£/\w])(?P<year>1\d{3}|20\d{2})(?![\d%]|[.,]\d|'?s\b| (?:million|billion|feet"
    r"|miles|km|meters|metres|usd|dollars|people|points|pounds|ft)\b)"
)


@dataclass(frozen=True, slots=True)
class Date:
    """What is said of a date; None where it is left open.

    `century` is False where the year has two digits. `swapped` marks 3/4/2020, which may be read
    day first or month first.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    century: bool = True
    swapped: bool = False
    start: int = 0
    end: int = 0

    def at(self, span: tuple[int, int]) -> "Date":
        return Date(self.year, self.month, self.day, self.century, self.swapped, *span)

    def of_year(self) -> "Date":
        """The year alone."""
        return Date(self.year, None, None, self.century, False, self.start, self.end)

    @property
    def key(self) -> tuple[int | None, int | None, int | None]:
        return (self.year, self.month, self.day)


def _iso(found: re.Match[str]) -> list[Date]:
    month, day = int(found["m"]), int(found["d"])
    return [Date(int(found["y"]), month, day)] if 1 <= month <= 12 and 1 <= day <= 31 else []


def _numeric(found: re.Match[str]) -> list[Date]:
    a, b, year = int(found["a"]), int(found["b"]), int(found["y"])
    century = len(found["y"]) == 4
    if 1 <= a <= 12 and 1 <= b <= 31:
        return [Date(year, a, b, century, b <= 12 and a != b)]
    if 1 <= b <= 12 and 1 <= a <= 31:
        return [Date(year, b, a, century)]
    return []


def _worded(found: re.Match[str]) -> list[Date]:
    groups = found.groupdict()
    month = _MONTHS[groups["month"]]
    year = int(groups["year"]) if groups.get("year") else None
    if not groups.get("days"):
        return [Date(year, month)]
    numbers = [int(day) for day in re.findall(r"\d+", groups["days"])]
    if len(numbers) == 2 and re.search(r"-|\bto\b", groups["days"]):
        low, high = numbers
        numbers = list(range(low, high + 1)) if low < high <= 31 else numbers
    return [Date(year, month, day) for day in numbers if 1 <= day <= 31]


def _year(found: re.Match[str]) -> list[Date]:
    return [Date(int(found["year"]))]


# In order: what one has read is not read again.
_READERS = (
    (_ISO, _iso),
    (_SLASHED, _numeric),
    (_MONTH_DAY, _worded),
    (_DAY_MONTH, _worded),
    (_MONTH_YEAR, _worded),
    (_YEAR_ALONE, _year),
)


@lru_cache(maxsize=8192)
def dates(text: str) -> tuple[Date, ...]:
    """The dates of folded `text`, left to right, years alone among them."""
    out: list[Date] = []
    taken: list[tuple[int, int]] = []
    for pattern, reader in _READERS:
        for found in pattern.finditer(text):
            if not any(a < found.end() and found.start() < b for a, b in taken):
                read = reader(found)
                taken.extend([found.span()] if read else [])
                out.extend(date.at(found.span()) for date in read)
    return tuple(sorted(out, key=lambda date: date.start))


def compare(gold: Date, other: Date) -> Match:
    """NO where a part differs; MAYBE where `other` leaves open what `gold` says; else YES."""
    if gold.year is not None and other.year is not None:
        whole = gold.century and other.century
        if (gold.year != other.year) if whole else (gold.year % 100 != other.year % 100):
            return Match.NO
    straight = _agree(gold.month, other.month) and _agree(gold.day, other.day)
    crossed = (gold.swapped or other.swapped) and (
        _agree(gold.month, other.day) and _agree(gold.day, other.month)
    )
    if not straight and not crossed:
        return Match.NO
    if gold.month is None and other.year is None:
        return Match.NO  # nothing in common but silence
    # A day without its year is how people answer; a year without its day says less.
    less = (gold.month is not None and other.month is None) or (
        gold.day is not None and other.day is None
    )
    return Match.MAYBE if less or (gold.month is None and other.year is None) else Match.YES


def _agree(a: int | None, b: int | None) -> bool:
    return a is None or b is None or a == b
