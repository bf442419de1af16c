"""The spans of a window that may be the answer, by the encoder's logits."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.english.calendar_words import MONTHS
from models.english.quantity_words import (
    LARGE_SCALE_WORDS,
    UNITS_IN_ANSWERS,
    UnitKind,
    any_of,
)
from models.ranking.span_encoder import SpanLogits
from models.reading.windows import Window
from models.web.chunking import sentences

MAX_TOKENS = 24  # of an answer
_PLACES = 12  # likeliest beginnings and ends that are combined
_CONTEXT = 120  # characters before and after a span that are shown
_MARKS_AT_START = " \t\n,;:.|-–—\"'“”‘’"
_MARKS_AT_END = _MARKS_AT_START + "([{"
_UNIT = re.compile(  # behind a number: "41 m", "12%", "3 million dollars"
    rf"(?: ?(?:{any_of(LARGE_SCALE_WORDS)})\b)?(?: ?-?(?P<name>{any_of(UNITS_IN_ANSWERS)})(?!\w))?"
)
_TIMES = (UnitKind.TIME, UnitKind.DAYS, UnitKind.MONTHS)
# "In 1905 days before", "on May 5 minutes before": a year or a day is no number of them.
_YEAR_OR_DAY = re.compile(rf"\b(?:1[5-9]|20)\d\d$|\b(?:{any_of(MONTHS)})\.? \d{{1,2}}$", re.I)
_TWO = re.compile(r"\w\w")
_MARK_WITHIN = re.compile(r"\d[.,]\d|[^\W\d_]['’][A-Z]")  # "1,200", "O'Brien"
_NUMBER = re.compile(r"[-–.]\d")  # "-5", ".462"
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))


@dataclass(frozen=True, slots=True)
class FoundSpan:
    """A part of a window that may be the answer.

    Attributes:
        text: without punctuation at its ends.
        start, end: where it stands in the window.
        margin: how much likelier it is than no answer, as the difference of logits.
    """

    window: Window
    text: str
    start: int
    end: int
    margin: float

    def in_context(self) -> str:
        """The words around the span, which stands between guillemets."""
        text = self.window.text
        start = max(self.start - _CONTEXT, 0)
        end = self.end + _CONTEXT
        before = ("…" if start else "") + text[start : self.start]
        after = text[self.end : end] + ("…" if end < len(text) else "")
        return f"{before}«{text[self.start : self.end]}»{after}"


def spans_in(window: Window, logits: SpanLogits, most: int = 3) -> list[FoundSpan]:
    """The likeliest spans without overlaps, best first: cells, where the window is a row."""
    found = _cells(window, logits) if window.cells else _stretches(window, logits)
    apart: list[FoundSpan] = []
    for span in sorted(found, key=lambda span: -span.margin):
        overlaps = any(span.start < other.end and other.start < span.end for other in apart)
        if span.text and not overlaps:
            apart.append(span)
        if len(apart) == most:
            break
    return apart


def _cells(window: Window, logits: SpanLogits) -> Iterator[FoundSpan]:
    for start, end in window.cells:
        tokens = logits.pair.tokens_of(start, end)
        if tokens is not None:
            first, last = (position - logits.pair.first for position in tokens)
            text = window.text[start:end].strip()
            yield FoundSpan(window, text, start, end, logits.margin(first, last))


def _stretches(window: Window, logits: SpanLogits) -> Iterator[FoundSpan]:
    """The stretches between likely beginnings and ends."""
    firsts = np.argsort(-logits.begins)[:_PLACES]
    lasts = np.argsort(-logits.ends)[:_PLACES]
    for first in firsts.tolist():
        for last in lasts.tolist():
            if first <= last < first + MAX_TOKENS:
                start = logits.pair.offsets[first][0]
                end = logits.pair.offsets[last][1]
                yield _span(window, start, end, logits.margin(first, last))


def _is_within_a_word(text: str, place: int) -> bool:
    """Whether a word or number goes on at a place."""
    if place <= 0:
        return False
    is_before_mark = place > 1 and _MARK_WITHIN.match(text, place - 2)
    return bool(
        is_before_mark or _TWO.match(text, place - 1) or _MARK_WITHIN.match(text, place - 1)
    )


def _end_of_unit(text: str, start: int, end: int) -> int:
    """Where the unit behind a number ends; `end` if there is none."""
    unit = _UNIT.match(text, end) if text[end - 1 : end].isdigit() else None
    if unit is None or not unit[0]:
        return end
    name = unit["name"]
    is_time = name is not None and UNITS_IN_ANSWERS[name][0] in _TIMES
    return end if is_time and _YEAR_OR_DAY.search(text[start:end]) else unit.end()


def _span(window: Window, start: int, end: int, margin: float) -> FoundSpan:
    """The whole words from `start` to `end`, without marks at their ends."""
    text = window.text
    _, first_end = next(sentences(text[start:end]), (0, end - start))
    if text[start : start + first_end].rstrip().endswith("."):  # not "Yahoo! Japan"
        end = start + first_end
    while end > start and text[end - 1] in _MARKS_AT_END:
        end -= 1
    while start < end and text[start] in _MARKS_AT_START and not _NUMBER.match(text, start):
        start += 1
    while _is_within_a_word(text, start):
        start -= 1
    while _is_within_a_word(text, end):
        end += 1
    end = _end_of_unit(text, start, end)
    words = text[start:end]
    for opening, closing in _BRACKETS:
        is_whole = words[:1] == opening and words.find(closing) in (-1, len(words) - 1)
        if is_whole:
            start += 1
        if words[-1:] == closing and (is_whole or opening not in words):
            end -= 1
    return FoundSpan(window, text[start:end].strip(), start, end, margin)
