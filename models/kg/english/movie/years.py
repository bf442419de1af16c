"""The years that a question names: one, from one to another, before or after one, a decade."""

import re
from dataclasses import dataclass

from models.kg.linking.question import Asked


@dataclass(frozen=True, slots=True)
class _Years:
    """A time by years: from `first` to `last`, either open."""

    first: int | None = None
    last: int | None = None

    @property
    def conditions(self) -> list[str]:
        if self.first is not None and self.first == self.last:
            return [f"eq(year, {self.first})"]
        found = [f"ge(year, {self.first})"] if self.first is not None else []
        return found + ([f"le(year, {self.last})"] if self.last is not None else [])


_Y = r"((?:19|20)\d\d)"
# A time, and what is added to its first and last year; None leaves that side open.
_TIMES: tuple[tuple[str, int | None, int | None], ...] = (
    (rf"{_Y} (?:(?:and|to|through|until|till|or) )?(?:the year )?{_Y}", 0, 0),
    # "films from 2004" are that year's
    (
        rf"(?:films?|movies?|pictures?|works?|releases?|one|ones|flicks?) from (?:the year )?{_Y}"
        r"(?! (?:on|onwards?|forward|to|and later))",
        0,
        0,
    ),
    (rf"(?:since|from|starting in) (?:the year )?{_Y}(?: on(?:wards?)?)?", 0, None),
    (rf"{_Y} (?:or (?:later|after)|and (?:later|after)|onwards?)", 0, None),
    (rf"{_Y} (?:or (?:earlier|before)|and (?:earlier|before))", None, 0),
    (rf"(?:before|prior to|earlier than) (?:the year )?{_Y}", None, -1),
    (rf"(?:until|till|up to|by) (?:the year )?{_Y}", None, 0),
    (rf"(?:after|later than|past) (?:the year )?{_Y}", 1, None),
    (_Y, 0, 0),
)
_CENTURY, _DECADE = 1900, 10


def years_of(rest: Asked) -> _Years | None:
    """The years that films came out in; None where a time is not understood."""
    for pattern, first, last in _TIMES:
        match = rest.match(pattern)
        if match:
            found = sorted(int(group) for group in match.groups())  # either may be said first
            if len(re.findall(_Y, rest.plain)) != len(found):
                return None
            return _Years(
                None if first is None else found[0] + first,
                None if last is None else found[-1] + last,
            )
    decade = rest.match(r"(?P<decade>(?:(?:19|20)\d|[3-9])0)s")
    if decade:
        year = int(decade["decade"])
        year += _CENTURY if year < _CENTURY else 0
        return _Years(year, year + _DECADE - 1)
    ago = rest.match(r"(?P<which>last|this|previous) year")
    if ago and rest.at is not None:
        year = rest.at.year - (ago["which"] != "this")
        return _Years(year, year)
    not_understood = rest.match(r"\d{3,}|\d+(?:st|nd|rd|th)|\d+ (?:years?|decades?|months?)")
    return None if not_understood else _Years()
