"""Answers that are a number: whether a reply gives the same."""

import math
import re

from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.normalize import Text, tokenize
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.values import Agreement, new_words, weigh
from models.kg.english.quantities import Quantity, quantities

_NONE = re.compile(
    r"\b(?:no|not any|none|never|zero|nobody|nothing|has not|hasn't|have not|haven't|did not)\b"
)
_IMPLIED = re.compile(r"\b(?:\w+ly|annual|both|few|several)\b")  # "quarterly"
_MOST_LISTED = 20  # so many things may be listed instead of counted
_WORDS_OF_COUNTS = 3  # new words beside a number that a question asks for
# Relative differences up to which two numbers are the same, and up to which they are close.
_CONVERTED = (0.01, 0.03)
_ROUNDED = (0.0, 0.05)
_ROUNDED_TO_THREE_DIGITS = (0.01, 0.05)
_CUT_OFF = (0.0, 0.005)
_HALF = 0.5000001  # of the last significant digit: by so much rounding changes a number


def compare_quantities(gold: Quantity, other: Quantity) -> Agreement:
    """Whether `other` says what `gold` says, allowing for rounding and for other units."""
    gold_value = gold.value
    other_value = other.value
    is_converted = False
    if gold.unit and other.unit and gold.unit != other.unit:
        if gold.kind != other.kind:
            return Agreement.NO
        gold_value *= gold.factor
        other_value *= other.factor
        is_converted = gold.factor != other.factor
    if math.isclose(gold_value, other_value, rel_tol=1e-9, abs_tol=1e-12):
        return Agreement.YES
    if gold_value == 0 or (gold.yearlike and other.yearlike):
        return Agreement.NO
    difference = abs(gold_value - other_value)
    relative = difference / abs(gold_value)
    if is_converted:
        return _agreement(relative, _CONVERTED)
    if gold.step == other.step:
        return Agreement.NO
    coarse = gold if gold.step > other.step else other
    if difference > _HALF * coarse.step:
        return _agreement(relative, _CUT_OFF)
    return _agreement(relative, _ROUNDED_TO_THREE_DIGITS if coarse.digits >= 3 else _ROUNDED)


def _agreement(relative: float, bounds: tuple[float, float]) -> Agreement:
    """The agreement of two numbers by their relative difference."""
    same, close = bounds
    if relative <= same:
        return Agreement.YES
    return Agreement.MAYBE if relative <= close else Agreement.NO


def judge_number(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` is a number, or holds one that the question asks for, else None."""
    wanted = _wanted_quantities(tokenize(gold), question)
    if not wanted:
        return None
    every_is_known = all(_in_question(quantity, question) for quantity in wanted)
    candidates = _candidate_quantities(wanted, question, reply, with_known=every_is_known)
    gives_no_amount = not any(candidate.value for candidate in candidates)
    if wanted[0].value == 0 and gives_no_amount and _NONE.search(reply.folded):
        return correct("says that there is none")
    if not candidates:
        may_be_listed = wanted[0].value <= _MOST_LISTED and not reply.short
        if may_be_listed or _IMPLIED.search(reply.folded):
            return unscored("gives no number, but may imply one")
        return wrong("gives no number")
    if len(wanted) > 1:
        wanted_values = [quantity.value for quantity in wanted]
        if wanted_values[::-1] == [candidate.value for candidate in candidates]:
            return unscored("gives the numbers in the other order")
    if all(_has_unrequested_unit(candidate, wanted[0], question) for candidate in candidates):
        return unscored("gives the number in a unit that nobody asked for")
    return weigh(wanted, candidates, compare_quantities, "numbers", question, reply)


def _wanted_quantities(gold: Text, question: JudgedQuestion) -> list[Quantity]:
    """The numbers of a gold answer that a reply must give; none if it is no number."""
    every = quantities(gold.folded)
    allowed_words = _WORDS_OF_COUNTS if question.counts else 0
    is_pure = new_words(gold, every, question) <= allowed_words
    if not every or not (is_pure or question.counts):
        return []
    new = [quantity for quantity in every if not _in_question(quantity, question)]
    if not new and not is_pure:
        return []
    wanted = new or list(every)
    if new_words(gold, wanted, question) <= 1 and not any(q.yearlike for q in wanted):
        return wanted
    without_years = [quantity for quantity in wanted if not quantity.yearlike]
    return (without_years or wanted)[:1]


def _in_question(quantity: Quantity, question: JudgedQuestion) -> bool:
    """Whether the number stands in the question."""
    in_question = quantities(question.text.folded)
    return any(abs(quantity.value - other.value) < 1e-9 for other in in_question)


def _candidate_quantities(
    wanted: list[Quantity], question: JudgedQuestion, reply: Text, *, with_known: bool
) -> list[Quantity]:
    """The numbers of a reply that may answer: none of the question, years only for a year.

    Args:
        with_known: the question's own numbers may answer as well.
    """
    candidates = [
        quantity
        for quantity in quantities(reply.folded)
        if with_known or not _in_question(quantity, question)
    ]
    if any(quantity.yearlike for quantity in wanted):
        return candidates
    return [quantity for quantity in candidates if not quantity.yearlike] or candidates


def _has_unrequested_unit(candidate: Quantity, wanted: Quantity, question: JudgedQuestion) -> bool:
    """Whether a number has a unit that neither the gold nor the question names."""
    if wanted.unit or candidate.kind is None:
        return False
    hints = judge_lexicon().hints.get(candidate.kind)
    return hints is not None and not any(question.asks(word) for word in hints.split())
