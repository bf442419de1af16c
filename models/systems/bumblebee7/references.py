"""Extracts the references that an answer cites and checks that they exist (bumblebee7, §4.2)."""

import re
from collections.abc import Collection
from dataclasses import dataclass

# Patterns expect single spaces as the only white space. Runs of other characters are bounded, so
# that a search takes linear time.
_NUMBER = r"\d{1,4}(?!\d)"
_LIST = rf"{_NUMBER}(?: ?(?:[,;&\u2013-]|and|to) ?{_NUMBER})*"
_NOUN = "(?:reference|ref|source|document|passage)"
# [1], [1, 4], [2-4], [ref 1]; reference 1; sources 1, 2 and 4. A page's footnote marks look the
# same, so only answers are parsed.
_MARK = (
    rf"(?:(?:\b{_NOUN}s?\b ?:? ?)?\[ ?(?:{_NOUN}s?\b\W{{0,3}})?{_LIST} ?\]"
    rf"|\b{_NOUN}s\b\W{{0,3}}{_LIST}|\b{_NOUN}\b\W{{0,3}}{_NUMBER})"
)
_LEAD = r"\b(?:(?:according to|based on|as stated in|supported by|see|from)(?: the)?|the)\b"
# Marks with the words that introduce them.
_CITATION = re.compile(
    rf"[ ,;(]{{0,3}}(?:{_LEAD}[ ,;(]{{0,3}})?{_MARK}(?:\)?,? ?(?:and|&)? ?{_MARK})*\)?",
    re.I,
)
_NUMBERS = re.compile(r"(\d+)(?: ?(?:[\u2013-]|to) ?(\d+))?", re.I)
_WIDEST = 100  # of a range; prompts never have more references


@dataclass(frozen=True, slots=True)
class Cited:
    """The references of an answer.

    Attributes:
        answer: the answer without its references.
        known: the cited references that were in the prompt, each once, in the answer's order.
        unknown: the cited references that were not in the prompt.
    """

    answer: str
    known: tuple[int, ...]
    unknown: tuple[int, ...]

    @property
    def supported(self) -> bool:
        """Whether it cites at least one reference, and none that does not exist."""
        return bool(self.known) and not self.unknown


def read_references(text: str, available: Collection[int]) -> Cited:
    """The references in `text`, checked against those `available` in the prompt."""
    line = " ".join(text.split())
    without_citations = " ".join(_CITATION.sub("", line).split())
    answer = re.sub(r" ([.,;:!?])", r"\1", without_citations).strip(" ,;")
    numbers = _cited_numbers(line)
    return Cited(
        answer,
        known=tuple(number for number in numbers if number in available),
        unknown=tuple(number for number in numbers if number not in available),
    )


def _cited_numbers(line: str) -> list[int]:
    """The numbers in the citations of a line, each once, in order; a range gives all of its."""
    numbers: dict[int, None] = {}  # a set in order
    for citation in _CITATION.findall(line):
        for start, end in _NUMBERS.findall(citation):
            first = int(start)
            last = min(int(end or start), first + _WIDEST)
            numbers |= dict.fromkeys(range(first, max(first, last) + 1))
    return list(numbers)
