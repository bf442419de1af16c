"""The days that a phrase of time means, seen from the moment a question was asked.

A phrase is a date, a name of one ("yesterday", "last friday", "the last trading day") or of several
("last week", "the first week of January 2024", "Q1 2024", "2023"). The days on which US exchanges
are closed are known.
"""

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache

import holidays
from dateutil import parser as date_parser

from utils.errors import CragError

DAY = timedelta(days=1)
_WEEKDAYS = [name.lower() for name in calendar.day_name]
_MONTHS = [name.lower() for name in calendar.month_name]
_ORDINALS = {
    name: index
    for index, names in enumerate(("first 1st", "second 2nd", "third 3rd", "fourth 4th"))
    for name in names.split()
}
_MONTH = "|".join(
    rf"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in _MONTHS if name
)


class PeriodError(CragError):
    """A phrase of time is not understood, or needs the time of the question, which is not known."""


@dataclass(frozen=True, slots=True)
class Period:
    """From `first` to `last`, both within; one day where they are the same.

    `trading`: a day is meant on which exchanges are open, so the next such day may stand for it.
    """

    first: date
    last: date
    trading: bool = False

    def holds(self, day: date) -> bool:
        return self.first <= day <= self.last


@lru_cache(maxsize=64)
def _closed(year: int) -> frozenset[date]:
    return frozenset(holidays.financial_holidays("NYSE", years=[year]))


def is_trading_day(day: date) -> bool:
    """Whether US exchanges are open on `day`."""
    return day.weekday() < calendar.SATURDAY and day not in _closed(day.year)


def trading_day_before(day: date) -> date:
    """The last trading day before `day`."""
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
        PeriodError: it is not understood, or counts from `now` and that is None.
    """
    text = " ".join(phrase.lower().replace(",", " ").replace("'s", "").split())
    text = re.sub(r"^(?:on|in|during|for|of|at|the|this past)\s+", "", text)
    text = text.removeprefix("the ")
    for pattern, read, relative in _READERS:
        match = pattern.fullmatch(text)
        if match:
            if relative and now is None:
                raise PeriodError(f"{phrase!r} counts from the time of the question: unknown")
            try:
                return read(match, now.date() if now else date.min)
            except (ValueError, OverflowError) as error:
                raise PeriodError(f"{phrase!r} is no date: {error}") from error
    raise PeriodError(f"{phrase!r} is no time that is understood")


def _one(day: date, *, trading: bool = False) -> Period:
    return Period(day, day, trading)


def _week_of(day: date) -> Period:
    monday = day - timedelta(days=day.weekday())
    return Period(monday, monday + 6 * DAY)


def _month(year: int, month: int) -> Period:
    return Period(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def _month_number(name: str) -> int:
    return next(i for i, full in enumerate(_MONTHS) if full and full.startswith(name[:3]))


def _full_date(match: re.Match[str], today: date) -> Period:
    return _one(date_parser.parse(match.group(), default=datetime(today.year, 1, 1)).date())


def _day_of_this_year(match: re.Match[str], today: date) -> Period:
    """A month and a day without a year: the last one before the question was asked."""
    day = date_parser.parse(match.group(), default=datetime(today.year, 1, 1)).date()
    return _one(day if day <= today else day.replace(year=day.year - 1))


def _relative_day(match: re.Match[str], today: date) -> Period:
    back = {"today": 0, "now": 0, "tomorrow": -1}.get(match["word"], 1)
    return _one(today - timedelta(days=back))


def _days_ago(match: re.Match[str], today: date) -> Period:
    return _one(today - timedelta(days=int(match["count"])))


def _last_trading_day(match: re.Match[str], today: date) -> Period:
    return _one(trading_day_before(today), trading=True)


def _edge_trading_day(match: re.Match[str], today: date) -> Period:
    """The first or last trading day of a month, quarter, year or week."""
    within = resolve(match["within"], datetime.combine(today, datetime.min.time()))
    if match["edge"] in ("first", "1st"):
        return _one(trading_day_from(within.first), trading=True)
    return _one(trading_day_before(within.last + DAY), trading=True)


def _weekday(match: re.Match[str], today: date) -> Period:
    """ "last friday" is last week's, "this friday" this week's, "friday" the one before today."""
    wanted = _WEEKDAYS.index(match["weekday"])
    monday = today - timedelta(days=today.weekday())
    which = match["which"] or ""
    if which in ("last", "previous", "past"):
        return _one(monday - 7 * DAY + wanted * DAY, trading=True)
    if which == "this":
        return _one(monday + wanted * DAY, trading=True)
    back = (today.weekday() - wanted) % 7 or 7
    return _one(today - timedelta(days=back), trading=True)


def _relative_period(match: re.Match[str], today: date) -> Period:
    back = 0 if match["which"] in ("this", "current") else 1
    if match["unit"] == "week":
        return _week_of(today - timedelta(weeks=back))
    if match["unit"] == "month":
        first = today.replace(day=1)
        first = (first - DAY).replace(day=1) if back else first
        return _month(first.year, first.month)
    if match["unit"] == "quarter":
        quarter = today.year * 4 + (today.month - 1) // 3 - back
        return _quarter_of(quarter // 4, quarter % 4 + 1)
    return Period(date(today.year - back, 1, 1), date(today.year - back, 12, 31))


def _quarter_of(year: int, quarter: int) -> Period:
    first = _month(year, 3 * quarter - 2)
    return Period(first.first, _month(year, 3 * quarter).last)


def _quarter(match: re.Match[str], today: date) -> Period:
    number = int(re.sub(r"\D", "", match["number"]) or _ORDINALS[match["number"]] + 1)
    year = int(match["year"]) if match["year"] else today.year - (3 * number - 2 > today.month)
    return _quarter_of(year, number)


def _month_of_year(match: re.Match[str], today: date) -> Period:
    month = _month_number(match["month"])
    year = int(match["year"]) if match["year"] else today.year - (month > today.month)
    return _month(year, month)


def _week_of_month(match: re.Match[str], today: date) -> Period:
    """The first week of a month is its first seven days, and so on; the last one its last seven."""
    within = _month_of_year(match, today)
    if match["number"] == "last":
        return Period(within.last - 6 * DAY, within.last)
    first = within.first + 7 * _ORDINALS[match["number"]] * DAY
    return Period(first, first + 6 * DAY)


def _whole_year(match: re.Match[str], today: date) -> Period:
    year = int(match["year"])
    return Period(date(year, 1, 1), date(year, 12, 31))


def _from_to(match: re.Match[str], today: date) -> Period:
    first, last = date.fromisoformat(match["first"]), date.fromisoformat(match["last"])
    if last < first:
        raise ValueError(f"it ends on {last}, before it begins")
    return Period(first, last)


def _year_and_month(match: re.Match[str], today: date) -> Period:
    return _month(int(match["year"]), int(match["number"]))


_YEAR = r"(?P<year>(?:19|20)\d\d)"
_OF = r"(?:\s+(?:of|in))?\s+"
_MONTH_OF = rf"(?P<month>{_MONTH})\.?(?:{_OF}{_YEAR})?"
_TRADING_DAY = r"(?:trading|business|market)\s+(?:day|session)"
_LAST = r"(?:last|latest|previous|most recent|recent|final|past)"
Reader = Callable[[re.Match[str], date], Period]
_READERS: tuple[tuple[re.Pattern[str], Reader, bool], ...] = tuple(
    (re.compile(pattern), read, relative)
    for pattern, read, relative in (
        (r"\d{4}-\d\d?-\d\d?|\d\d?/\d\d?/\d{2,4}", _full_date, False),
        (r"(?P<first>\d{4}-\d\d-\d\d) to (?P<last>\d{4}-\d\d-\d\d)", _from_to, False),
        (rf"(?:{_MONTH})\.?\s+\d\d?(?:st|nd|rd|th)?\s+\d{{4}}", _full_date, False),
        (rf"\d\d?(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})\.?\s+\d{{4}}", _full_date, False),
        (rf"(?:{_MONTH})\.?\s+\d\d?(?:st|nd|rd|th)?", _day_of_this_year, True),
        (r"(?P<word>today|now|yesterday|previous day|day before|tomorrow)", _relative_day, True),
        (r"(?P<count>\d{1,3}) days ago", _days_ago, True),
        (rf"{_LAST}\s+{_TRADING_DAY}", _last_trading_day, True),
        (
            rf"(?P<edge>first|1st|last|final)\s+{_TRADING_DAY}{_OF}(?P<within>.+)",
            _edge_trading_day,
            True,
        ),
        (
            rf"(?:(?P<which>last|previous|past|this|most recent)\s+)?"
            rf"(?P<weekday>{'|'.join(_WEEKDAYS)})",
            _weekday,
            True,
        ),
        (
            r"(?P<which>last|previous|past|this|current)\s+(?P<unit>week|month|quarter|year)",
            _relative_period,
            True,
        ),
        (
            rf"(?P<number>q[1-4]|(?:first|second|third|fourth|1st|2nd|3rd|4th)(?=\s+q))"
            rf"(?:\s+(?:quarter|qtr))?(?:{_OF}{_YEAR})?",
            _quarter,
            True,
        ),
        (
            rf"(?P<number>first|second|third|fourth|last)\s+week{_OF}{_MONTH_OF}",
            _week_of_month,
            True,
        ),
        (_MONTH_OF, _month_of_year, True),
        (_YEAR, _whole_year, False),
        (rf"{_YEAR}-(?P<number>\d\d)", _year_and_month, False),
    )
)
