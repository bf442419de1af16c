"""Phrases of time that stand in a question about shares, and the days they mean there.

`models/kg/periods.py` understands a phrase; here stand the places of phrases in a question, and
those that mean something of their own among days on which shares are traded.
"""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime

from dateutil.relativedelta import relativedelta

from models.kg.english.question import Asked, Span
from models.kg.periods import (
    DAY,
    Period,
    PeriodError,
    is_trading_day,
    resolve,
    trading_day_before,
    trading_day_from,
)

_LONGEST = 12  # words of a phrase of time
_COUNTS = {
    name: number
    for number, names in enumerate(
        "zero;a an one;two couple;three;four;five;six;seven;eight;nine;ten;eleven;twelve".split(";")
    )
    for name in names.split()
}
_WEEKDAY = "monday|tuesday|wednesday|thursday|friday"
_MONTH = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})(?: of)?"
_TRADING = r"(?:trading|business|market|working)"
_BEFORE = r"(?:last|previous|past|prior|preceding)"
# A month that is also another word is one only where something says so.
_DOUBTFUL = frozenset(("may", "mar", "march", "sat", "sun"))
_HINTS = re.compile(
    rf"\d|\b(?:{_WEEKDAY}|{_MONTH}|saturday|sunday|today|now|yesterday|tomorrow|ago|date|ytd"
    r"|q[1-4]|days?|sessions?|weeks?|months?|quarters?|years?|morning|afternoon|weekend)\b"
)


@dataclass(frozen=True, slots=True)
class When:
    """The days from `first` to `last`, as the language writes them; one day where `last` is None.

    `span`: the words of the question that say so; `points`: its two ends, where it names both.
    """

    span: Span
    period: Period
    first: str
    last: str | None = None
    points: tuple["When", "When"] | None = None

    @property
    def is_day(self) -> bool:
        return self.period.first == self.period.last

    @property
    def arguments(self) -> str:
        return f'"{self.first}"' if self.last is None else f'"{self.first}", "{self.last}"'

    def until(self, today: date) -> "When":
        """Without today and what comes after, where days before are left: a day that is not over
        has neither a high nor a close."""
        if self.is_day or self.period.last < today or self.period.first >= today:
            return self
        period = replace(self.period, last=today - DAY)
        return replace(self, period=period, first=str(period.first), last=str(period.last))

    def edge(self, *, last: bool) -> "When":
        """The last or first trading day of the period, as in "closed 2023 at …"; a day as it is."""
        if self.is_day:
            return self
        first, end = self.period.first, self.period.last
        day = trading_day_before(end + DAY) if last else trading_day_from(first)
        return replace(self, period=Period(day, day), first=str(day), last=None)

    def trading_days(self) -> tuple[str, ...]:
        """The days of the period on which exchanges are open."""
        count = (self.period.last - self.period.first).days + 1
        days = (self.period.first + n * DAY for n in range(count))
        return tuple(day.isoformat() for day in days if is_trading_day(day))


def find_times(asked: Asked) -> list[When]:
    """The phrases of time in a question, in order, the longest where several overlap; none where
    the question's own time is not known."""
    if asked.at is None:
        return []
    found: list[When] = []
    start, count = 0, len(asked.words)
    while start < count:
        for end in range(min(count, start + _LONGEST), start, -1):
            when = _read(asked, Span(start, end), asked.at)
            if when is not None:
                found.append(when)
                start = end
                break
        else:
            start += 1
    return found


def _read(asked: Asked, span: Span, now: datetime) -> When | None:
    text = asked.spelled(span).lower().replace("’", "'").replace(",", " ")
    text = " ".join(text.replace("'s", "").split())
    if not _HINTS.search(text) or text.startswith("$"):
        return None
    found = _named(text, now)
    return replace(found, span=span) if found else None


def _named(text: str, now: datetime) -> When | None:
    text = re.sub(
        r"^(?:for|over|during|in|throughout|within) the (?=week$|month$|year$)", "this ", text
    )
    text = re.sub(r"^(?:(?:as of|on|in|during|for|over|within|throughout|at|of|from) )+", "", text)
    text = re.sub(r"^(?:this past|the|our) ", "", text)
    text = re.sub(
        r"\b(?:trading|business|calendar|full|entire|whole) (?=week|month|quarter|year)", "", text
    )
    if text in _DOUBTFUL:
        return None
    for pattern, read in _OWN:
        match = pattern.fullmatch(text)
        if match:
            when = read(match, now)
            if when is not None:
                return when
    return _resolved(text, now)


def _resolved(phrase: str, now: datetime) -> When | None:
    try:
        period = resolve(phrase, now)
    except PeriodError:
        return None
    return When(Span(0, 0), period, phrase)


def _days(first: date, last: date | None = None) -> When:
    period = Period(first, last or first)
    return When(Span(0, 0), period, str(first), str(last) if last else None)


def _phrase(template: str) -> "_Reader":
    """Another wording that `resolve` understands, with the groups of the match in it."""

    def read(match: re.Match[str], now: datetime) -> When | None:
        phrase = match.expand(template)
        return _resolved(phrase, now) or _named(phrase, now)

    return read


def _whole(phrase: str, now: datetime) -> When | None:
    """A period of several days; "the year" is this one."""
    if phrase in ("week", "month", "quarter", "year"):
        phrase = f"this {phrase}"
    within = _named(phrase, now)
    return None if within is None or within.is_day else within


def _edge(match: re.Match[str], now: datetime) -> When | None:
    """The first or last day of a period is one on which exchanges are open."""
    within = _whole(match["within"], now)
    if within is None:
        return None
    if match["edge"] in ("first", "beginning", "start", "1st"):
        return _days(trading_day_from(within.period.first))
    return _days(trading_day_before(min(within.period.last + DAY, now.date())))


def _week_within(match: re.Match[str], now: datetime) -> When | None:
    """The first week of a year or of "last month" is the one of its first month, and so on."""
    within = _whole(match["within"], now)
    if within is None:
        return None
    day = within.period.last if match["number"] == "last" else within.period.first
    return _resolved(f"{match['number']} week of {day:%B %Y}".lower(), now)


def _half(match: re.Match[str], now: datetime) -> When | None:
    within = _whole(match["within"], now)
    if within is None:
        return None
    first, last = within.period.first, within.period.last
    if (last - first).days > 31:
        middle = date(first.year, 6, 30)
    else:
        middle = first.replace(day=15)
    return _days(first, middle) if match["which"] == "first" else _days(middle + DAY, last)


def _count_of(match: re.Match[str]) -> int:
    text = match["count"] or "one"
    return int(text) if text.isdigit() else _COUNTS[text]


def _ago(match: re.Match[str], now: datetime) -> When | None:
    count, today = _count_of(match), now.date()
    if match["trading"]:
        return _days(_trading_days_back(today, count))
    day = today - relativedelta(**{f"{match['unit']}s": count})  # type: ignore[arg-type]
    return _days(trading_day_from(day))


def _trading_days_back(today: date, count: int) -> date:
    for _ in range(count):
        today = trading_day_before(today)
    return today


def _last_several(match: re.Match[str], now: datetime) -> When | None:
    """The last n days are those that end yesterday; the last n months go back as many."""
    count, today = _count_of(match), now.date()
    if match["trading"]:
        return _days(_trading_days_back(today, count), trading_day_before(today))
    first = today - relativedelta(**{f"{match['unit']}s": count})  # type: ignore[arg-type]
    return _days(first, today - DAY)


def _first_several(match: re.Match[str], now: datetime) -> When | None:
    """The first or last n days, or trading days, of a period."""
    within = _whole(match["within"], now)
    if within is None:
        return None
    count, first, last = _count_of(match), within.period.first, within.period.last
    count *= 7 if match["unit"] == "week" else 1
    if not match["trading"]:
        span = (count - 1) * DAY
        return _days(first, first + span) if match["edge"] == "first" else _days(last - span, last)
    if match["edge"] == "first":
        day = trading_day_from(first)
        for _ in range(count - 1):
            day = trading_day_from(day + DAY)
        return _days(first, day)
    return _days(_trading_days_back(last + DAY, count), last)


def _from_to(match: re.Match[str], now: datetime) -> When | None:
    last = _named(match["last"], now)
    first = _named(match["first"], now)
    if first is None and last is not None:  # "from January to March 2024"
        first = _named(f"{match['first']} {last.period.last.year}", now)
    if first is None or last is None or first.period.first > last.period.last:
        return None
    whole = _days(first.period.first, last.period.last)
    return replace(whole, points=(first, last))


def _since(match: re.Match[str], now: datetime) -> When | None:
    first = _named(match["first"], now)
    today = now.date()
    if first is None or first.period.first >= today:
        return None
    return replace(_days(first.period.first, today), points=(first, _days(today)))


def _month_of_relative_year(match: re.Match[str], now: datetime) -> When | None:
    back = 0 if match["which"] in ("this", "the current") else 1
    return _named(f"{match['rest']} {now.year - back}", now)


_Reader = type(_ago)
_OWN = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (r"(?:between|from)? ?(?P<first>.+?) (?:and|to|until|till|through) (?P<last>.+)", _from_to),
        (r"(?:ever )?since (?P<first>.+)", _since),
        (rf"{_BEFORE} week (?:on )?(?P<day>{_WEEKDAY})", _phrase(r"last \g<day>")),
        (rf"(?P<day>{_WEEKDAY}) (?:of |in )?(?:the )?{_BEFORE} week", _phrase(r"last \g<day>")),
        (rf"this week (?:on )?(?P<day>{_WEEKDAY})", _phrase(r"this \g<day>")),
        (rf"(?P<day>{_WEEKDAY}) (?:of |in )?this week", _phrase(r"this \g<day>")),
        (rf"(?:prior|preceding) (?P<rest>{_WEEKDAY}|week|month|quarter|year)",
         _phrase(r"last \g<rest>")),
        (r"(?:most recent|latest) (?P<unit>week|month)", _phrase(r"this \g<unit>")),
        (r"(?:most recent|latest) (?:calendar |full )?(?P<unit>quarter|year)",
         _phrase(r"last \g<unit>")),
        (rf"(?:{_WEEKDAY}|saturday|sunday),? (?:the )?(?P<rest>.*\d.*)", _phrase(r"\g<rest>")),
        (rf"{_BEFORE} day (?:on which |that |when )?(?:the )?(?:stock )?(?:markets?|exchanges?) "
         r"(?:was|were) open(?:ed)?", _phrase("the last trading day")),
        (r"day before yesterday", _phrase("2 days ago")),
        (r"(?:prior|preceding|last) day|day prior", _phrase("yesterday")),
        (r"this (?:very )?(?:morning|afternoon)|earlier today|right now|present(?: day)?"
         r"|(?:current|present) (?:day|date|moment)|today date|tonight", _phrase("today")),
        (rf"(?:{_BEFORE}|latest|(?:most )?recent|final) (?:(?:full|completed) )?"
         rf"(?:{_TRADING} (?:day|session)|day of trading|session)|prior {_TRADING} day",
         _phrase("the last trading day")),
        (r"year to date|ytd|(?:this year )?so far(?: this year)?|this year to date",
         _phrase("this year")),
        (r"(?:so far|earlier) (?P<rest>this (?:week|month|quarter))|(?P<same>this (?:week|month"
         r"|quarter)) so far", _phrase(r"\g<rest>\g<same>")),
        (rf"(?P<rest>(?:(?:first|second|third|fourth|last) week (?:of|in) )?(?:{_MONTH})"
         rf"(?: \d\d?(?:st|nd|rd|th)?)?|q[1-4]|(?:first|second|third|fourth) quarter) "
         rf"(?:of |in )?(?P<which>the current|this|{_BEFORE}|the {_BEFORE}) year",
         _month_of_relative_year),
        (rf"(?:{_BEFORE}|this past) (?P<month>{_MONTH})", _phrase(r"\g<month>")),
        (r"(?P<number>first|second|third|fourth|last) (?:full )?week (?:of|in) (?:the )?"
         r"(?P<within>.*(?:year|month|quarter)|\d{4})", _week_within),
        (rf"(?P<rest>(?:{_MONTH})(?: \d{{4}})?) (?P<number>first|second|third|fourth|last) week",
         _phrase(r"\g<number> week of \g<rest>")),
        (rf"(?P<edge>first|last|final) {_COUNT} (?P<trading>{_TRADING} )?(?P<unit>day|week)s? "
         r"(?:of|in) (?:the )?(?P<within>.+)", _first_several),
        (rf"(?:{_TRADING} )?day (?:before|prior to) today", _phrase("the last trading day")),
        (r"(?P<which>first|second) half (?:of|in) (?P<within>.+)", _half),
        (rf"(?:very )?(?P<edge>first|1st|last|final|end|close|beginning|start)"
         rf"(?: (?:{_TRADING} )?(?:day|session))? (?:of|in) (?:the )?(?P<within>.+)", _edge),
        (rf"{_COUNT} (?P<trading>{_TRADING} )?(?P<unit>day|week|month|year)s? "
         r"(?:ago|earlier|back)(?: today)?", _ago),
        (rf"(?P<month>{_MONTH}) the (?P<day>\d\d?(?:st|nd|rd|th)?)(?P<year> \d{{4}})?",
         _phrase(r"\g<month> \g<day>\g<year>")),
        (rf"(?P<day>\d\d?(?:st|nd|rd|th)?) (?:of )?(?P<month>{_MONTH})(?P<year> \d{{4}})?",
         _phrase(r"\g<month> \g<day>\g<year>")),
        (r"the year(?: of)? (?P<year>\d{4})|year (?P<only>\d{4})", _phrase(r"\g<year>\g<only>")),
        (r"past (?P<count>)(?P<trading>)(?P<unit>week|month|year)", _last_several),
        (rf"(?:{_BEFORE}|most recent|latest) {_COUNT} (?P<trading>{_TRADING} )?"
         r"(?:calendar )?(?P<unit>day|week|month|year)s?", _last_several),
    )
)  # fmt: skip
