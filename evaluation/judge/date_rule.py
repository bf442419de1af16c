"""Answers that are a date."""

import re

from evaluation.judge.dates import Date, compare, dates
from evaluation.judge.normalize import Text, read
from evaluation.judge.numbers import Match
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import Question
from evaluation.judge.reply import Reply
from evaluation.judge.topic import new_words, off_topic
from evaluation.judge.value_doubts import date_doubt

_RANGE = re.compile(r"^\s*(?:-|to|or|through|and)\s*$")


def judge_date(gold: str, question: Question, reply: Reply) -> Judgement | None:
    """A verdict where `gold` is a date, or holds one that the question asks for, else None."""
    text = read(gold)
    wanted = [date for date in dates(text.folded) if not _known(date, question.dates)]
    if not wanted:
        wanted = list(dates(text.folded)) if _is_date(text, dates(text.folded)) else []
    spans = [(date.start, date.end) for date in wanted]
    if not wanted or _ranged(text, spans):
        return None
    pure = new_words(text, spans, question) <= (2 * len(wanted) if question.dated else 0)
    if not question.dated and not (pure and any(date.month for date in wanted)):
        return None
    if not pure and question.plural:
        return None
    finest = max(wanted, key=lambda date: sum(part is not None for part in date.key))
    if not question.plural and not _is_date(text, tuple(wanted)):
        wanted = [finest]
    if question.yearly and all(date.year for date in wanted):
        wanted = [date.of_year() for date in wanted]
    said = _said_dates(wanted, question, reply)
    if not said:
        return wrong("gives no date") if reply.short else unscored("gives no date")
    return _weigh_dates(gold, wanted, said, question, reply)


def _is_date(text: Text, found: tuple[Date, ...]) -> bool:
    return bool(found) and all(
        any(date.start <= token.start < date.end for date in found) for token in text.tokens
    )


def _known(date: Date, others: tuple[Date, ...]) -> bool:
    """Whether `date` says nothing that is not in `others`."""
    return any(compare(date, other) is Match.YES for other in others)


def _ranged(text: Text, spans: list[tuple[int, int]]) -> bool:
    spans = sorted(set(spans))
    return any(
        bool(re.match(r"\s*(?:-|to|through|until)\s*$", text.folded[a[1] : b[0]]))
        for a, b in zip(spans, spans[1:], strict=False)
    )


def _said_dates(wanted: list[Date], question: Question, reply: Reply) -> list[Date]:
    """The dates of the reply that are answers: not the question's, outside parentheses first."""
    everything = [dates(reply.outer.folded), dates(reply.text.folded)]
    for found in everything:
        new = [date for date in found if not _known(date, question.dates)]
        fine = [date for date in new if date.month is not None]
        if new and (fine or any(date.month is None for date in wanted)):
            return fine or new
        if new:
            return new
    if any(_known(date, question.dates) for date in wanted):
        return [date for found in everything for date in found]
    return []


def _weigh_dates(
    gold: str, wanted: list[Date], said: list[Date], question: Question, reply: Reply
) -> Judgement:
    best = [max((_rank(date, other) for other in said), default=0) for date in wanted]
    if min(best) == 0:
        return wrong("gives another date" if len(wanted) == 1 else "lacks a date")
    if min(best) == 1:
        return unscored("gives the date less finely")
    if all(_known(date, question.dates) for date in wanted) and not reply.short:
        return unscored("the date may be an echo of the question")
    extra = [date for date in said if all(_rank(gold_date, date) == 0 for gold_date in wanted)]
    if extra:
        if len(wanted) > 1 or _between(reply.outer, said):
            return wrong("gives another date as well")
        if compare(wanted[0], said[0]) is not Match.YES or len(extra) > 2:
            return unscored("gives several dates")
    if off_topic(gold, question, reply):
        return unscored("the date is about something else")
    why = next(filter(None, (_doubt(date, question, reply) for date in wanted)), "")
    return unscored(why) if why else correct("gives the date")


def _doubt(wanted: Date, question: Question, reply: Reply) -> str:
    """Why no mention of the date may answer, or ""."""
    text = reply.text
    reasons = [
        date_doubt(date.start, date.end, question, reply, text)
        for date in dates(text.folded)
        if compare(wanted, date) is Match.YES
    ]
    return "" if "" in reasons or not reasons else reasons[0]


def _rank(gold: Date, said: Date) -> int:
    return {Match.YES: 2, Match.MAYBE: 1, Match.NO: 0}[compare(gold, said)]


def _between(text: Text, said: list[Date]) -> bool:
    """Whether the dates are given as a range or a choice."""
    spans = sorted({(date.start, date.end) for date in said})
    return any(
        bool(_RANGE.match(text.folded[a[1] : b[0]])) for a, b in zip(spans, spans[1:], strict=False)
    )
