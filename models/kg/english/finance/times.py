"""Phrases of time that stand in a question about shares, and the days they mean there."""

from dataclasses import replace
from datetime import datetime

from models.kg.english.finance.phrases import named
from models.kg.english.finance.when import When
from models.kg.english.finance.wordings import HINTS
from models.kg.linking.question import Asked, Span

_LONGEST = 12  # words of a phrase of time


def find_times(asked: Asked) -> list[When]:
    """The phrases of time in a question, in order, the longest where several overlap; none where
    the question's own time is not known."""
    if asked.at is None:
        return []
    found: list[When] = []
    start, count = 0, len(asked.words)
    while start < count:
        for end in range(min(count, start + _LONGEST), start, -1):
            when = _read(asked, Span(start, end), asked.at)
            if when is not None:
                found.append(when)
                start = end
                break
        else:
            start += 1
    return found


def _read(asked: Asked, span: Span, now: datetime) -> When | None:
    text = asked.spelled(span).lower().replace("’", "'").replace(",", " ")
    text = " ".join(text.replace("'s", "").split())
    if not HINTS.search(text) or text.startswith("$"):
        return None
    found = named(text, now)
    return replace(found, span=span) if found else None
