"""Resolves a time phrase to days, relative to the time of a question.

`resolve` reads a date ("2024-02-09", "feb 9th"), a relative day ("yesterday", "last tues"), a range
("last week", "q1 of 2024", "jan 5 to jan 9"), a day within a range ("first trading day of february
2024", "tuesday of last week") and the ends of a series ("latest", "the ipo day").

`periods.toml` maps the words of a phrase to canonical ones. Its `rules` are then tried in order,
each a pattern over canonical words and the function that reads it.
"""

import calendar
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple

from dateutil import parser as date_parser
from pydantic import ConfigDict
from pydantic.dataclasses import dataclass as typed_record
from rapidfuzz import process

from models.english.calendar_words import FULL_CALENDAR_NAMES, MONTH_NAMES, WEEKDAY_NAMES, WEEKDAYS
from models.english.days import (
    DAY,
    CalendarUnit,
    KnownDay,
    Period,
    month_of,
    one_day,
    quarter_of,
    shifted,
    trading_day_before,
    trading_day_from,
    unit_around,
    year_of,
)
from models.english.quantity_words import (
    ORDINAL_ENDING,
    any_of,
    number_words,
    ordinal_words,
)
from utils.errors import CragError
from utils.text import words

_STRICT = ConfigDict(extra="forbid")  # a misspelt field is an error


class _RuleRow(NamedTuple):
    """The name of a reader, and the pattern of the phrases that it reads."""

    reader: str
    pattern: str


@typed_record(frozen=True, config=_STRICT)
class _PeriodTables:
    """The tables of `periods.toml`."""

    examples: tuple[str, ...]
    rules: tuple[_RuleRow, ...]
    patterns: dict[str, str]
    synonyms: dict[str, tuple[str, ...]]


_FILE = Path(__file__).with_suffix(".toml")
_TABLES = _PeriodTables(**tomllib.loads(_FILE.read_text(encoding="utf-8")))
EXAMPLES: Sequence[str] = _TABLES.examples
_LONGEST = 80  # characters of a phrase
_SATURDAY = 5  # the number of the day, from Monday on
_MAX_COUNT = 1000  # units in a range
_YEARS_BACK = 9  # in which a day without a year is looked for, because of leap years
_ANY_DAY = datetime(2000, 1, 1)  # patterns match whole dates only
# The n-th week or weekday of a range.
_NTH = ordinal_words(1, 5) | {"1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5}
_UNITS = (
    CalendarUnit.WEEK,
    CalendarUnit.WEEKEND,
    CalendarUnit.MONTH,
    CalendarUnit.QUARTER,
    CalendarUnit.YEAR,
)


class PeriodError(CragError):
    """A time phrase is not understood, or needs the question's time, which is unknown."""

    kind = "statement not understood"


def resolve(phrase: str, now: datetime | None) -> Period:
    """The days of `phrase`.

    Raises:
        PeriodError: it is not understood, or relative to `now` and that is None. The message
            suggests the most similar known phrase.
    """
    if len(phrase) <= _LONGEST:
        text = _canonical(phrase)
        for pattern, reader in _RULES:
            match = pattern.fullmatch(text)
            if match:
                return _checked_period(match, reader, _Clock(phrase, now))
    similar = process.extractOne(phrase[:_LONGEST], EXAMPLES)[0]
    raise PeriodError(f'"{phrase[:_LONGEST]}" is no time that is understood; try "{similar}"')


@dataclass(frozen=True, slots=True)
class _Clock:
    """The time of the question; `phrase` is for error messages."""

    phrase: str
    now: datetime | None

    @property
    def today(self) -> date:
        if self.now is None:
            raise PeriodError(f'"{self.phrase}" depends on the time of the question: unknown')
        return self.now.date()


PhraseReader = Callable[[re.Match[str], _Clock], Period]


def _checked_period(match: re.Match[str], reader: PhraseReader, clock: _Clock) -> Period:
    try:
        period = reader(match, clock)
    except (ValueError, OverflowError) as error:
        raise PeriodError(f'"{clock.phrase}" cannot be read as a date: {error}') from error
    if period.last < period.first:
        raise PeriodError(f'"{clock.phrase}" ends before it begins')
    return period


# ---- the canonical words of a phrase


def _canonical_words() -> dict[str, str]:
    """The canonical word of each other spelling: "tues" is "tuesday", "two" is "2"."""
    canonical = dict(FULL_CALENDAR_NAMES)
    canonical.update({word: str(number) for word, number in number_words(1, 13).items()})
    for word, spellings in _TABLES.synonyms.items():
        canonical.update(dict.fromkeys(spellings, word))
    return canonical


_CANONICAL_WORDS = _canonical_words()
_OTHER_SPELLING = re.compile(rf"(?<![\w-])(?:{any_of(_CANONICAL_WORDS)})(?![\w-])")
_ONE_AGO = re.compile(r"\ban?\s+(?=\w+\s+ago\b)")
_PUNCTUATION = re.compile(r"[,?!]|\.(?!\d)")
_DASH = re.compile(r"\s+-\s+")
_ARTICLE = re.compile(r"\b(?:the|a|an|its|their)\b")
_LEADING_PREPOSITIONS = re.compile(
    r"^(?:(?:on|in|during|for|of|at|as of|over|within|from)\s+)+(?!.* to )"
)
_LEADING_FROM = re.compile(r"^from\s+")
_DAY_ORDINALS = ordinal_words(1, 31)
_TENS_OF_DAY = re.compile(rf"\b(twenty|thirty) (?=\w+{ORDINAL_ENDING}\b)")
_DAY_OF_MONTH = re.compile(  # "tenth of march", "march tenth"
    rf"\b(?P<day>{any_of(_DAY_ORDINALS)})(?=\s+(?:of\s+)?(?:{any_of(MONTH_NAMES)})\b)"
    rf"|(?P<month>{any_of(MONTH_NAMES)})\s+(?P<day_after>{any_of(_DAY_ORDINALS)})\b"
)


def _canonical(phrase: str) -> str:
    """The phrase in lower case and canonical words, without articles and leading prepositions."""
    text = phrase.lower().replace("\u2019", "'").replace("'s", "")
    text = _PUNCTUATION.sub(" ", text)
    text = _DASH.sub(" to ", text)
    text = _ONE_AGO.sub("1 ", text)
    text = " ".join(_ARTICLE.sub(" ", text).split())
    text = _OTHER_SPELLING.sub(lambda match: _CANONICAL_WORDS[match.group()], text)
    text = _TENS_OF_DAY.sub(r"\1-", text)
    text = _DAY_OF_MONTH.sub(_day_in_digits, text)
    text = _LEADING_PREPOSITIONS.sub("", text)
    return _LEADING_FROM.sub("", text)


def _day_in_digits(match: re.Match[str]) -> str:
    """The match in digits: "march 10" for "march tenth", "10" for the day of "tenth of march"."""
    if match["month"]:
        return f"{match['month']} {_DAY_ORDINALS[match['day_after']]}"
    return str(_DAY_ORDINALS[match["day"]])


# ---- readers: a match of a rule's pattern -> its days


def _day_of_year(match: re.Match[str], clock: _Clock) -> Period:
    """A month and a day of this, last or next year; of none, the latest one not in the future."""
    month = _month_number(match)
    number = int(match["day"])
    if match["year"]:
        years = {"last": -1, "this": 0, "next": 1}[match["year"]]
        return one_day(date(clock.today.year + years, month, number))
    for year in range(clock.today.year, clock.today.year - _YEARS_BACK, -1):
        if number <= calendar.monthrange(year, month)[1]:
            day = date(year, month, number)
            if day <= clock.today:
                return one_day(day)
    raise ValueError("day is out of range for month")


def _month_number(match: re.Match[str]) -> int:
    return MONTH_NAMES.index(match["month"]) + 1


def _days_of_month(match: re.Match[str], clock: _Clock) -> Period:
    """The days of "february 20-23 2024"."""
    month = match["month"]
    year = match["of"] or ""
    first = resolve(f"{month} {match['first']}{year}", clock.now)
    last = resolve(f"{month} {match['last']}{year}", clock.now)
    return Period(first.first, last.last)


def _range(match: re.Match[str], clock: _Clock) -> Period:
    first = resolve(match["first"], clock.now)
    last = resolve(match["last"], clock.now)
    return Period(_without_edge(first).first, last.last)


def _relative_day(match: re.Match[str], clock: _Clock) -> Period:
    ahead = {"today": 0, "tomorrow": 1, "day before yesterday": -2, "day after tomorrow": 2}
    return one_day(clock.today + ahead.get(match.group(), -1) * DAY)


def _day_after(match: re.Match[str], clock: _Clock) -> Period:
    day = _enclosing(match, clock).last + DAY
    is_trading = CalendarUnit(match["unit"]) is CalendarUnit.TRADING_DAY
    return one_day(trading_day_from(day) if is_trading else day)


def _all_days(clock: _Clock, edge: KnownDay) -> Period:
    """All days up to today, of which the first or the latest known one is meant."""
    last = date.max if clock.now is None else clock.today
    return Period(date.min, last, edge=edge)


def _ago(match: re.Match[str], clock: _Clock) -> Period:
    count = int(match["count"])
    unit = CalendarUnit(match["unit"])
    if unit is CalendarUnit.TRADING_DAY:
        return one_day(trading_day_before(clock.today, count))
    return one_day(shifted(clock.today, unit, -count))


def _last_count(match: re.Match[str], clock: _Clock) -> Period:
    """The last n days end yesterday, as prices do; the next n begin tomorrow."""
    count = int(match["count"])
    unit = CalendarUnit(match["unit"])
    today = clock.today
    if count == 0:
        raise ValueError(f"no {unit}s are counted")
    if count > _MAX_COUNT:
        raise ValueError(f"at most {_MAX_COUNT:,} {unit}s can be counted")
    is_day = unit in (CalendarUnit.DAY, CalendarUnit.TRADING_DAY)
    if match["which"] in ("next", "coming"):
        return Period(today + DAY, shifted(today, CalendarUnit.DAY if is_day else unit, count))
    if unit is CalendarUnit.TRADING_DAY:
        return Period(trading_day_before(today, count), trading_day_before(today))
    if unit is CalendarUnit.DAY:
        return Period(today - count * DAY, today - DAY)
    return Period(shifted(today, unit, -count), today)


def _relative_unit(match: re.Match[str], clock: _Clock) -> Period:
    """The unit of "last week"; "coming weekend" is this week's."""
    step = {"this": 0, "next": 1, "coming": 1}.get(match["which"], -1)
    if match["which"] == "coming" and match["unit"] == CalendarUnit.WEEKEND:
        step = 0
    return _unit_from_today(match, clock, step)


def _unit_from_today(match: re.Match[str], clock: _Clock, step: int) -> Period:
    """The week, month or other unit `step` units from today's."""
    unit = CalendarUnit(match["unit"])
    return unit_around(unit, shifted(clock.today, unit, step))


def _weekday(match: re.Match[str], clock: _Clock) -> Period:
    """The last one before today; "last friday": the previous week's; "this friday": this one's.

    Here a Sunday ends its week: "this sunday" is not over.
    """
    wanted = WEEKDAY_NAMES.index(match["weekday"])
    which = match["which"]
    today = clock.today
    if which in ("last", "this", "next"):
        weeks = {"last": -1, "this": 0, "next": 1}[which]
        is_sunday = WEEKDAY_NAMES[wanted] == "sunday"
        monday = today - today.weekday() * DAY if is_sunday else _week_of(today).first + DAY
        return one_day(monday + (7 * weeks + wanted) * DAY)
    ahead = (wanted - today.weekday()) % 7 or 7
    if which == "coming":
        return one_day(today + ahead * DAY)
    back = 7 if ahead == 7 else 7 - ahead
    return one_day(today - back * DAY)


def _weekday_within(match: re.Match[str], clock: _Clock) -> Period:
    """The n-th such weekday of a range; without a number, the one of a week."""
    within = _enclosing(match, clock)
    wanted = WEEKDAY_NAMES.index(match["weekday"])
    days = [day for day in _days_in(within) if day.weekday() == wanted]
    number = match.groupdict().get("number")
    if number is None and len(days) != 1:
        raise ValueError(f"{len(days)} days are meant")
    index = 0
    if number == "last":
        index = -1
    elif number:
        index = _NTH[number] - 1
    if not -len(days) <= index < len(days):
        raise ValueError(f"there is no {number} {match['weekday']}")
    return one_day(days[index])


def _week_of(day: date) -> Period:
    return unit_around(CalendarUnit.WEEK, day)


def _days_in(period: Period) -> list[date]:
    count = (period.last - period.first).days + 1
    return [period.first + n * DAY for n in range(count)]


def _edge_within(match: re.Match[str], clock: _Clock) -> Period:
    """The first or last trading day of a range; of an unfinished one, up to yesterday."""
    within = _enclosing(match, clock)
    if match["edge"] in ("first", "1st", "start"):
        return one_day(trading_day_from(within.first))
    day_after = within.last + DAY
    if clock.now:
        day_after = min(day_after, clock.today)
    return one_day(trading_day_before(day_after))


def _week_within(match: re.Match[str], clock: _Clock) -> Period:
    """The first week of a month is its first seven days, and so on; the last one its last seven."""
    within = _enclosing(match, clock)
    if match["number"] == "last":
        return Period(within.last - 6 * DAY, within.last)
    weeks_before = _NTH[match["number"]] - 1
    first = within.first + 7 * weeks_before * DAY
    return Period(first, min(first + 6 * DAY, within.last))


def _half_within(match: re.Match[str], clock: _Clock) -> Period:
    """A half of a year, or of a month."""
    if match["within"] is None:
        within = year_of(clock.today.year)
    else:
        within = _enclosing(match, clock)
    is_month = (within.last - within.first).days <= 31
    middle = within.first.replace(day=15) if is_month else date(within.first.year, 6, 30)
    if match["number"] == "h1":
        return Period(within.first, middle)
    return Period(middle + DAY, within.last)


def _quarter_within(match: re.Match[str], clock: _Clock) -> Period:
    """A quarter of a year; without one, the latest that has begun."""
    number = int(match["number"])
    if match["within"] is not None:
        return quarter_of(_enclosing(match, clock).first.year, number)
    today = clock.today
    first_month = 3 * number - 2
    return quarter_of(today.year if first_month <= today.month else today.year - 1, number)


def _month_within(match: re.Match[str], clock: _Clock) -> Period:
    """A month of a year; without one, the latest that has begun, or the next to begin."""
    month = _month_number(match)
    if match["within"] is not None:
        return month_of(_enclosing(match, clock).first.year, month)
    today = clock.today
    if match["which"] in ("next", "coming"):
        return month_of(today.year if month > today.month else today.year + 1, month)
    return month_of(today.year if month <= today.month else today.year - 1, month)


def _enclosing(match: re.Match[str], clock: _Clock) -> Period:
    """The range named after "of": a unit alone is the current one."""
    text = match["within"]
    if text in _UNITS:
        text = f"this {text}"
    return _without_edge(resolve(text, clock.now))


def _without_edge(period: Period) -> Period:
    """The period; relative days cannot be counted from the first or latest row."""
    if period.edge is not None:
        raise ValueError("the first or latest row is no range of days")
    return period


def on_an_open_day(phrase: str, period: Period) -> Period:
    """The days of a phrase for prices: "last monday" is the next open day if that was a holiday, as
    in CRAG's gold answers; a date or a day of the weekend is what it says."""
    day = period.first
    is_weekday = day == period.last and day.weekday() < _SATURDAY and period.edge is None
    names_weekday = not set(words(phrase)).isdisjoint(WEEKDAYS)
    has_date = any(map(str.isdigit, phrase))
    if is_weekday and names_weekday and not has_date:
        return one_day(trading_day_from(day))
    return period


# The readers by their names in `periods.toml`.
_READERS: dict[str, PhraseReader] = {
    "date": lambda match, _: one_day(date_parser.parse(match.group(), default=_ANY_DAY).date()),
    "day_of_year": _day_of_year,
    "year": lambda match, _: year_of(int(match["year"])),
    "year_and_month": lambda match, _: month_of(int(match["year"]), int(match["month"])),
    "days_of_month": _days_of_month,
    "whole": _enclosing,
    "range": _range,
    "since": lambda match, clock: Period(_enclosing(match, clock).first, clock.today),
    "within": lambda match, clock: resolve(match["within"], clock.now),
    "relative_day": _relative_day,
    "day_after": _day_after,
    "edge_latest": lambda _, clock: _all_days(clock, KnownDay.LATEST),
    "edge_first": lambda _, clock: _all_days(clock, KnownDay.FIRST),
    "last_day": lambda _, clock: one_day(trading_day_before(clock.today)),
    "next_trading_day": lambda _, clock: one_day(trading_day_from(clock.today + DAY)),
    "ago": _ago,
    "last_count": _last_count,
    "before_last": lambda match, clock: _unit_from_today(match, clock, -2),
    "to_date": lambda match, clock: Period(_unit_from_today(match, clock, 0).first, clock.today),
    "relative_unit": _relative_unit,
    "weekday": _weekday,
    "weekday_within": _weekday_within,
    "around_week": lambda match, clock: _week_of(_enclosing(match, clock).first),
    "edge_within": _edge_within,
    "week_within": _week_within,
    "half_within": _half_within,
    "quarter_within": _quarter_within,
    "month_within": _month_within,
}

# ---- the rules of `periods.toml`


def _filled(pattern: str, patterns: Mapping[str, str]) -> str:
    """A pattern with the patterns named in <> inserted; names of groups, "(?P<day>", stay."""
    for name, inserted in patterns.items():
        pattern = re.sub(rf"(?<!P)<{name}>", inserted.replace("\\", r"\\"), pattern)
    return pattern


def _named_patterns() -> dict[str, str]:
    """The patterns by the names under which rules contain them."""
    patterns = {
        "days": "|".join(WEEKDAY_NAMES),
        "months": "|".join(MONTH_NAMES),
        "nth": "|".join(_NTH),
        "units": "|".join(_UNITS),
        "ordinal_ending": ORDINAL_ENDING,
    }
    for name, pattern in _TABLES.patterns.items():
        patterns[name] = _filled(pattern, patterns)
    return patterns


def _compiled_rules() -> tuple[tuple[re.Pattern[str], PhraseReader], ...]:
    patterns = _named_patterns()
    return tuple(
        (re.compile(_filled(row.pattern, patterns)), _READERS[row.reader]) for row in _TABLES.rules
    )


_RULES = _compiled_rules()
