"""Which references an answer cites, and whether they were there to be cited (bumblebee7, §4.2)."""

import re
from collections.abc import Collection
from dataclasses import dataclass

_NUMBER = r"\d{1,4}(?!\d)"
_LIST = rf"{_NUMBER}(?:\s*(?:[,;&\u2013-]|and|to)\s*{_NUMBER})*"
_ONE = "(?:reference|ref|source|document|passage)"
_MANY = f"{_ONE}s"
# [1], [1][4], [1, 4], [2-4], [ref 1]; reference 1; sources 1, 2 and 4. A footnote mark in a page's
# text looks the same, so only answers are read.
_CITE = (
    rf"(?:(?:\b{_ONE}s?\b\s*:?\s*)?\[\s*(?:{_ONE}s?\b\W{{0,3}})?{_LIST}\s*\]"
    rf"|\b{_MANY}\b\W{{0,3}}{_LIST}|\b{_ONE}\b\W{{0,3}}{_NUMBER})"
)
_MARK = re.compile(_CITE, re.I)
_NUMBERS = re.compile(r"(\d+)(?:\s*(?:[\u2013-]|to)\s*(\d+))?", re.I)
_SUPPORT = re.compile(
    r"[\s,;(]*(?:\b(?:according to|based on|as stated in|supported by|see|from)\s+)?(?:\bthe\s+)?"
    rf"{_CITE}\)?(?:\s*(?:,|and|&)?\s*{_CITE}\)?)*",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Cited:
    """What an answer rests on.

    Attributes:
        answer: the answer without its references.
        known: the cited references that were shown, each once, in the answer's order.
        unknown: those that were not.
    """

    answer: str
    known: tuple[int, ...]
    unknown: tuple[int, ...]

    @property
    def supported(self) -> bool:
        """It cites something, and nothing that was not there."""
        return bool(self.known) and not self.unknown


def read_references(text: str, shown: Collection[int]) -> Cited:
    """The references of `text`, checked against the numbers that were shown."""
    numbers = [
        number
        for mark in _MARK.finditer(text)
        for first, last in _NUMBERS.findall(mark[0])
        for number in range(int(first), max(int(first), int(last or first)) + 1)
    ]
    unique = dict.fromkeys(numbers)
    return Cited(
        without_references(text),
        tuple(number for number in unique if number in shown),
        tuple(number for number in unique if number not in shown),
    )


def without_references(text: str) -> str:
    """`text` without marks and what introduces them."""
    plain = " ".join(_SUPPORT.sub(" ", text).split())
    return re.sub(r"\s+([.,;:!?])", r"\1", plain).strip(" ,;")
