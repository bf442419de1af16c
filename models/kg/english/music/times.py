"""Times in a question, as a window of release dates or of Grammy ceremonies."""

import re
from dataclasses import dataclass
from datetime import datetime

from models.kg.english.music.words import TIME
from models.kg.english.question import Asked, Span
from models.kg.periods import PeriodError, resolve

_Y = r"(?:the year )?((?:19|20)\d\d)"
_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_RANGE = re.compile(
    rf"\b(?:between|from|in|during)(?: the years)? {_Y} (?:and|to|through|until|till) {_Y}\b"
)
_DECADE = re.compile(r"\b(?:in |during |of |from )?(?:the )?(?:(19|20)(\d)0s|(\d)0s)\b")
_MONTH = re.compile(
    rf"\b(?:in |during |of |on )?(?:the month of )?({_MONTHS}(?: of| in)? (?:19|20)\d\d)\b"
)
_DAY = re.compile(
    rf"\b(?:on |of )?((?:{_MONTHS} \d\d?(?:st|nd|rd|th)? (?:19|20)\d\d)"
    rf"|(?:\d\d?(?:st|nd|rd|th)? (?:of )?{_MONTHS} (?:19|20)\d\d))\b"
)
_RELATIVE = re.compile(r"\b(?:in |during |of )?(this|last) year\b")
# How English stands a year in relation: the words before it -> which end is open, and by how much.
_BEFORE = r"before|prior to|earlier than|previous to|ahead of"
_UNTIL = r"(?:in|on) or before|until|till|up until|up to|as of|by|through|no later than|by the end of|on or before"
_AFTER = r"after|later than|following|past"
_SINCE = (
    r"(?:in|on) or (?:after|since)|since|from|starting(?: in| from)?|beginning(?: in)?|as early as"
)
_YEAR = re.compile(
    rf"\b(?:(?P<until>{_UNTIL})|(?P<since>{_SINCE})|(?P<before>{_BEFORE})|(?P<after>{_AFTER})"
    rf"|in|during|of|for|throughout|within|back in)? ?(?:the |calendar )?(?:year )?(?P<year>(?:19|20)\d\d)(?: (?:onwards?|on))?\b"
)


@dataclass(frozen=True, slots=True)
class Window:
    """From `low` to `high`, both within, each a date cut to what was said; None: open."""

    low: str | None = None
    high: str | None = None

    @property
    def one(self) -> str | None:
        """The one year, month or day that is meant, if it is one."""
        return self.low if self.low == self.high else None

    def conditions(self, key: str) -> list[str]:
        if self.one is not None:
            return [f'eq({key}, "{self.one}")']
        ends = (("ge", self.low), ("le", self.high))
        return [f'{op}({key}, "{end}")' for op, end in ends if end is not None]


def window(asked: Asked) -> tuple[Window | None, Asked]:
    """The time that a question names, and the question with `TIME` in its place.

    None where it names none; a second time is left where it stands.
    """
    for pattern, read in _READERS:
        match = pattern.search(asked.plain)
        if match is None:
            continue
        meant = read(match, asked.at)
        if meant is not None:
            first = asked.plain[: match.start()].count(" ")
            # a pattern may begin at the blank before its first word
            first += asked.plain[match.start() : match.start() + 1] == " "
            return meant, asked.without([Span(first, first + len(match.group().split()))], TIME)
    return None, asked


def _range(match: re.Match[str], at: datetime | None) -> Window:
    low, high = sorted(match.groups())
    return Window(low, high)


def _decade(match: re.Match[str], at: datetime | None) -> Window:
    century, tens = match[1], match[2] or match[3]
    if century is None:
        century = "20" if int(tens) < 3 else "19"
    return Window(f"{century}{tens}0", f"{century}{tens}9")


def _resolved(match: re.Match[str], at: datetime | None) -> Window | None:
    try:
        period = resolve(match[1], at)
    except PeriodError:
        return None
    if period.first == period.last:
        return Window(period.first.isoformat(), period.first.isoformat())
    month = period.first.isoformat()[:7]
    return Window(month, month)


def _relative(match: re.Match[str], at: datetime | None) -> Window | None:
    if at is None:
        return None
    year = str(at.year - (match[1] == "last"))
    return Window(year, year)


def _year(match: re.Match[str], at: datetime | None) -> Window:
    year = match["year"]
    if match["before"]:
        return Window(None, str(int(year) - 1))
    if match["until"]:
        return Window(None, year)
    if match["after"]:
        return Window(str(int(year) + 1), None)
    if match["since"] or match.group().split()[-1] in ("on", "onward", "onwards"):
        return Window(year, None)
    return Window(year, year)


_READERS = (
    (_RANGE, _range),
    (_DAY, _resolved),
    (_MONTH, _resolved),
    (_DECADE, _decade),
    (_YEAR, _year),
    (_RELATIVE, _relative),
)
