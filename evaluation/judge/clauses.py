"""Where the sentence and the clause around a phrase begin and end."""

import re

from evaluation.judge.names import Span
from evaluation.judge.normalize import Text

_ENDS = re.compile(r"[.!?]+[\"')\]]*\s|[\n;]")
_PARTS = re.compile(r"[,():]|\s-+\s")
_SHORT = frozenset("mr mrs ms dr st mount jr sr sgt vs no saint".split())
_JOINS = frozenset("and but while whereas which although though".split())


def _ends_sentence(text: Text, i: int) -> bool:
    """Whether a sentence ends between token `i - 1` and token `i`."""
    gap = text.gap(i)
    if not _ENDS.search(gap if i < len(text.tokens) else gap + " "):
        return False
    word = text.tokens[i - 1].text
    return (
        "\n" in gap or ";" in gap or not (len(word) == 1 and word.isalpha()) and word not in _SHORT
    )


def _parts_clause(text: Text, i: int) -> bool:
    return bool(_ends_sentence(text, i) or _PARTS.search(text.gap(i)))


def sentence(text: Text, span: Span) -> Span:
    """The tokens of the sentence that holds `span`."""
    i, j = span
    while i > 0 and not _ends_sentence(text, i):
        i -= 1
    while j < len(text.tokens) and not _ends_sentence(text, j):
        j += 1
    return i, j


def clause(text: Text, span: Span) -> Span:
    """The tokens around `span` up to the next mark or joining word on either side."""
    i, j = span
    while i > 0 and not _parts_clause(text, i) and text.tokens[i - 1].text not in _JOINS:
        i -= 1
    while j < len(text.tokens) and not _parts_clause(text, j) and text.tokens[j].text not in _JOINS:
        j += 1
    return i, j
