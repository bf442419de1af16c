"""Times in a question, as a window of release dates or of Grammy ceremonies."""

import re
from dataclasses import dataclass
from datetime import datetime

from models.kg.days import DAY
from models.kg.english.music.words import TIME
from models.kg.linking.question import Asked, Span
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
# How English stands a time in relation: the words before it.
_BEFORE = r"before|prior to|earlier than|previous to|ahead of"
_UNTIL = (
    r"(?:in|on) or before|up until|until|till|up to|as of|by|through|no later than|by the end of"
)
_AFTER = r"after|later than|following|past"
_SINCE = r"(?:in|on) or (?:after|since)|since|starting(?: in| from)?|beginning(?: in)?|as early as"
_HOW = (
    rf"(?:(?P<until>{_UNTIL})|(?P<since>{_SINCE})|(?P<before>{_BEFORE})|(?P<after>{_AFTER})"
    r"|in|on|during|of|for|from|throughout|within|back in)? ?"
)
_MONTH = re.compile(rf"\b{_HOW}(?:the month of )?(?P<time>{_MONTHS}(?: of| in)? (?:19|20)\d\d)\b")
_DAY = re.compile(
    rf"\b{_HOW}(?:the )?(?P<time>{_MONTHS} \d\d?(?:st|nd|rd|th)? (?:19|20)\d\d"
    rf"|\d\d?(?:st|nd|rd|th)? (?:of )?{_MONTHS} (?:19|20)\d\d)\b"
)
_YEAR = re.compile(
    rf"\b{_HOW}(?:the |calendar )?(?:year )?(?P<time>(?:19|20)\d\d)(?P<on> (?:onwards?|on))?\b"
)
_RELATIVE = re.compile(r"\b(?:in |during |of )?(this|last) year\b")


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


def _related(match: re.Match[str], at: datetime | None) -> Window | None:
    """A year, month or day, or what is before or after it."""
    said = match["time"]
    try:
        period = resolve(said, at)
    except PeriodError:
        return None
    cut = len("YYYY-MM-DD" if period.first == period.last else "YYYY-MM")
    cut = len("YYYY") if said.isdecimal() else cut
    if match["before"]:
        return Window(None, (period.first - DAY).isoformat()[:cut])
    if match["after"]:
        return Window((period.last + DAY).isoformat()[:cut], None)
    one = period.first.isoformat()[:cut]
    open_end = match["since"] or match.groupdict().get("on")
    return Window(None if match["until"] else one, None if open_end else one)


def _relative(match: re.Match[str], at: datetime | None) -> Window | None:
    if at is None:
        return None
    year = str(at.year - (match[1] == "last"))
    return Window(year, year)


_READERS = (
    (_RANGE, _range),
    (_DAY, _related),
    (_MONTH, _related),
    (_DECADE, _decade),
    (_YEAR, _related),
    (_RELATIVE, _relative),
)
