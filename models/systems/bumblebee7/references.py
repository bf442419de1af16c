"""Extracts the references that an answer cites and checks that they exist (bumblebee7, §4.2)."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import chain

# Patterns expect single spaces as the only white space. Runs of other characters are bounded, so
# that a search takes linear time.
_NUMBER = r"\d{1,4}(?!\d)"
_LIST = rf"{_NUMBER}(?: ?(?:[,;&\u2013-]|and|to) ?{_NUMBER})*"
_ONE = "(?:reference|ref|source|document|passage)"
# [1], [1, 4], [2-4], [ref 1]; reference 1; sources 1, 2 and 4. A page's footnote marks look the
# same, so only answers are parsed.
_MARK = (
    rf"(?:(?:\b{_ONE}s?\b ?:? ?)?\[ ?(?:{_ONE}s?\b\W{{0,3}})?{_LIST} ?\]"
    rf"|\b{_ONE}s\b\W{{0,3}}{_LIST}|\b{_ONE}\b\W{{0,3}}{_NUMBER})"
)
_LEAD = r"\b(?:(?:according to|based on|as stated in|supported by|see|from)(?: the)?|the)\b"
# Marks with the words that introduce them.
_CITATION = re.compile(
    rf"[ ,;(]{{0,3}}(?:{_LEAD}[ ,;(]{{0,3}})?{_MARK}(?:\)?,? ?(?:and|&)? ?{_MARK})*\)?", re.I
)
_NUMBERS = re.compile(r"(\d+)(?: ?(?:[\u2013-]|to) ?(\d+))?", re.I)
_WIDEST = 100  # of a range; prompts never have more references


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
    ranges = [
        _range(int(first), int(last or first))
        for citation in _CITATION.findall(text)
        for first, last in _NUMBERS.findall(citation)
    ]
    numbers = dict.fromkeys(chain.from_iterable(ranges))
    plain = " ".join(_CITATION.sub("", text).split())
    return Cited(
        re.sub(r" ([.,;:!?])", r"\1", plain).strip(" ,;"),
        tuple(number for number in numbers if number in shown),
        tuple(number for number in numbers if number not in shown),
    )


def _range(first: int, last: int) -> range:
    return range(first, max(first, min(last, first + _WIDEST)) + 1)
