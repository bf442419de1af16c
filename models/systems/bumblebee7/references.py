"""Extracts the references that an answer cites and checks that they exist (bumblebee7, §4.2)."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain

# Patterns expect single spaces as the only white space, so that no two parts of a pattern can match
# the same run of it.
_NUMBER = r"\d{1,4}(?!\d)"
_LIST = rf"{_NUMBER}(?: ?(?:[,;&\u2013-]|and|to) ?{_NUMBER})*"
_ONE = "(?:reference|ref|source|document|passage)"
_MANY = f"{_ONE}s"
# [1], [1][4], [1, 4], [2-4], [ref 1]; reference 1; sources 1, 2 and 4. A page's footnote marks look
# the same, so only answers are parsed.
_MARK = re.compile(
    rf"(?:\b{_ONE}s?\b ?:? ?)?\[ ?(?:{_ONE}s?\b\W{{0,3}})?{_LIST} ?\]"
    rf"|\b{_MANY}\b\W{{0,3}}{_LIST}|\b{_ONE}\b\W{{0,3}}{_NUMBER}",
    re.I,
)
_NUMBERS = re.compile(r"(\d+)(?: ?(?:[\u2013-]|to) ?(\d+))?", re.I)
_WIDEST = 100  # of a range; prompts never have more references
_JOINED = ("", "and", "&")  # between two marks of one list
_LEAD = re.compile(
    r"(?:\b(?:according to|based on|as stated in|supported by|see|from))?(?: ?\bthe)?$", re.I
)
_LEAD_CHARS = 40  # longer than the longest introduction
_LOOSE = " ,;("


@dataclass(frozen=True, slots=True)
class Cited:
    """The references of an answer.

    Attributes:
        answer: the answer without its references.
        known: the cited references that were shown, each once, in the answer's order.
        unknown: the cited references that were not shown.
    """

    answer: str
    known: tuple[int, ...]
    unknown: tuple[int, ...]

    @property
    def supported(self) -> bool:
        """Whether it cites at least one reference, and none that does not exist."""
        return bool(self.known) and not self.unknown


def read_references(text: str, shown: Collection[int]) -> Cited:
    """The references in `text`, checked against the numbers that were shown."""
    text = " ".join(text.split())
    marks = list(_MARK.finditer(text))
    ranges = [
        _range(int(first), int(last or first))
        for mark in marks
        for first, last in _NUMBERS.findall(mark[0])
    ]
    numbers = dict.fromkeys(chain.from_iterable(ranges))
    return Cited(
        _without(text, marks),
        tuple(number for number in numbers if number in shown),
        tuple(number for number in numbers if number not in shown),
    )


def _range(first: int, last: int) -> range:
    return range(first, max(first, min(last, first + _WIDEST)) + 1)


def _without(text: str, marks: Iterable[re.Match[str]]) -> str:
    """`text` without the marks and the words that introduce them."""
    kept: list[str] = []
    at = 0
    for mark in marks:
        before = text[at : mark.start()].removeprefix(")" if at else "")
        at = mark.end()
        if not kept or before.strip(" ,") not in _JOINED:
            kept.append(_without_lead(before))
    kept.append(text[at:].removeprefix(")" if at else ""))
    plain = " ".join(" ".join(kept).split())
    return re.sub(r" ([.,;:!?])", r"\1", plain).strip(" ,;")


def _without_lead(text: str) -> str:
    """`text` without the words that introduce the mark after it."""
    text = text.rstrip(_LOOSE)
    lead = _LEAD.search(text, max(len(text) - _LEAD_CHARS, 0))
    return text[: lead.start()].rstrip(_LOOSE) if lead else text
