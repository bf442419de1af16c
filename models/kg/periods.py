"""The days that a phrase of time means, seen from the moment a question was asked.

`resolve` reads a date ("2024-02-09", "feb 9th"), a relative day ("yesterday", "last tues"), a range
("last week", "q1 of 2024", "jan 5 to jan 9"), a day within a range ("first trading day of february
2024", "tuesday of last week") and the ends of a series ("latest", "the ipo day").

How a phrase is read: its words are made canonical by `_SYNONYMS`, then the rows of `_RULES` are
tried in order, each a pattern over the canonical words and the function that reads it.
"""

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import lru_cache

import holidays
from dateutil import parser as date_parser
from dateutil.relativedelta import relativedelta
from rapidfuzz import process

from utils.errors import CragError

DAY = timedelta(days=1)
_WEEKDAYS = tuple(name.lower() for name in calendar.day_name)
_MONTHS = tuple(name.lower() for name in calendar.month_name)[1:]
_ORDINALS = {
    spelling: index
    for index, spellings in enumerate(
        ("first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th")
    )
    for spelling in spellings.split()
}
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
_LONGEST = 80  # characters of a phrase

# canonical word or words -> the spellings that mean the same, in the order in which they are tried
_SYNONYMS = {
    **{day: f"{day} {day[:3]}" for day in _WEEKDAYS},
    **{month: f"{month} {month[:3]}" for month in _MONTHS},
    "tuesday": "tue tues",
    "wednesday": "wed weds",
    "thursday": "thu thur thurs",
    "september": "sep sept",
    **{str(number): word for number, word in enumerate(_NUMBERS, 1)},
    "quarter": "qtr",
    "week": "wk",
    "year": "yr calendar_year",
    "this": "current present",
    "next": "coming upcoming following",
    "recent": "most_recent latest newest this_past this_last recent_available",
    "last": "previous past prior preceding",
    "day": "session",
    "trading day": "business_day market_day working_day day_of_trading trading_date"
    " day_the_market_was_open day_that_the_market_was_open",
    "year to date": "ytd year-to-date",
    "month to date": "mtd month-to-date",
    "today": "now currently tonight right_now at_the_moment this_day this_morning",
    "start": "beginning begin",
    "end": "ending",
    "h1": "first_half 1h",
    "h2": "second_half 2h",
    "q1": "1q first_quarter 1st_quarter",
    "q2": "2q second_quarter 2nd_quarter",
    "q3": "3q third_quarter 3rd_quarter",
    "q4": "4q fourth_quarter 4th_quarter",
    "ipo": "initial_public_offering went_public market_debut",
    "to": "through thru until till – —",
}  # fmt: skip
EXAMPLES = tuple(
    " ".join(phrase.split())
    for phrase in """2024-02-09; february 9 2024; 9 feb; 2024-02; february 2024; 2024; today;
    yesterday; tomorrow; the day before yesterday; 3 days ago; 2 weeks ago; last friday; friday;
    this friday; next friday; tuesday of last week; last trading day; first trading day of 2024;
    last friday of january 2024;
    last day; last week; this week; next week; last weekend; this month; last quarter; last year;
    last 5 days; last 5 trading days; last 3 months; first week of january 2024; q1 2024; h1 2023;
    year to date; 2024-01-05 to 2024-01-09; since 2023-06-01; start of 2024; end of january 2024;
    latest; ipo day""".split(";")
)


class PeriodError(CragError):
    """A phrase of time is not understood, or needs the time of the question, which is not known."""


class Edge(StrEnum):
    """One end of the known days, whatever they are: of a price, the first or the latest one."""

    FIRST = "first"
    LATEST = "latest"


@dataclass(frozen=True, slots=True)
class Period:
    """From `first` to `last`, both included; one day where they are the same.

    Attributes:
        trading: a day is meant on which exchanges are open.
        edge: only the first or the latest known day in it is meant.
    """

    first: date
    last: date
    trading: bool = False
    edge: Edge | None = None

    def holds(self, day: date) -> bool:
        return self.first <= day <= self.last


@lru_cache(maxsize=64)
def _closed(year: int) -> frozenset[date]:
    return frozenset(holidays.financial_holidays("NYSE", years=[year]))


def is_trading_day(day: date) -> bool:
    """Whether US exchanges are open on `day`."""
    return day.weekday() < calendar.SATURDAY and day not in _closed(day.year)


def trading_day_before(day: date, count: int = 1) -> date:
    """The `count`-th trading day before `day`."""
    for _ in range(count):
        day -= DAY
        while not is_trading_day(day):
            day -= DAY
    return day


def trading_day_from(day: date) -> date:
    """The first trading day on or after `day`."""
    while not is_trading_day(day):
        day += DAY
    return day


def resolve(phrase: str, now: datetime | None) -> Period:
    """The days that `phrase` means.

    Raises:
        PeriodError: it is not understood, or counts from `now` and that is None. The message names
            the most similar phrase that is understood.
    """
    if len(phrase) <= _LONGEST:
        text = _canonical(phrase)
        for pattern, read in _RULES:
            match = pattern.fullmatch(text)
            if match:
                return _read(phrase, match, read, now)
    similar = process.extractOne(phrase[:_LONGEST], EXAMPLES)[0]
    raise PeriodError(f'"{phrase[:_LONGEST]}" is no time that is understood; try "{similar}"')


def _read(phrase: str, match: re.Match[str], read: "Reader", now: datetime | None) -> Period:
    try:
        found = read(match, _Clock(now))
    except (ValueError, OverflowError) as error:
        raise PeriodError(f'"{phrase}" is no date: {error}') from error
    except _NoClock:
        raise PeriodError(f'"{phrase}" depends on the time of the question: unknown') from None
    if found.last < found.first:
        raise PeriodError(f'"{phrase}" ends before it begins')
    return found


class _NoClock(Exception):
    """The time of the question is needed, and not known."""


@dataclass(frozen=True, slots=True)
class _Clock:
    now: datetime | None

    @property
    def today(self) -> date:
        if self.now is None:
            raise _NoClock
        return self.now.date()


Reader = Callable[[re.Match[str], _Clock], Period]


@lru_cache(maxsize=1)
def _spellings() -> tuple[tuple[re.Pattern[str], dict[str, str]], ...]:
    """Single words, then phrases of several: a pattern, and what each spelling it finds means."""
    means = {
        spelling.replace("_", " "): canonical
        for canonical, spelled in _SYNONYMS.items()
        for spelling in spelled.split()
    }
    kinds = []
    for several in (False, True):
        chosen = {s: canonical for s, canonical in means.items() if (" " in s) is several}
        either = "|".join(re.escape(s) for s in sorted(chosen, key=len, reverse=True))
        kinds.append((re.compile(rf"(?<![\w-])(?:{either})(?![\w-])"), chosen))
    return tuple(kinds)


def _canonical(phrase: str) -> str:
    """The phrase in lower case and canonical words, less articles and leading prepositions."""
    text = phrase.lower().replace("\u2019", "'").replace("'s", "")
    text = re.sub(r"[,?!]|\.(?!\d)", " ", text)
    text = re.sub(r"\ban?\s+(?=\w+\s+ago\b)", "1 ", text)
    text = " ".join(re.sub(r"\b(?:the|a|an|its|their)\b", " ", text).split())
    for pattern, means in _spellings():
        text = pattern.sub(lambda match, means=means: means[match.group()], text)  # type: ignore[misc]
    text = re.sub(r"^(?:(?:on|in|during|for|of|at|as of|over|within|from)\s+)+(?!.* to )", "", text)
    return re.sub(r"^from\s+", "", text)


def _one(day: date, *, trading: bool = False) -> Period:
    return Period(day, day, trading)


def _month(year: int, month: int) -> Period:
    return Period(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def _quarter(year: int, number: int) -> Period:
    return Period(date(year, 3 * number - 2, 1), _month(year, 3 * number).last)


def _whole_year(year: int) -> Period:
    return Period(date(year, 1, 1), date(year, 12, 31))


def _unit(unit: str, day: date) -> Period:
    """The week, weekend, month, quarter or year around a day. Weeks begin on Monday."""
    monday = day - timedelta(days=day.weekday())
    match unit:
        case "week":
            return Period(monday, monday + 6 * DAY)
        case "weekend":
            return Period(monday + 5 * DAY, monday + 6 * DAY)
        case "month":
            return _month(day.year, day.month)
        case "quarter":
            return _quarter(day.year, (day.month + 2) // 3)
        case "year":
            return _whole_year(day.year)
    return _one(day)


def _shifted(day: date, unit: str, count: int) -> date:
    match unit:
        case "quarter":
            return day + relativedelta(months=3 * count)
        case "weekend":
            return day + relativedelta(weeks=count)
    return day + relativedelta(**{f"{unit}s": count})  # type: ignore[arg-type]


# --- the readers of the rules


def _date(match: re.Match[str], clock: _Clock) -> Period:
    return _one(date_parser.parse(match.group(), default=datetime(2000, 1, 1)).date())


def _day_of_year(match: re.Match[str], clock: _Clock) -> Period:
    """A month and a day without a year: the last one that was not in the future."""
    month, number = _MONTHS.index(match["month"]) + 1, int(match["day"])
    for year in range(clock.today.year, clock.today.year - 9, -1):
        if number <= calendar.monthrange(year, month)[1]:
            day = date(year, month, number)
            if day <= clock.today:
                return _one(day)
    raise ValueError("day is out of range for month")


def _relative_day(match: re.Match[str], clock: _Clock) -> Period:
    ahead = {"today": 0, "tomorrow": 1, "day before yesterday": -2, "day after tomorrow": 2}
    return _one(clock.today + ahead.get(match.group(), -1) * DAY)


def _ago(match: re.Match[str], clock: _Clock) -> Period:
    count, unit = int(match["count"]), match["unit"]
    if unit.startswith("trading"):
        return _one(trading_day_before(clock.today, count), trading=True)
    return _one(_shifted(clock.today, unit, -count))


def _last_count(match: re.Match[str], clock: _Clock) -> Period:
    """The last so many days end yesterday, as prices do; the next ones begin tomorrow."""
    count, unit, today = int(match["count"]), match["unit"], clock.today
    if not 0 < count <= 1000:
        raise ValueError(f"{count} {unit}s")
    if match["which"] == "next":
        return Period(today + DAY, _shifted(today, "day" if "day" in unit else unit, count))
    if unit.startswith("trading"):
        return Period(trading_day_before(today, count), trading_day_before(today))
    if unit == "day":
        return Period(today - count * DAY, today - DAY)
    return Period(_shifted(today, unit, -count), today)


def _relative_unit(match: re.Match[str], clock: _Clock) -> Period:
    step = {"this": 0, "next": 1}.get(match["which"], -1)
    return _unit(match["unit"], _shifted(clock.today, match["unit"], step))


def _before_last(match: re.Match[str], clock: _Clock) -> Period:
    return _unit(match["unit"], _shifted(clock.today, match["unit"], -2))


def _to_date(match: re.Match[str], clock: _Clock) -> Period:
    return Period(_unit(match["unit"], clock.today).first, clock.today)


def _last_day(match: re.Match[str], clock: _Clock) -> Period:
    return _one(trading_day_before(clock.today), trading=True)


def _next_trading_day(match: re.Match[str], clock: _Clock) -> Period:
    return _one(trading_day_from(clock.today + DAY), trading=True)


def _weekday(match: re.Match[str], clock: _Clock) -> Period:
    """ "last friday" is last week's, "this friday" this week's, "friday" the one before today."""
    wanted, which = _WEEKDAYS.index(match["weekday"]), match["which"]
    monday = clock.today - timedelta(days=clock.today.weekday())
    if which in ("last", "this", "next"):
        week = {"last": -1, "this": 0, "next": 1}[which]
        return _one(monday + (7 * week + wanted) * DAY, trading=True)
    back = (clock.today.weekday() - wanted) % 7 or 7
    return _one(clock.today - back * DAY, trading=True)


def _weekday_within(match: re.Match[str], clock: _Clock) -> Period:
    """The n-th such weekday of a range; without a number, the one of a week."""
    within = _within(match, clock)
    wanted = _WEEKDAYS.index(match["weekday"])
    days = [
        within.first + i * DAY
        for i in range((within.last - within.first).days + 1)
        if (within.first + i * DAY).weekday() == wanted
    ]
    number = match["number"]
    if number is None and len(days) != 1:
        raise ValueError(f"{len(days)} days are meant")
    index = -1 if number == "last" else _ORDINALS[number] if number else 0
    if index >= len(days):
        raise ValueError(f"there is no {number} {match['weekday']}")
    return _one(days[index], trading=True)


def _edge_within(match: re.Match[str], clock: _Clock) -> Period:
    """The first or last trading day of a range; of one that goes on, up to yesterday."""
    within = _within(match, clock)
    if match["edge"] in ("first", "1st", "start"):
        return _one(trading_day_from(within.first), trading=True)
    last = within.last + DAY
    return _one(trading_day_before(min(last, clock.today) if clock.now else last), trading=True)


def _week_within(match: re.Match[str], clock: _Clock) -> Period:
    """The first week of a month is its first seven days, and so on; the last one its last seven."""
    within = _within(match, clock)
    if match["number"] == "last":
        return Period(within.last - 6 * DAY, within.last)
    first = within.first + 7 * _ORDINALS[match["number"]] * DAY
    return Period(first, min(first + 6 * DAY, within.last))


def _half_within(match: re.Match[str], clock: _Clock) -> Period:
    within = _whole_year(clock.today.year) if match["within"] is None else _within(match, clock)
    long = (within.last - within.first).days > 31
    middle = date(within.first.year, 6, 30) if long else within.first.replace(day=15)
    first = match["number"] == "h1"
    return Period(within.first, middle) if first else Period(middle + DAY, within.last)


def _quarter_within(match: re.Match[str], clock: _Clock) -> Period:
    number = int(match["number"])
    if match["within"] is None:
        return _quarter(clock.today.year - (3 * number - 2 > clock.today.month), number)
    return _quarter(_within(match, clock).first.year, number)


def _month_within(match: re.Match[str], clock: _Clock) -> Period:
    month = _MONTHS.index(match["month"]) + 1
    if match["within"] is not None:
        return _month(_within(match, clock).first.year, month)
    if match["which"] == "next":
        return _month(clock.today.year + (month <= clock.today.month), month)
    return _month(clock.today.year - (month > clock.today.month), month)


def _year(match: re.Match[str], clock: _Clock) -> Period:
    return _whole_year(int(match["year"]))


def _year_and_month(match: re.Match[str], clock: _Clock) -> Period:
    return _month(int(match["year"]), int(match["month"]))


def _range(match: re.Match[str], clock: _Clock) -> Period:
    first, last = resolve(match["first"], clock.now), resolve(match["last"], clock.now)
    return Period(first.first, last.last)


def _since(match: re.Match[str], clock: _Clock) -> Period:
    return Period(resolve(match["within"], clock.now).first, clock.today)


def _around_week(match: re.Match[str], clock: _Clock) -> Period:
    return _unit("week", resolve(match["within"], clock.now).first)


def _edge(edge: Edge) -> Reader:
    def read(match: re.Match[str], clock: _Clock) -> Period:
        last = date.max if clock.now is None else clock.today
        return Period(date.min, last, edge=edge)

    return read


def _within(match: re.Match[str], clock: _Clock) -> Period:
    """The range that a phrase names behind "of": a bare unit is the current one."""
    text = match["within"]
    found = resolve(f"this {text}" if text in _UNITS.split("|") else text, clock.now)
    return replace(found, trading=False)


_UNITS = "week|weekend|month|quarter|year"
_OF = r"\s+(?:(?:of|in|from|during|for)\s+)?(?P<within>.+)"
_MAY_OF = rf"(?:{_OF})?"
_DAYS, _MONTH_NAMES = "|".join(_WEEKDAYS), "|".join(_MONTHS)
_NTH = "|".join(_ORDINALS)
_DAY_NUMBER = r"\d\d?(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1[89]|20)\d\d)"
_RULES: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (r"\d{4}-\d\d?-\d\d?|\d\d?/\d\d?/(?:\d\d){1,2}|\d{4}/\d\d?/\d\d?", _date),
        (rf"(?:{_MONTH_NAMES})\s+{_DAY_NUMBER}\s+\d{{4}}", _date),
        (rf"{_DAY_NUMBER}\s+(?:of\s+)?(?:{_MONTH_NAMES})\s+\d{{4}}", _date),
        (rf"(?P<month>{_MONTH_NAMES})\s+(?P<day>\d\d?)(?:st|nd|rd|th)?", _day_of_year),
        (rf"(?P<day>\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH_NAMES})", _day_of_year),
        (rf"{_YEAR}", _year),
        (rf"{_YEAR}-(?P<month>\d\d)", _year_and_month),
        (r"(?P<first>.+?)\s+to\s+(?P<last>(?!date\b).+)", _range),
        (r"between\s+(?P<first>.+?)\s+and\s+(?P<last>.+)", _range),
        (r"since\s+(?P<within>.+)", _since),
        (
            r"today|tomorrow|yesterday|last day before|day before|(?:day before )?yesterday"
            r"|day after tomorrow",
            _relative_day,
        ),
        (r"last|recent|(?:last|recent) (?:known )?(?:price|value|quote)", _edge(Edge.LATEST)),
        (
            r"ipo(?: (?:day|date))?|first (?:ever )?trading day(?: ever)?|listing (?:day|date)"
            r"|(?:day of )?(?:ipo|listing|debut)|inception",
            _edge(Edge.FIRST),
        ),
        (r"(?:last|recent|final|latest|end)\s+(?:trading\s+)?days?", _last_day),
        (r"next\s+trading day", _next_trading_day),
        (
            r"(?P<count>\d{1,4})\s+(?P<unit>day|week|month|quarter|year|trading day)s?\s+"
            r"(?:ago|earlier|before|back)",
            _ago,
        ),
        (
            r"(?P<which>last|recent|next)\s+(?P<count>\d{1,4})\s+"
            r"(?P<unit>day|week|month|quarter|year|trading day)s?",
            _last_count,
        ),
        (rf"(?P<unit>{_UNITS}) before last", _before_last),
        (rf"(?P<unit>{_UNITS}) to date", _to_date),
        (rf"(?P<which>last|this|next|recent)\s+(?P<unit>{_UNITS})", _relative_unit),
        (rf"(?:(?P<which>last|this|next|recent)\s+)?(?P<weekday>{_DAYS})", _weekday),
        (rf"week{_OF}", _around_week),
        (rf"(?:(?P<number>{_NTH}|last)\s+)?(?P<weekday>{_DAYS}){_OF}", _weekday_within),
        (
            rf"(?P<edge>(?:first|1st|last|final|recent)(?=\s+(?:trading\s+)?day)|start|end)"
            rf"(?:\s+(?:trading\s+)?days?)?{_OF}",
            _edge_within,
        ),
        (rf"(?P<within>{_UNITS}|\d{{4}})\s+(?P<edge>start|end)", _edge_within),
        (rf"(?P<number>{_NTH}|last)\s+week{_OF}", _week_within),
        (rf"(?P<number>h[12])(?:\s+half)?{_MAY_OF}", _half_within),
        (rf"q(?P<number>[1-4])(?:\s+quarter)?{_MAY_OF}", _quarter_within),
        (r"(?P<within>\d{4})\s*-?\s*q(?P<number>[1-4])", _quarter_within),
        (r"(?P<within>\d{4})\s*-?\s*(?P<number>h[12])", _half_within),
        (rf"(?:(?P<which>last|this|next)\s+)?(?P<month>{_MONTH_NAMES}){_MAY_OF}", _month_within),
    )
)  # fmt: skip
