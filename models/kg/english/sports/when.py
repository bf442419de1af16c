"""When the game was, or will be, that a question asks about."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from models.kg.linking.question import Asked, Span
from models.kg.periods import PeriodError, resolve

DAY = timedelta(days=1)
LAST, NEXT = "last", "next"


@dataclass(frozen=True, slots=True)
class When:
    """The last or next game (`near`), or the periods in which it may have been, likeliest first:
    only the last of them is what the phrase means to everybody. `told`: the question says so;
    `long`: the period is one in which a team plays many games."""

    spans: tuple[Span, ...]
    near: str | None = None
    periods: tuple[str, ...] = ()
    told: bool = True
    long: bool = False


def span_of(asked: Asked, match: re.Match[str]) -> Span:
    """The words that a match over `asked.plain` covers."""
    first = asked.plain[: match.start()].count(" ")
    return Span(first, first + match.group().count(" ") + 1)


def _days(*back: int) -> Callable[[re.Match[str], date], tuple[str, ...]]:
    return lambda match, today: tuple((today - DAY * days).isoformat() for days in back)


def _range(first: date, days: int) -> str:
    return f"{first.isoformat()} to {(first + (days - 1) * DAY).isoformat()}"


def _week(match: re.Match[str], today: date) -> tuple[str, ...]:
    """Weeks begin on Sunday in the US and on Monday elsewhere."""
    weeks = 0 if match["which"] in ("this", "current") else 1
    sunday = today - (today.isoweekday() % 7) * DAY - 7 * weeks * DAY
    monday = today - today.weekday() * DAY - 7 * weeks * DAY
    return _range(sunday, 7), _range(monday, 7)


def _weeks_ago(match: re.Match[str], today: date) -> tuple[str, ...]:
    monday = today - today.weekday() * DAY - 14 * DAY
    return _range(monday - DAY, 7), _range(monday, 7)


def _past_days(match: re.Match[str], today: date) -> tuple[str, ...]:
    days = int(_COUNTS.get(match["count"], match["count"]))
    return (_range(today - days * DAY, days),)


def _days_ago(match: re.Match[str], today: date) -> tuple[str, ...]:
    days = int(_COUNTS.get(match["count"], match["count"]))
    return ((today - days * DAY).isoformat(),)


def _weekend(match: re.Match[str], today: date) -> tuple[str, ...]:
    """Saturday and Sunday; leagues begin their weekend on Friday."""
    saturday = today + (5 - today.weekday()) * DAY
    if match["which"] not in ("this", "current", "coming"):
        saturday -= 7 * DAY
    if match["which"] == "coming" and saturday < today:
        saturday += 7 * DAY
    return _range(saturday, 2), _range(saturday - DAY, 4)


def _resolved(match: re.Match[str], today: date) -> tuple[str, ...]:
    """A day of a month, as the language knows it; a day's name before it says nothing more."""
    phrase = re.sub(rf"^{_DAYS} |\bthe ", "", match.group())
    day = re.fullmatch(rf"(\d\d?)(?:st|nd|rd|th)? (?:of )?({_MONTH})", phrase)
    try:
        period = resolve(
            f"{day[2]} {day[1]}" if day else phrase, datetime.combine(today, datetime.min.time())
        )
    except PeriodError:
        return ()
    return (period.first.isoformat(),) if period.first == period.last else ()


def _numbers(match: re.Match[str], today: date) -> tuple[str, ...]:
    year = int(match["year"])
    try:
        day = date(year + (2000 if year < 100 else 0), int(match["month"]), int(match["day"]))
    except ValueError:
        return ()
    return (day.isoformat(),)


def _weekday(match: re.Match[str], today: date) -> tuple[str, ...]:
    """ "Last friday" is last week's or the one before today; the latter is one word's, too."""
    at = datetime.combine(today, datetime.min.time())
    day = match["weekday"]
    which = match["which"] or ""
    nearest = resolve(day, at).first
    if which in ("this", "coming", "next", "upcoming"):
        return ((nearest + 7 * DAY).isoformat(),)
    if which in ("last", "previous", "past"):
        week = resolve(f"last {day}", at).first
        return tuple(dict.fromkeys((nearest.isoformat(), week.isoformat())))
    return (nearest.isoformat(),)


_COUNTS = {
    word: str(number)
    for number, word in enumerate("a two three four five six seven eight nine ten".split(), 1)
} | {"one": "1"}
_COUNT = rf"(?P<count>{'|'.join(_COUNTS)}|\d{{1,2}})"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAYS = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_WEEKDAY = r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_PAST = r"last|previous|past|prior|preceding"
_NOW = (
    r"(?:(?:going|happening|taking place|being played|in progress|live|ongoing)\s+)*"
    r"(?:on\s+)?(?:at\s+(?:this|the)\s+(?:very\s+)?(?:moment|minute|time|second)|at present"
    r"|right now|just now|now|currently|presently|as we speak|today|tonight"
    r"|this (?:evening|afternoon|morning)|live|ongoing|in progress|underway)"
)
# The first that matches is taken: the longer phrases come first.
_PHRASES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], tuple[str, ...]]], ...] = (
    tuple(
        (re.compile(rf"\b(?:{pattern})\b"), read)
        for pattern, read in (
            (rf"(?:{_DAYS} )?(?P<year>\d{{4}}) (?P<month>\d\d?) (?P<day>\d\d?)", _numbers),
            (r"(?P<month>\d\d?) (?P<day>\d\d?) (?P<year>\d{4}|\d\d)", _numbers),
            (rf"(?:{_DAYS} )?{_MONTH} \d\d?(?:st|nd|rd|th)?(?: \d{{4}})?", _resolved),
            (
                rf"(?:{_DAYS} )?(?:the )?\d\d?(?:st|nd|rd|th)? (?:of )?{_MONTH}(?: \d{{4}})?",
                _resolved,
            ),
            (r"(?:the )?day before yesterday", _days(2)),
            (rf"{_COUNT} (?:days?|nights?) ago", _days_ago),
            (rf"(?:last|past|previous) {_COUNT} days", _past_days),
            (r"(?:two|2) weeks ago|week before last", _weeks_ago),
            (r"(?:a|one|1) week ago", _days(7)),
            (r"yesterday(?: (?:evening|night|afternoon|morning))?|last night", _days(1)),
            (
                rf"(?:(?P<which>{_PAST}|this|coming|next|upcoming)(?: week)? )?{_WEEKDAY}",
                _weekday,
            ),
            (rf"(?P<which>{_PAST}|this|current) week(?! ?end)|week (?P<week>before|prior)", _week),
            (rf"(?P<which>{_PAST}|this|current|coming)(?: week)? ?weekend", _weekend),
            (r"tomorrow(?: (?:evening|night|afternoon|morning))?", _days(-1)),
            (_NOW, _days(0)),
        )
    )
)
_DATED = _PHRASES[:-1]  # all but "now", which is said beside others
# Longer times, in which a team plays many games, and orders of games: not read.
_OTHER_TIMES = re.compile(
    r"\b(?:(?:last|this|previous|past|next|current|coming) (?:month|year|season|decade|century"
    r"|quarter|summer|winter|spring|fall|autumn|few|couple|several|two|three|four|five|ten|\d+)"
    r"|season|seasons|years?|months?|decades?|all time|ever|career|history|since|until|before"
    r"|after|between \d+|earlier|later|ago)\b"
)
# A month or a year: "2022-12", "december of 2022", "the 2022 season".
_YEAR = r"(?:19|20)\d\d"
_LONG = re.compile(
    rf"\b(?:(?:the )?(?:calendar )?(?:year|season|month)(?: of)? )?(?:(?P<year>{_YEAR}) "
    rf"(?P<number>0[1-9]|1[0-2])|(?P<month>{_MONTH}) (?:of )?(?:the year )?(?P<year2>{_YEAR})"
    rf"|(?P<year3>{_YEAR})(?! \d))(?: (?:regular )?(?:season|calendar year))?\b"
)
# What says no more than the month or year beside it.
_PLAIN_SEASON = re.compile(
    r"\b(?:season|from the (?:beginning|start) of|to (?:its|it|the) (?:end|finish)|end|month"
    r"|year)\b"
)
_A_GAME = r"games?|match(?:es)?|fixtures?|appearance|outing|clash"
_LAST_WORDS = (
    r"(?:most )?recent(?:ly)?|latest|last|previous|prior|preceding"
    rf"|(?:past|final|closing|concluding)(?= (?:\w+ ){{0,3}}?(?:{_A_GAME}))"
)
_NEXT_WORDS = r"next|upcoming|forthcoming|how soon"
_NEXT_WORDS += r"|back (?:in action|on the (?:pitch|field|court))"
_NEXT_WORDS += r"|(?:in action|play|field|pitch|feature) again"
_NEXT_WORDS += rf"|(?:coming|following)(?= (?:\w+ ){{0,3}}?(?:{_A_GAME}))"
_LAST = re.compile(rf"\b(?:{_LAST_WORDS})\b")
_NEXT = re.compile(rf"\b(?:{_NEXT_WORDS})\b")
_WILL = re.compile(r"\b(?:will|going to|scheduled|set to|due to|slated|when (?:do|does|is|are))\b")


def _many_games(asked: Asked, today: date) -> When | None:
    """The month or year that the question names."""
    match = _LONG.search(asked.plain)
    if match is None:
        return None
    year = int(match["year"] or match["year2"] or match["year3"])
    month = int(match["number"] or 0)
    if match["month"]:
        month = datetime.strptime(match["month"][:3], "%b").month
    span = span_of(asked, match)
    rest = asked.without([span]).plain
    if (year, month) > (today.year, today.month) or _OTHER_TIMES.search(
        _PLAIN_SEASON.sub("", rest)
    ):
        return None
    return When((span,), None, (f"{year}-{month:02}" if month else str(year),), long=True)


def find_when(asked: Asked) -> When | None:
    """None where the question names no time, or one that is not understood."""
    if asked.at is None:
        return None
    today = asked.at.date()
    for pattern, read in _PHRASES:
        match = pattern.search(asked.plain)
        periods = read(match, today) if match else ()
        if match and periods:
            span = span_of(asked, match)
            rest = asked.without([span]).plain
            if _OTHER_TIMES.search(rest) or any(other.search(rest) for other, _ in _DATED):
                return None
            return When((span,), None, periods)
    if many := _many_games(asked, today):
        return many
    if _OTHER_TIMES.search(asked.plain):
        return None
    last, coming = _LAST.search(asked.plain), _NEXT.search(asked.plain)
    if last and not coming:
        return When((span_of(asked, last),), LAST)
    if coming and not last:
        return When((span_of(asked, coming),), NEXT)
    if last and coming:
        return None
    # without a time, a game that was is the last one, a game that will be the next
    return When((), NEXT if _WILL.search(asked.plain) else LAST, told=False)
