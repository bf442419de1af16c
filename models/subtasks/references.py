"""Which references an answer cites, and whether they were there to be cited (bumblebee7, §4.2)."""

import re
from collections.abc import Collection
from dataclasses import dataclass

# [1], [1][4], [1, 4]; a footnote mark in a page's text looks the same, so only answers are read.
_MARK = re.compile(r"\[\s*(\d{1,4}(?:\s*[,;&]\s*\d{1,4})*)\s*\]")
_SUPPORT = re.compile(
    r"[\s,;(]*(?:\b(?:according to|based on|as stated in|supported by|see|from)\s+)?"
    r"(?:\b(?:the\s+)?(?:references?|refs?|sources?|documents?|passages?)\s*:?\s*)?"
    r"\[\s*\d{1,4}(?:\s*[,;&]\s*\d{1,4})*\s*\]\)?"
    r"(?:\s*(?:,|and|&)?\s*\[\s*\d{1,4}(?:\s*[,;&]\s*\d{1,4})*\s*\]\)?)*",
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
        int(number) for mark in _MARK.finditer(text) for number in re.findall(r"\d+", mark[1])
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
