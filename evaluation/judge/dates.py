"""Answers that are a date: a day, a month or a year."""

import re
from dataclasses import dataclass, replace

from evaluation.judge.answer_type import AnswerType, Unread
from evaluation.judge.doubts import doubt_value, sentence_at
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.text import Text
from models.english.dates import Date, dates

Dates = tuple[Date, ...]


@dataclass(frozen=True, slots=True)
class Stated:
    """The dates that a text states; `is_span`: the first and the last year of a span."""

    dates: Dates
    is_span: bool = False


# A part of a year or month, which a date alone does not say.
_PART = re.compile(
    r"\bq[1-4]\b|\bh[12]\b|\b(?:spring|summer|autumn|fall|winter|early|late|mid|beginning|end"
    r"|half|quarter|fiscal|fy)\b"
)
_SPAN = re.compile(r"\b\d\d\d\d ?(?:-|to|until|through) ?\d\d\d\d\b")


def read_gold(gold: Text, question: JudgedQuestion) -> Stated | None:
    """The dates that a gold answer states: it is nothing else, or the question asks for one."""
    if _PART.search(gold.folded):
        return None
    every = dates(gold.folded)
    new = _new_dates(every, question) or list(every)
    if not new:
        return None
    inside = sum(
        any(date.start <= token.start < date.end for date in new) or question.echoes(token.text)
        for token in gold.tokens
    )
    is_bare = inside >= len(gold.tokens) - (2 if question.dated else 0)
    if not is_bare and not (question.dated and len(new) == 1):
        return None
    if not question.dated and not any(date.month for date in new):
        return None
    return Stated(_as_asked(new, question), _is_span(gold))


def _is_span(text: Text) -> bool:
    return _SPAN.search(text.folded) is not None


def _as_asked(stated: list[Date], question: JudgedQuestion) -> Dates:
    """The dates, or their years where the question asks for a year; without repetitions."""
    if question.yearly and all(date.year for date in stated):
        stated = [replace(date, month=None, day=None) for date in stated]
    unique: list[Date] = []
    for date in stated:
        if not any(_parts_of_date(date) == _parts_of_date(other) for other in unique):
            unique.append(date)
    return tuple(unique)


def _parts_of_date(date: Date) -> tuple[int | None, int | None, int | None]:
    return date.year, date.month, date.day


def read_reply(reply: Text, question: JudgedQuestion, gold: Stated) -> Stated | Unread:
    """The dates of the first sentence of a reply that has any as precise as the gold's."""
    if _is_span(reply) != gold.is_span:
        return Unread("gives no span of years" if gold.is_span else "gives a span of years")
    candidates = [
        date for date in _new_dates(dates(reply.folded), question) if _answers(date, reply)
    ]
    if any(date.month for date in gold.dates):
        candidates = [date for date in candidates if date.month] or candidates
    if not candidates:
        return Unread("gives no date")
    first, last = sentence_at(candidates[0].start, reply)
    inside = [date for date in candidates if first <= date.start < last]
    stated = _as_asked(inside, question)
    if len(stated) > len(gold.dates):
        return Unread("gives several dates")
    for date in stated:
        reason = doubt_value((date.start, date.end), question, reply)
        if reason:
            return Unread(reason)
    return Stated(stated, gold.is_span)


def _answers(date: Date, reply: Text) -> bool:
    """Whether a date does not only say when the reply was true."""
    return not reply.folded[: date.start].endswith(("as of ", "as of the "))


def _new_dates(every: Dates, question: JudgedQuestion) -> list[Date]:
    """The dates that say something that the question's dates do not say."""
    known = dates(question.text.folded)
    return [date for date in every if not any(_says_no_more(date, other) for other in known)]


def _says_no_more(date: Date, other: Date) -> bool:
    pairs = zip(_parts_of_date(date), _parts_of_date(other), strict=True)
    return all(part is None or part == known for part, known in pairs)


def equal(gold: Stated, reply: Stated) -> bool:
    """Whether the reply gives every part of each date; a day may come without its year."""
    if len(gold.dates) != len(reply.dates):
        return False
    return all(any(_has_parts(date, other) for other in reply.dates) for date in gold.dates)


def _has_parts(gold: Date, other: Date) -> bool:
    lacks_day = gold.day is not None and other.day is None
    lacks_month = gold.month is not None and other.month is None
    return not (lacks_day or lacks_month or _differ(gold, other))


def contradicts(gold: Stated, reply: Stated) -> bool:
    """Whether a date of the gold is surely none of the reply's."""
    return any(
        all(_differ(date, other) and not _are_swapped(date, other) for other in reply.dates)
        for date in gold.dates
    )


def _are_swapped(date: Date, other: Date) -> bool:
    """Whether the day of each is the month of the other: "05/06/2010" may be either."""
    return date.day is not None and (date.day, date.month) == (other.month, other.day)


def _differ(gold: Date, other: Date) -> bool:
    """Whether two dates have different days, months or years; a year may lack its century."""
    if gold.year and other.year:
        modulus = 100 if min(gold.year, other.year) < 100 else 10_000
        if gold.year % modulus != other.year % modulus:
            return True
    same_month = gold.month is None or other.month is None or gold.month == other.month
    same_day = gold.day is None or other.day is None or gold.day == other.day
    return not (same_month and same_day)


DATE = AnswerType(
    "date", read_gold, read_reply, equal, contradicts, close="is less precise, or of two readings"
)
