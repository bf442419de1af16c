"""Names that stand in a question and that the KG's search does not know."""

from collections.abc import Collection
from dataclasses import replace
from string import capwords

from models.kg.english.music.words import (
    ARTIST,
    HARMLESS,
    KINDS,
    SONG,
    TIME,
    Found,
    unexplained,
)
from models.kg.linking.question import Asked, Span
from utils.text import FUNCTION_WORDS

_WITHIN = frozenset("the of and a in".split())  # little words that names have inside
_STRANGER = "STRANGER"  # stands where a name was that the search does not know
_COMPARED = frozenset("greater fewer less fewest higher larger bigger smaller lower number".split())
_PAIR = 2


def unnamed(asked: Asked, mark: str, cues: Collection[str], *, joined: bool = False) -> Found:
    """What may be a name that the KG does not have: each run of words that nothing explains.

    `joined`: such runs with only little words between them are one.
    """
    free = FUNCTION_WORDS | set(cues) | KINDS | HARMLESS | {ARTIST, SONG, TIME}
    spans: list[Span] = []
    for span in unexplained(asked, free, ()):
        between = asked.words[spans[-1].last : span.first] if spans else ()
        if joined and spans and all(word.text in _WITHIN for word in between):
            span = Span(spans.pop().first, span.last)
        spans.append(span)
    return Found(tuple((asked.spelled(span),) for span in spans), asked.without(spans, mark))


def with_strangers(found: Found, cues: Collection[str]) -> Found | None:
    """Two artists compared of whom the search of artists does not know one, or neither."""
    others = unnamed(found.rest, _STRANGER, {*cues, *_COMPARED})
    marks = [word.text for word in others.rest.words if word.text in (ARTIST, _STRANGER)]
    if len(marks) != _PAIR or not others.named:
        return None
    known, strange = iter(found.firsts), iter(others.firsts)
    named = [next(known) if mark == ARTIST else _cased(next(strange)) for mark in marks]
    kept = tuple(
        replace(word, text=ARTIST) if word.text == _STRANGER else word for word in others.rest.words
    )
    return Found(tuple((name,) for name in named), Asked(others.rest.text, kept, others.rest.at))


def _cased(spelled: str) -> str:
    return capwords(spelled) if spelled.islower() else spelled
