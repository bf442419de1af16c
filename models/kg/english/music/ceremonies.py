"""The ceremonies of the Grammys that a question names.

In the KG the n-th ceremony counts for 1957 + n, though it was held a year later, and the rows end
with the 62nd: what was won since is not known.
"""

import re
from dataclasses import dataclass

from models.kg.english.music.words import less
from models.kg.linking.question import Asked

FIRST, LAST = 1957, 2019  # the KG's year of a ceremony is FIRST and its number; its last year
CEREMONY = "CEREMONY"  # stands where a ceremony was named

_TENS = dict(zip("twenty thirty forty fifty sixty".split(), range(20, 70, 10), strict=True))
_ONES = {
    name: number
    for number, name in enumerate(
        """
        first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
        fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
        """.split(),
        1,
    )
} | {"twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60}
# A small number that is spelled out is rather a place in a row than a ceremony: "first won".
_SMALL = rf"(?:{'|'.join(_ONES)})(?= annual| (?:grammy )?(?:ceremony|awards))"
_SPELLED = rf"(?:{'|'.join(_TENS)}) (?:{'|'.join(_ONES)})|fiftieth|sixtieth|{_SMALL}"
_ORDINAL = rf"(?:\d{{1,3}}(?:st|nd|rd|th)|{_SPELLED})"
GRAMMY = r"(?:gramm(?:y|ys|ies)(?: music)?(?: awards?)?(?: ceremony| ceremonies| show| night)?)"
_LINK = rf"(?: annual)?(?: {GRAMMY})?(?: (?:ceremony|ceremonies|awards?))?"
_Y = r"(?:19|20)\d\d"
_ONE = rf"(?:(?P<n>{_ORDINAL}){_LINK}(?: (?:in |of |for |held in )?{_Y})?|(?P<y>{_Y}))"
# "her first Grammy" is no ceremony
_NAMED = re.compile(rf"(?<!\bhis )(?<!\bher )(?<!\btheir )(?<!\bits )(?<!\ba )\b(?:{_ONE})\b")
# Ways to win, or to count up to a ceremony, that take several words.
RUNS = re.compile(
    r"\b(?:(?:walk|c[ao]m|go|went|made)(?:e|es|s|ed|ing)? (?:away|off|home|out on top)(?: with)?"
    r"|bring(?:s|ing)? home|brought home|(?:pick|rack)(?:s|ed)? up|t(?:ake|akes|ook) home"
    r"|under (?:his|her|their) belt|(?:to|against) (?:his|her|their) (?:name|credit)"
    rf"|(?:counting|counted|going|looking|adding)(?: up| back)?(?= (?:the )?{CEREMONY}))\b"
)
_RELATIVE = re.compile(r"\b(?P<which>this|last) year\b")
_BEFORE = r"(?:up until|until|till|up to|up through|as of|by|through|before|prior to|ahead of)"
_AFTER = r"(?:since|after|following)"


@dataclass(frozen=True, slots=True)
class Ceremonies:
    """The KG's years that a question names. `until`, `since`: it means all up to it, or from it."""

    years: tuple[int, ...]
    until: bool = False
    since: bool = False

    @property
    def bounds(self) -> tuple[int | None, int | None]:
        """The first and last year; None: open."""
        low, high = min(self.years), max(self.years)
        return (None if self.until else low), (None if self.since else high)


def ceremonies(asked: Asked) -> tuple[Ceremonies | None, Asked]:
    """The ceremonies that a question names, and the question with a mark in the place of each."""
    rest, years = asked, []
    while (match := _NAMED.search(rest.plain)) is not None:
        years.append(_year_of(match["n"], match["y"]))
        rest = less(rest, match, CEREMONY)
    match = _RELATIVE.search(rest.plain)
    if match is not None and asked.at is not None:
        years.append(asked.at.year - 1 - (match["which"] == "last"))
        rest = less(rest, match, CEREMONY)
    if not years:
        return None, asked
    to = r"(?:to|through|and|until|till)"
    between = rest.match(
        rf"(?:(?:between|from|in|during|of|at|for|spanning|running) )?(?:the )?"
        rf"{CEREMONY}(?: [a-z]+)*? {to} (?:the )?{CEREMONY}"
    )
    joined = between is None or between.group().split()[0] in ("in", "of", "at", "for", CEREMONY)
    if between and len(years) == 2 and not (joined and " and " in between.group()):
        low, high = sorted(years)
        return Ceremonies(tuple(range(low, high + 1))), less(rest, between, CEREMONY)
    for pattern, until in ((_BEFORE, True), (_AFTER, False)):
        bound = rest.match(rf"(?P<how>{pattern})(?: the| and including)* {CEREMONY}")
        if bound and len(years) == 1:
            strict = bound["how"] in ("before", "prior to", "ahead of", "after", "following")
            year = years[0] - strict if until else years[0] + strict
            return Ceremonies((year,), until=until, since=not until), less(rest, bound, CEREMONY)
    return Ceremonies(tuple(dict.fromkeys(years))), rest


def _year_of(ordinal: str | None, year: str | None) -> int:
    """The KG's year of a ceremony: by its number, or by the year in which it was held."""
    if ordinal is None:
        return int(year or 0) - 1
    digits = re.match(r"\d+", ordinal)
    if digits:
        return FIRST + int(digits.group())
    return FIRST + sum(_TENS.get(word, 0) + _ONES.get(word, 0) for word in ordinal.split())
