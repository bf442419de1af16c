"""Answers that are a date: whether a reply gives the same."""

from dataclasses import replace

from evaluation.judge.normalize import Text, tokenize
from evaluation.judge.protocol import Judgement, wrong
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.values import Agreement, new_words, weigh
from models.kg.english.dates import Date, dates


def compare_dates(gold: Date, other: Date) -> Agreement:
    """NO where a part differs; MAYBE where `other` leaves open what `gold` says; else YES."""
    if not (
        _same_year(gold.year, other.year)
        and _same_or_open(gold.month, other.month)
        and _same_or_open(gold.day, other.day)
    ):
        return Agreement.NO
    # A day without its year is how people answer; a year without its day says less.
    lacks_day = gold.day is not None and other.day is None
    lacks_month = gold.month is not None and other.month is None
    return Agreement.MAYBE if lacks_day or lacks_month else Agreement.YES


def _same_year(gold: int | None, other: int | None) -> bool:
    """Whether two years are the same, or one is open; one below 100 has no century."""
    if gold is None or other is None:
        return True
    if min(gold, other) >= 100:
        return gold == other
    return gold % 100 == other % 100


def _same_or_open(gold: int | None, other: int | None) -> bool:
    return gold is None or other is None or gold == other


def judge_date(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` is a date, or holds one that the question asks for, else None."""
    text = tokenize(gold)
    question_dates = dates(question.text.folded)
    gold_dates = dates(text.folded)
    wanted = _new_dates(gold_dates, question_dates) or list(gold_dates)
    if not wanted:
        return None
    allowed_words = 2 * len(wanted) if question.dated else 0
    if new_words(text, wanted, question) > allowed_words:
        return None
    if not question.dated and not any(date.month for date in wanted):
        return None
    if question.yearly and all(date.year for date in wanted):
        wanted = [replace(date, month=None, day=None) for date in wanted]
    reply_dates = dates(reply.folded)
    new = _new_dates(reply_dates, question_dates)
    more_than_years = [date for date in new if date.month is not None]
    candidates = more_than_years or new or list(reply_dates)
    if not candidates:
        return wrong("gives no date")
    return weigh(wanted, candidates, compare_dates, "dates", question, reply)


def _new_dates(dates_of_text: tuple[Date, ...], question_dates: tuple[Date, ...]) -> list[Date]:
    """The dates that say something that the question's dates do not say."""
    return [date for date in dates_of_text if not _is_known(date, question_dates)]


def _is_known(date: Date, others: tuple[Date, ...]) -> bool:
    """Whether `date` says nothing that is not in `others`."""
    return any(compare_dates(date, other) is Agreement.YES for other in others)
