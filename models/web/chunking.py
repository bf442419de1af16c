"""From a page's text to passages short enough to be judged one by one."""

import re
from collections.abc import Iterator

from models.records import Passage

MAX_CHARS = 400
_ABBREVIATION = (
    r"(?<!\b[A-Z])(?<!\b(?:Mr|Dr|Ms|Jr|Sr|St|No|vs|Co))(?<!\b(?:Mrs|Inc|Ltd|Gen|Rev|Sen|etc))"
    r"(?<!\b(?:Corp|Prof))"
)
_SENTENCE_END = re.compile(rf"{_ABBREVIATION}[.!?][\"'\u201d)\]]*\s+(?=[\"'\u201c(\[]?[A-Z0-9])")


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The (start, end) of each sentence of `text`; a line break always ends one."""
    for line in re.finditer(r"[^\n]+", text):
        start = line.start()
        for end in _SENTENCE_END.finditer(text, line.start(), line.end()):
            yield start, end.end()
            start = end.end()
        if start < line.end():
            yield start, line.end()


def split(text: str, page: int, max_chars: int = MAX_CHARS) -> list[Passage]:
    """Passages of whole sentences, neighbours joined up to `max_chars` characters.

    A longer sentence is a passage of its own, so that nothing is lost; offsets are into `text`.
    """
    passages: list[Passage] = []
    first = last = -1
    for start, end in sentences(text):
        if first >= 0 and end - first > max_chars:
            passages.append(Passage(text[first:last].strip(), page, first, last))
            first = -1
        first = start if first < 0 else first
        last = end
    if first >= 0:
        passages.append(Passage(text[first:last].strip(), page, first, last))
    return passages
