"""What phrases of time mean among days on which shares are traded.

`models/kg/periods.py` understands the common phrases; here stand their other wordings, and those
that mean something of their own here.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime

from dateutil.relativedelta import relativedelta

from models.kg.days import DAY, trading_day_before, trading_day_from
from models.kg.english.finance.when import When
from models.kg.english.finance.wordings import (
    BEFORE,
    COUNT,
    COUNTS,
    DOUBTFUL,
    LATEST,
    MONTH,
    OF,
    ORDINALS,
    TRADING,
    UNIT,
    WEEKDAY,
    spelled_out,
)
from models.kg.linking.question import Span
from models.kg.periods import PeriodError, resolve


def named(text: str, now: datetime) -> When | None:
    """The days that a phrase means; None where it is none. `text` is in lower case."""
    text = spelled_out(text)
    if text in DOUBTFUL:
        return None
    for pattern, read in _OWN:
        match = pattern.fullmatch(text)
        if match:
            when = read(match, now)
            if when is not None:
                return when
    return _resolved(text, now)


_Reader = Callable[[re.Match[str], datetime], When | None]


def _resolved(phrase: str, now: datetime) -> When | None:
    try:
        period = resolve(phrase, now)
    except PeriodError:
        return None
    return When(Span(0, 0), period, phrase)


def _phrase(template: str) -> _Reader:
    """Another wording that `resolve` understands, with the groups of the match in it."""

    def read(match: re.Match[str], now: datetime) -> When | None:
        phrase = match.expand(template)
        return _resolved(phrase, now) or named(phrase, now)

    return read


def _whole(phrase: str, now: datetime) -> When | None:
    """A period of several days; "the year" is this one."""
    if phrase in ("week", "month", "quarter", "year"):
        phrase = f"this {phrase}"
    within = named(phrase, now)
    return None if within is None or within.is_day else within


def _edge(match: re.Match[str], now: datetime) -> When | None:
    """The first or last day of a period is one on which exchanges are open."""
    within = _whole(match["within"], now)
    if within is None:
        return None
    if match["edge"] in ("first", "beginning", "start", "1st"):
        return When.between(trading_day_from(within.period.first))
    return When.between(trading_day_before(min(within.period.last + DAY, now.date())))


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
    return (
        When.between(first, middle)
        if match["which"] == "first"
        else When.between(middle + DAY, last)
    )


def _count_of(match: re.Match[str]) -> int:
    text = match["count"] or "one"
    return int(text) if text.isdigit() else COUNTS[text]


def _ago(match: re.Match[str], now: datetime) -> When | None:
    count, today = _count_of(match), now.date()
    if match["trading"] or match["unit"] == "session":
        return When.between(_trading_days_back(today, count))
    day = today - relativedelta(**{f"{match['unit']}s": count})  # type: ignore[arg-type]
    return When.between(trading_day_from(day))


def _trading_days_back(today: date, count: int) -> date:
    for _ in range(count):
        today = trading_day_before(today)
    return today


def _last_several(match: re.Match[str], now: datetime) -> When | None:
    """The last n days are those that end yesterday; the last n months go back as many."""
    count, today = _count_of(match), now.date()
    if match["trading"] or match["unit"] == "session":
        return When.between(_trading_days_back(today, count), trading_day_before(today))
    first = today - relativedelta(**{f"{match['unit']}s": count})  # type: ignore[arg-type]
    return When.between(first, today - DAY)


def _first_several(match: re.Match[str], now: datetime) -> When | None:
    """The first or last n days, or trading days, of a period."""
    within = _whole(match["within"], now)
    if within is None:
        return None
    count, first, last = _count_of(match), within.period.first, within.period.last
    count *= 7 if match["unit"] == "week" else 1
    if not match["trading"]:
        span = (count - 1) * DAY
        begins = match["edge"] == "first"
        return When.between(first, first + span) if begins else When.between(last - span, last)
    if match["edge"] == "first":
        day = trading_day_from(first)
        for _ in range(count - 1):
            day = trading_day_from(day + DAY)
        return When.between(first, day)
    return When.between(_trading_days_back(last + DAY, count), last)


def _from_to(match: re.Match[str], now: datetime) -> When | None:
    last = named(match["last"], now)
    first = named(match["first"], now)
    if first is None and last is not None:  # "from January to March 2024"
        first = named(f"{match['first']} {last.period.last.year}", now)
    if first is None or last is None or first.period.first > last.period.last:
        return None
    whole = When.between(first.period.first, last.period.last)
    return replace(whole, points=(first, last))


def _since(match: re.Match[str], now: datetime) -> When | None:
    first = named(match["first"], now)
    today = now.date()
    if first is None or first.period.first >= today:
        return None
    return replace(When.between(first.period.first, today), points=(first, When.between(today)))


def _month_of_relative_year(match: re.Match[str], now: datetime) -> When | None:
    back = 0 if match["which"] in ("this", "the current") else 1
    return named(f"{match['rest']} {now.year - back}", now)


def _week_around(match: re.Match[str], now: datetime) -> When | None:
    """The week of a day, from Monday on, or the seven days that it begins or ends."""
    day = named(match["day"], now)
    if day is None or not day.is_day:
        return None
    at = day.period.first
    if match["edge"].startswith(("end", "clos")):
        return When.between(at - 6 * DAY, at)
    first = at - at.weekday() * DAY if match["edge"] == "of" else at
    return When.between(first, first + 6 * DAY)


def _numbered_week(match: re.Match[str], now: datetime) -> When | None:
    number = match["number"]
    index = (int(number) if number.isdigit() else COUNTS[number]) - 1
    if not 0 <= index < len(ORDINALS):
        return None
    return named(f"{ORDINALS[index]} week of {match['rest']}", now)


def _last_quarter(match: re.Match[str], now: datetime) -> When | None:
    """The last quarter of a year, which is not last quarter."""
    return named(f"q4 {match['year'] or match['year2']}", now)


# In order: the first that fits is what is meant.
_OWN: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (r"(?:day|session) (?:before|prior to|preceding) (?:yesterday|the last)"
         r"|2 days (?:before|prior to) today", _phrase("2 days ago")),
        (r"(?:between|from)? ?(?P<first>.+?) (?:and|to|until|till|through) (?P<last>.+)", _from_to),
        (r"(?:ever )?since (?P<first>.+)", _since),
        (rf"{BEFORE} week (?:on )?(?:the )?(?P<day>{WEEKDAY})", _phrase(r"last \g<day>")),
        (rf"(?P<day>{WEEKDAY}){OF} (?:{BEFORE} week|week (?:before|prior|just past))",
         _phrase(r"last \g<day>")),
        (rf"(?:this|the current) week (?:on )?(?P<day>{WEEKDAY})", _phrase(r"this \g<day>")),
        (rf"(?P<day>{WEEKDAY}){OF} (?:current )?week", _phrase(r"this \g<day>")),
        (rf"(?P<day>{WEEKDAY}) (?:that |which )?(?:just )?(?:gone|passed|past|ended)",
         _phrase(r"\g<day>")),
        (rf"(?:prior|preceding) (?P<rest>{WEEKDAY}|week|month|quarter|year)",
         _phrase(r"last \g<rest>")),
        (rf"latest (?P<day>{WEEKDAY})", _phrase(r"\g<day>")),
        (r"(?:most recent|latest) (?P<unit>week|month)", _phrase(r"this \g<unit>")),
        (r"(?:most recent|latest) (?P<unit>quarter|year)", _phrase(r"last \g<unit>")),
        (rf"(?:{WEEKDAY}|saturday|sunday),? (?:the )?(?P<rest>.*\d.*)", _phrase(r"\g<rest>")),
        (rf"{LATEST} (?:\w+ )?(?:day|session) (?:on which |that |when )?(?:the )?"
         r"(?:\w+ )?(?:markets?|exchanges?) (?:was|were) open(?:ed)?(?: for (?:trading|business))?",
         _phrase("the last trading day")),
        (rf"(?:{TRADING} )?(?:day|session) before last|(?:second to|next to) last {TRADING} day"
         rf"|penultimate {TRADING} day|{TRADING} (?:day|session) before yesterday",
         _phrase("2 trading days ago")),
        (r"(?:prior|preceding|last) day|day prior", _phrase("yesterday")),
        (r"yesterday (?:trading |market )?(?:session|trading|market|day)", _phrase("yesterday")),
        (r"today (?:trading |market )?(?:session|trading|market|date)|tonight|right now"
         r"|this (?:very )?(?:morning|afternoon)|earlier today|present(?: day)?"
         r"|(?:current|present) (?:day|date|moment)", _phrase("today")),
        (rf"{LATEST} (?:(?:full|completed) )?(?:{TRADING} (?:day|session)|day of trading"
         r"|session)",
         _phrase("the last trading day")),
        (r"year to date|ytd|(?:this year )?so far(?: this year)?|this year to date",
         _phrase("this year")),
        (r"month to date|mtd", _phrase("this month")),
        (r"quarter to date|qtd", _phrase("this quarter")),
        (r"week to date|wtd", _phrase("this week")),
        (r"(?:so far|earlier) (?P<rest>this (?:week|month|quarter))|(?P<same>this (?:week|month"
         r"|quarter)) (?:so far|to date)", _phrase(r"\g<rest>\g<same>")),
        (rf"(?P<rest>(?:(?:first|second|third|fourth|last) week (?:of|in) )?(?:{MONTH})"
         rf"(?: \d\d?(?:st|nd|rd|th)?)?|q[1-4]|(?:first|second|third|fourth) quarter) "
         rf"(?:of |in )?(?P<which>the current|this|{BEFORE}|the {BEFORE}) year",
         _month_of_relative_year),
        (rf"(?:{BEFORE}|this past) (?P<month>{MONTH})", _phrase(r"\g<month>")),
        (r"last quarter (?:of|in) (?:the year )?(?P<year>\d{4})|(?P<year2>\d{4}) last quarter",
         _last_quarter),
        (r"(?P<year>\d{4}) (?P<rest>q[1-4]|(?:first|second|third|fourth) (?:quarter|half))",
         _phrase(r"\g<rest> of \g<year>")),
        (r"(?P<number>first|second|third|fourth|last) week (?:of|in) (?:the )?"
         r"(?P<within>.*(?:year|month|quarter)|\d{4})", _week_within),
        (rf"(?P<rest>(?:{MONTH})(?: \d{{4}})?) (?P<number>first|second|third|fourth|last) week",
         _phrase(r"\g<number> week of \g<rest>")),
        (rf"week (?P<number>[1-4]|one|two|three|four){OF} (?P<rest>(?:{MONTH})(?: \d{{4}})?)",
         _numbered_week),
        (r"week (?P<edge>of|beginning|starting|commencing|ending|ended|closing) (?:on )?(?:the )?"
         r"(?P<day>.+)", _week_around),
        (rf"(?P<edge>first|last|final) {COUNT} (?P<trading>{TRADING} )?{UNIT} "
         r"(?:of|in) (?:the )?(?P<within>.+)", _first_several),
        (rf"(?:{TRADING} )?day (?:before|prior to) today", _phrase("the last trading day")),
        (r"(?P<which>first|second|last) half (?:of|in) (?P<within>.+)", _half),
        (rf"(?:very )?(?P<edge>first|1st|last|final|end|close|beginning|start)"
         rf"(?: (?:{TRADING} )?(?:day|session)(?: of trading)?)? (?:of|in) (?:the )?"
         r"(?P<within>.+)", _edge),
        (rf"(?:very )?(?P<edge>first|1st|last|final) (?:{TRADING} )?(?:day|session)"
         rf"(?: of trading)? (?P<within>(?:this|{BEFORE}) .+)", _edge),
        (r"(?P<edge>end) (?P<within>(?:last|this) .+)", _edge),
        (r"year end (?P<year>\d{4})|(?P<year2>\d{4}) year end",
         _phrase(r"last day of \g<year>\g<year2>")),
        (rf"{COUNT} (?P<trading>{TRADING} )?{UNIT} (?:ago|earlier|back)(?: today)?", _ago),
        (rf"(?P<month>{MONTH}) the (?P<day>\d\d?(?:st|nd|rd|th)?)(?P<year> \d{{4}})?",
         _phrase(r"\g<month> \g<day>\g<year>")),
        (rf"(?P<day>\d\d?(?:st|nd|rd|th)?) (?:of )?(?P<month>{MONTH})(?P<year> \d{{4}})?",
         _phrase(r"\g<month> \g<day>\g<year>")),
        (r"the year(?: of)? (?P<year>\d{4})|year (?P<only>\d{4})", _phrase(r"\g<year>\g<only>")),
        (r"past (?P<count>)(?P<trading>)(?P<unit>week|month|year)", _last_several),
        (rf"(?:{BEFORE}|most recent|latest) {COUNT} (?P<trading>{TRADING} )?"
         rf"(?:calendar )?{UNIT}", _last_several),
    )
)  # fmt: skip
