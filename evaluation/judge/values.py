"""Answers that are values, dates or numbers: are all of them given, and no other?"""

import re
from collections.abc import Callable, Sequence
from enum import IntEnum
from itertools import pairwise
from typing import Protocol, TypeVar

from evaluation.judge.doubts import DoubtedValues, doubt_value
from evaluation.judge.normalize import Text
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion

_ASIDE = re.compile(r"\([^()]*\)?")
_RANGE = re.compile(r"\s*(?:-|to|or|through|until|and)\s*[$€£]?")


class Agreement(IntEnum):
    """Whether two values say the same; MAYBE where a careful reader could take either side."""

    NO = 0
    MAYBE = 1
    YES = 2


class StatedValue(Protocol):
    """A date or a quantity that a text states, with its offsets in the folded text."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


V = TypeVar("V", bound=StatedValue)


def new_words(text: Text, values: Sequence[StatedValue], question: JudgedQuestion) -> int:
    """How many words of `text` beside the values are new to the question."""
    count = 0
    for token in text.tokens:
        inside = any(value.start <= token.start < value.end for value in values)
        if not inside and not question.echoes(token.text):
            count += 1
    return count


def weigh(
    gold_values: Sequence[V],
    reply_values: Sequence[V],
    compare: Callable[[V, V], Agreement],
    kind: DoubtedValues,
    question: JudgedQuestion,
    reply: Text,
) -> Judgement:
    """A verdict on the values of a gold answer and those that a reply gives in its place.

    Args:
        compare: of a value of the gold and one of the reply.
    """
    agreements = [max(compare(gold, value) for value in reply_values) for gold in gold_values]
    weakest = min(agreements)
    if weakest is Agreement.NO:
        return wrong(f"lacks one of the {kind}")
    if weakest is Agreement.MAYBE:
        return unscored(f"gives {kind} that are close")
    outer = _outside_parentheses(reply_values, reply)
    for value in outer:
        if all(compare(gold, value) is Agreement.NO for gold in gold_values):
            if _has_range(outer, reply):
                return wrong("gives a range or a choice")
            return unscored(f"gives other {kind} as well")
    for gold in gold_values:
        equal = [value for value in reply_values if compare(gold, value) is Agreement.YES]
        spans = [(value.start, value.end) for value in equal]
        reason = doubt_value(spans, kind, question, reply)
        if reason:
            return unscored(reason)
    return correct(f"gives the {kind}")


def _outside_parentheses(values: Sequence[V], text: Text) -> list[V]:
    """The values that do not stand in parentheses."""
    asides = [match.span() for match in _ASIDE.finditer(text.folded)]
    outer = []
    for value in values:
        if not any(start <= value.start < end for start, end in asides):
            outer.append(value)
    return outer


def _has_range(values: Sequence[StatedValue], text: Text) -> bool:
    """Whether two of the values are given as a range or a choice."""
    spans = sorted({(value.start, value.end) for value in values})
    for first, second in pairwise(spans):
        if _RANGE.fullmatch(text.folded[first[1] : second[0]]):
            return True
    return False
