"""Answers that are a number."""

import re

from evaluation.judge.normalize import Text, read, table
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.quantities import Quantity, compare, quantities
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.values import new_words, weigh

_NONE = re.compile(
    r"\b(?:no|not any|none|never|zero|nobody|nothing|has not|hasn't|have not|haven't|did not)\b"
)
_IMPLIED = re.compile(r"\b(?:\w+ly|annual|both|few|several)\b")  # "quarterly"


def judge_number(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` is a number, or holds one that the question asks for, else None."""
    text = read(gold)
    every = quantities(text.folded)
    pure = new_words(text, every, question) <= (3 if question.counts else 0)
    if not every or not (pure or question.counts):
        return None
    new = [quantity for quantity in every if not _asked(quantity, question)]
    if not new and not pure:
        return None
    wanted = new or list(every)
    if new_words(text, wanted, question) > 1 or any(q.yearlike for q in wanted):
        wanted = ([q for q in wanted if not q.yearlike] or wanted)[:1]
    said = _said(wanted, not new, question, reply)
    if wanted[0].value == 0 and not any(q.value for q in said) and _NONE.search(reply.folded):
        return correct("says that there is none")
    if not said:
        listed = wanted[0].value <= 20 and not reply.short
        if listed or _IMPLIED.search(reply.folded):
            return unscored("gives no number, but may imply one")
        return wrong("gives no number")
    if len(wanted) > 1 and [q.value for q in said] == [q.value for q in reversed(wanted)]:
        return unscored("gives the numbers in the other order")
    if all(_unit_is_other(wanted[0], q, question) for q in said):
        return unscored("gives the number in a unit that nobody asked for")
    return weigh(wanted, said, compare, "numbers", question, reply)


def _asked(quantity: Quantity, question: JudgedQuestion) -> bool:
    """Whether the number stands in the question."""
    return any(abs(quantity.value - q.value) < 1e-9 for q in quantities(question.text.folded))


def _said(
    wanted: list[Quantity], echo: bool, question: JudgedQuestion, text: Text
) -> list[Quantity]:
    """The numbers of a reply that may answer: none of the question, years only for a year."""
    found = [q for q in quantities(text.folded) if echo or not _asked(q, question)]
    years = any(q.yearlike for q in wanted)
    return [q for q in found if not q.yearlike or years] or found


def _unit_is_other(wanted: Quantity, said: Quantity, question: JudgedQuestion) -> bool:
    """Whether a number has a unit that neither the gold nor the question names."""
    hints = table()["hints"].get(said.kind)
    return not wanted.unit and hints is not None and not any(map(question.asks, hints.split()))
