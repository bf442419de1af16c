"""Resolves a time phrase to days, relative to the time of a question.

`resolve` reads a date ("2024-02-09", "feb 9th"), a relative day ("yesterday", "last tues"), a range
("last week", "q1 of 2024", "jan 5 to jan 9"), a day within a range ("first trading day of february
2024", "tuesday of last week") and the ends of a series ("latest", "the ipo day").

`periods.toml` maps the words of a phrase to canonical ones. Its `[rules]` are then tried in order,
each a pattern over canonical words and the function that reads it.
"""

import calendar
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

from dateutil import parser as date_parser
from rapidfuzz import process

from models.kg.english.days import (
    DAY,
    Edge,
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
from models.kg.english.likeness import DIGITS
from utils.errors import CragError

_WEEKDAYS = tuple(name.lower() for name in calendar.day_name)
_MONTHS = tuple(name.lower() for name in calendar.month_name)[1:]
_ORDINALS = {
    word: index // 2
    for index, word in enumerate("first 1st second 2nd third 3rd fourth 4th fifth 5th".split())
}
_DAYS_IN_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
    " twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh"
    " twenty-eighth twenty-ninth thirtieth thirty-first"
).split()
_LONGEST = 80  # characters of a phrase
_ANY_DAY = datetime(2000, 1, 1)  # patterns match whole dates only
_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
EXAMPLES: Sequence[str] = _DATA["examples"]["phrases"]


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
        for pattern, read in _RULES:
            match = pattern.fullmatch(text)
            if match:
                return _read(phrase, match, read, now)
    similar = process.extractOne(phrase[:_LONGEST], EXAMPLES)[0]
    raise PeriodError(f'"{phrase[:_LONGEST]}" is no time that is understood; try "{similar}"')


def _read(phrase: str, match: re.Match[str], read: "PhraseReader", now: datetime | None) -> Period:
    try:
        found = read(match, _Clock(phrase, now))
    except (ValueError, OverflowError) as error:
        raise PeriodError(f'"{phrase}" is no date: {error}') from error
    if found.last < found.first:
        raise PeriodError(f'"{phrase}" ends before it begins')
    return found


@dataclass(frozen=True, slots=True)
class _Clock:
    phrase: str
    now: datetime | None

    @property
    def today(self) -> date:
        if self.now is None:
            raise PeriodError(f'"{self.phrase}" depends on the time of the question: unknown')
        return self.now.date()


PhraseReader = Callable[[re.Match[str], _Clock], Period]


def _either(words: Iterable[str]) -> str:
    """A pattern of any of `words`, longer ones before their prefixes."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_CANONICAL = {name[:3]: name for name in (*_WEEKDAYS, *_MONTHS)} | DIGITS
_CANONICAL |= {spelling: word for word, some in _DATA["synonyms"].items() for spelling in some}
_SPELLED = re.compile(rf"(?<![\w-])(?:{_either(_CANONICAL)})(?![\w-])")
_A_DAY, _A_MONTH = _either(_DAYS_IN_WORDS), _either(_MONTHS)
_DAY_OF_MONTH = re.compile(  # "tenth of march", "march tenth"
    rf"\b(?P<day>{_A_DAY})(?=\s+(?:of\s+)?(?:{_A_MONTH})\b)|(?P<month>{_A_MONTH})\s+(?P<after>{_A_DAY})\b"
)


def _day_in_numbers(match: re.Match[str]) -> str:
    number = 1 + _DAYS_IN_WORDS.index(match["day"] or match["after"])
    return f"{match['month']} {number}" if match["month"] else str(number)


def _canonical(phrase: str) -> str:
    """The phrase in lower case and canonical words, without articles and leading prepositions."""
    text = phrase.lower().replace("\u2019", "'").replace("'s", "")
    text = re.sub(r"[,?!]|\.(?!\d)", " ", text)
    text = re.sub(r"\s+-\s+", " to ", text)
    text = re.sub(r"\ban?\s+(?=\w+\s+ago\b)", "1 ", text)
    text = " ".join(re.sub(r"\b(?:the|a|an|its|their)\b", " ", text).split())
    text = _SPELLED.sub(lambda match: _CANONICAL[match.group()], text)
    text = re.sub(r"\b(twenty|thirty) (?=\w+(?:st|nd|rd|th)\b)", r"\1-", text)
    text = _DAY_OF_MONTH.sub(_day_in_numbers, text)
    text = re.sub(r"^(?:(?:on|in|during|for|of|at|as of|over|within|from)\s+)+(?!.* to )", "", text)
    return re.sub(r"^from\s+", "", text)


# --- the functions of the rules


def _day_of_year(match: re.Match[str], clock: _Clock) -> Period:
    """A month and a day of this, last or next year; of none, the latest one not in the future."""
    month, number = _MONTHS.index(match["month"]) + 1, int(match["day"])
    if match["year"]:
        years = {"last": -1, "this": 0, "next": 1}
        return one_day(date(clock.today.year + years[match["year"]], month, number))
    for year in range(clock.today.year, clock.today.year - 9, -1):
        if number <= calendar.monthrange(year, month)[1]:
            day = date(year, month, number)
            if day <= clock.today:
                return one_day(day)
    raise ValueError("day is out of range for month")


def _relative_day(match: re.Match[str], clock: _Clock) -> Period:
    ahead = {"today": 0, "tomorrow": 1, "day before yesterday": -2, "day after tomorrow": 2}
    return one_day(clock.today + ahead.get(match.group(), -1) * DAY)


def _ago(match: re.Match[str], clock: _Clock) -> Period:
    count, unit = int(match["count"]), match["unit"]
    if unit.startswith("trading"):
        return one_day(trading_day_before(clock.today, count))
    return one_day(shifted(clock.today, unit, -count))


def _last_count(match: re.Match[str], clock: _Clock) -> Period:
    """The last n days end yesterday, as prices do; the next n begin tomorrow."""
    count, unit, today = int(match["count"]), match["unit"], clock.today
    if not 0 < count <= 1000:
        raise ValueError(f"{count} {unit}s")
    if match["which"] in ("next", "coming"):
        return Period(today + DAY, shifted(today, "day" if "day" in unit else unit, count))
    if unit.startswith("trading"):
        return Period(trading_day_before(today, count), trading_day_before(today))
    if unit == "day":
        return Period(today - count * DAY, today - DAY)
    return Period(shifted(today, unit, -count), today)


def _relative_unit(match: re.Match[str], clock: _Clock) -> Period:
    step = {"this": 0, "next": 1, "coming": 1}.get(match["which"], -1)
    if match["which"] == "coming" and match["unit"] == "weekend":
        step = 0
    return _unit(match, clock, step)


def _unit(match: re.Match[str], clock: _Clock, step: int) -> Period:
    """The week, month or other unit `step` units from today's."""
    return unit_around(match["unit"], shifted(clock.today, match["unit"], step))


def _weekday(match: re.Match[str], clock: _Clock) -> Period:
    """The last one before today; "last friday": the previous week's; "this friday": this one's."""
    wanted, which, today = _WEEKDAYS.index(match["weekday"]), match["which"], clock.today
    if which in ("last", "this", "next"):
        week = {"last": -1, "this": 0, "next": 1}[which]
        monday = unit_around("week", today).first
        return one_day(monday + (7 * week + wanted) * DAY)
    ahead = (wanted - today.weekday()) % 7 or 7
    return one_day(today + (ahead if which == "coming" else ahead - 7 or -7) * DAY)


def _weekday_within(match: re.Match[str], clock: _Clock) -> Period:
    """The n-th such weekday of a range; without a number, the one of a week."""
    within = _within(match, clock)
    wanted = _WEEKDAYS.index(match["weekday"])
    days = [
        within.first + i * DAY
        for i in range((within.last - within.first).days + 1)
        if (within.first + i * DAY).weekday() == wanted
    ]
    number = match.groupdict().get("number")
    if number is None and len(days) != 1:
        raise ValueError(f"{len(days)} days are meant")
    index = -1 if number == "last" else _ORDINALS[number] if number else 0
    if not -len(days) <= index < len(days):
        raise ValueError(f"there is no {number} {match['weekday']}")
    return one_day(days[index])


def _edge_within(match: re.Match[str], clock: _Clock) -> Period:
    """The first or last trading day of a range; of an unfinished one, up to yesterday."""
    within = _within(match, clock)
    if match["edge"] in ("first", "1st", "start"):
        return one_day(trading_day_from(within.first))
    last = within.last + DAY
    return one_day(trading_day_before(min(last, clock.today) if clock.now else last))


def _week_within(match: re.Match[str], clock: _Clock) -> Period:
    """The first week of a month is its first seven days, and so on; the last one its last seven."""
    within = _within(match, clock)
    if match["number"] == "last":
        return Period(within.last - 6 * DAY, within.last)
    first = within.first + 7 * _ORDINALS[match["number"]] * DAY
    return Period(first, min(first + 6 * DAY, within.last))


def _half_within(match: re.Match[str], clock: _Clock) -> Period:
    within = year_of(clock.today.year) if match["within"] is None else _within(match, clock)
    long = (within.last - within.first).days > 31
    middle = date(within.first.year, 6, 30) if long else within.first.replace(day=15)
    first = match["number"] == "h1"
    return Period(within.first, middle) if first else Period(middle + DAY, within.last)


def _quarter_within(match: re.Match[str], clock: _Clock) -> Period:
    number = int(match["number"])
    if match["within"] is None:
        return quarter_of(clock.today.year - (3 * number - 2 > clock.today.month), number)
    return quarter_of(_within(match, clock).first.year, number)


def _month_within(match: re.Match[str], clock: _Clock) -> Period:
    month = _MONTHS.index(match["month"]) + 1
    if match["within"] is not None:
        return month_of(_within(match, clock).first.year, month)
    if match["which"] in ("next", "coming"):
        return month_of(clock.today.year + (month <= clock.today.month), month)
    return month_of(clock.today.year - (month > clock.today.month), month)


def _range(match: re.Match[str], clock: _Clock) -> Period:
    first, last = resolve(match["first"], clock.now), resolve(match["last"], clock.now)
    return Period(_without_edge(first).first, last.last)


def _days_of_month(match: re.Match[str], clock: _Clock) -> Period:
    days = (f"{match['month']} {match[name]}{match['of'] or ''}" for name in ("first", "last"))
    first, last = (resolve(day, clock.now) for day in days)
    return Period(first.first, last.last)


def _within(match: re.Match[str], clock: _Clock) -> Period:
    """The range named after "of": a unit alone is the current one."""
    text = match["within"]
    found = resolve(f"this {text}" if text in _PATTERNS["units"].split("|") else text, clock.now)
    return _without_edge(found)


def _without_edge(period: Period) -> Period:
    """The period; relative days cannot be counted from the first or latest row."""
    if period.edge is not None:
        raise ValueError("the first or latest row is no range of days")
    return period


def _edge_latest(match: re.Match[str], clock: _Clock) -> Period:
    last = date.max if clock.now is None else clock.today
    return Period(date.min, last, edge=Edge.LATEST)


# The readers by their names in `periods.toml`.
_READERS: dict[str, PhraseReader] = {
    "date": lambda match, _: one_day(date_parser.parse(match.group(), default=_ANY_DAY).date()),
    "day_of_year": _day_of_year,
    "year": lambda match, _: year_of(int(match["year"])),
    "year_and_month": lambda match, _: month_of(int(match["year"]), int(match["month"])),
    "days_of_month": _days_of_month,
    "range": _range,
    "since": lambda match, clock: Period(_within(match, clock).first, clock.today),
    "day_of_clock": lambda match, clock: resolve(match["within"], clock.now),
    "relative_day": _relative_day,
    "edge_latest": _edge_latest,
    "edge_first": lambda match, clock: replace(_edge_latest(match, clock), edge=Edge.FIRST),
    "last_day": lambda _, clock: one_day(trading_day_before(clock.today)),
    "next_trading_day": lambda _, clock: one_day(trading_day_from(clock.today + DAY)),
    "ago": _ago,
    "last_count": _last_count,
    "before_last": lambda match, clock: _unit(match, clock, -2),
    "to_date": lambda match, clock: Period(_unit(match, clock, 0).first, clock.today),
    "relative_unit": _relative_unit,
    "weekday": _weekday,
    "weekday_within": _weekday_within,
    "around_week": lambda match, clock: unit_around("week", _within(match, clock).first),
    "edge_within": _edge_within,
    "week_within": _week_within,
    "half_within": _half_within,
    "quarter_within": _quarter_within,
    "month_within": _month_within,
}


def _filled(pattern: str, patterns: Mapping[str, str]) -> str:
    """A pattern with the patterns named in <> inserted."""
    for name, named in patterns.items():
        pattern = re.sub(rf"(?<!P)<{name}>", named.replace("\\", r"\\"), pattern)
    return pattern


_PATTERNS = {"days": "|".join(_WEEKDAYS), "months": "|".join(_MONTHS), "nth": "|".join(_ORDINALS)}
for _name, _pattern in _DATA["patterns"].items():
    _PATTERNS[_name] = _filled(_pattern, _PATTERNS)
_RULES = tuple(
    (re.compile(_filled(pattern, _PATTERNS)), _READERS[reader])
    for reader, pattern in _DATA["rules"]["rows"]
)
