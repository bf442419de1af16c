"""Answers that are values, dates or numbers: are all of them given, and no other?"""

import re
from collections.abc import Callable, Sequence
from enum import IntEnum
from itertools import pairwise
from typing import Protocol, TypeVar

from evaluation.judge.doubts import doubt_value
from evaluation.judge.normalize import Text
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion

_ASIDE = re.compile(r"\([^()]*\)?")
_RANGE = re.compile(r"\s*(?:-|to|or|through|until|and)\s*[$€£]?")


class Agreement(IntEnum):
    """Do two values say the same? MAYBE where a careful reader could take either side."""

    NO = 0
    MAYBE = 1
    YES = 2


class PlacedValue(Protocol):
    """A date or a quantity, with its offsets in folded text."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


V = TypeVar("V", bound=PlacedValue)


def new_words(text: Text, values: Sequence[PlacedValue], question: JudgedQuestion) -> int:
    """How many words of `text` beside the values are new to the question."""
    return sum(
        not any(value.start <= token.start < value.end for value in values)
        and not question.echoes(token.text)
        for token in text.tokens
    )


def _ranged(text: Text, values: Sequence[PlacedValue]) -> bool:
    """Whether two of the values are given as a range or a choice."""
    spans = sorted({(value.start, value.end) for value in values})
    return any(_RANGE.fullmatch(text.folded[a[1] : b[0]]) for a, b in pairwise(spans))


def weigh(
    wanted: Sequence[V],
    said: Sequence[V],
    compare: Callable[[V, V], Agreement],
    kind: str,
    question: JudgedQuestion,
    reply: Text,
) -> Judgement:
    """A verdict on the values of a gold answer and those that a reply gives in its place.

    Args:
        compare: of a wanted value and a given one.
        kind: the row of the table of bounds: "dates" or "numbers".
    """
    best = min(max(compare(one, other) for other in said) for one in wanted)
    if best is Agreement.NO:
        return wrong(f"lacks one of the {kind}")
    if best is Agreement.MAYBE:
        return unscored(f"gives {kind} that are close")
    asides = [found.span() for found in _ASIDE.finditer(reply.folded)]
    outer = [o for o in said if not any(a <= o.start < b for a, b in asides)]
    extra = any(all(compare(w, o) is Agreement.NO for w in wanted) for o in outer)
    if extra and _ranged(reply, outer):
        return wrong("gives a range or a choice")
    if extra:
        return unscored(f"gives other {kind} as well")
    for one in wanted:
        spans = [(o.start, o.end) for o in said if compare(one, o) is Agreement.YES]
        why = doubt_value(spans, kind, question, reply)
        if why:
            return unscored(why)
    return correct(f"gives the {kind}")
