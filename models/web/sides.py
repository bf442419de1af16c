"""Comparisons: each of the things that a question names has its best passages among the first.

"Which is longer, Titanic or Dunkirk?" has passages about Titanic alone, if its page says more.
"""

import re
from collections.abc import Mapping, Sequence

from models.records import Passage
from models.web.page import PageText
from utils.text import content_words, stem, words

_PASSAGES = 4  # of each side, that come first
_MAX_CHARS = 300  # of a question that compares
_MAX_WORDS = 10  # of a side
_QUOTED = re.compile(r"[\"“]([^\"“”]{2,80})[\"”]")
_SIDES = (
    re.compile(r"\bbetween (?P<first>.{2,80}?),? (?:and|or) (?P<second>.{2,80}?)\W*$"),
    re.compile(r"\b(?P<first>in .{2,60}?),? (?:and|or|than) (?P<second>in .{2,60}?)\W*$"),
    re.compile(r"^(?P<first>[^,?]{2,60}?) (?:versus|vs\.?) (?P<second>[^,:?]{2,60}?)[,:]"),
    re.compile(
        r"(?:[,:]|\b(?:is|are|was|were|has|had|have|did|does|do|than|of|by|for)) *"
        r"(?P<first>[^,:?]{2,80}?),? (?:or|versus|vs\.?|than) (?P<second>[^,?]{2,80}?)\W*$"
    ),
)
# What follows the second name; a title that is cut here still has a word of its own.
_BEHIND = re.compile(r" (?:in|on|at|during|have|has|had|win|with|for|by|that|which|who)\b")


def sides_of(question: str) -> tuple[str, ...]:
    """The things that a question compares; none if it compares nothing that is seen.

    >>> sides_of("which is longer, titanic or dunkirk?")
    ('titanic', 'dunkirk')
    >>> sides_of("which is longest, the nile, the amazon or the congo?")
    ('the nile', 'the amazon', 'the congo')
    >>> sides_of('who wrote more of "Low Tide" and "High Tide"?')
    ('Low Tide', 'High Tide')
    >>> sides_of("who directed titanic?")
    ()
    """
    text = question[:_MAX_CHARS].strip()
    quoted = tuple(dict.fromkeys(_QUOTED.findall(text)))
    if len(quoted) > 1:
        return quoted
    lower = text.lower()
    for pattern in _SIDES:
        match = pattern.search(lower)
        if match:
            first, second = (text[slice(*match.span(name))] for name in ("first", "second"))
            others = _others_before(text[: match.start("first")])
            sides = (*others, first.strip(), _BEHIND.split(second.strip(), maxsplit=1)[0])
            if all(0 < len(side.split()) <= _MAX_WORDS for side in sides):
                return sides
    return ()


def _others_before(text: str) -> list[str]:
    """The sides that stand before the last two: that between the commas of "which is longest, the
    Nile, ", for "the Amazon or the Congo?"."""
    others: list[str] = []
    before, comma, _ = text.rstrip().rpartition(",")
    while comma:
        before, comma, side = before.rpartition(",")
        if comma:
            others.insert(0, side.strip())
    return others


def with_both_sides(
    question: str, passages: Sequence[Passage], texts: Mapping[int, PageText]
) -> list[Passage]:
    """The passages, best first, but the best of each side that the question compares before them,
    in turn; as they are if it compares nothing."""
    sides = [_stems(side) for side in sides_of(question)]
    if not all(sides) or len(sides) < 2:
        return list(passages)
    of_sides: list[list[int]] = [[] for _ in sides]
    for number, passage in enumerate(passages):
        present = _stems(f"{texts[passage.page].title} {passage.text}")
        for of_side, side in zip(of_sides, sides, strict=True):
            if side <= present and len(of_side) < _PASSAGES:
                of_side.append(number)
    first: dict[int, None] = {}
    for rank in range(_PASSAGES):
        first.update(dict.fromkeys(of_side[rank] for of_side in of_sides if rank < len(of_side)))
    order = [*first, *(number for number in range(len(passages)) if number not in first)]
    return [passages[number] for number in order]


def _stems(text: str) -> set[str]:
    return {stem(word) for word in content_words(text) or words(text)}
