"""Questions that are answered by yes or no, or by one of two words that they offer."""

import re
from collections.abc import Iterator

from models.kg.english.open.compose import Holds, OneOf
from models.kg.english.open.keys import SUMMARY, Asking, askings
from models.kg.english.open.subjects import NAME, Subject, explained
from models.kg.english.open.values import day
from models.kg.english.open.ways import Form, form_of
from models.kg.english.reading import Reading
from models.kg.language.printer import quoted
from utils.text import FUNCTION_WORDS, stem

_OPPOSITES = (
    frozenset(("public", "private")),
    frozenset(("active", "dormant", "extinct", "inactive")),
    frozenset(("open", "closed")),
    frozenset(("daily", "weekly", "monthly", "quarterly")),
)
_SHORT = 8  # words of a value that says what kind of thing something is
_POLAR = re.compile(r"(?:is|was|are|were|does|did|do|has|have|had)\b")


def _value(call: str, key: str) -> str:
    return f"ALL {call}[{quoted(key)}]"


def choices(rest: str, about: Subject, call: str) -> Iterator[Reading]:
    """ "is xx public or private": the one of the two that a value holds."""
    match = re.search(r"\b((?:(?:single|multi|non|co) )?\w+) or (?:an? |the )?(\w+)\b", rest)
    if not match or not _POLAR.search(rest) or {NAME, *FUNCTION_WORDS} & set(match.groups()):
        return
    first, second = match.groups()
    told = frozenset(
        (*first.split(), second, "institution", "university", "school", "organization")
    )
    known = {stem(word) for word in (*first.split(), second)} & about.said
    if known and explained(rest, told, [about]):
        for key in ("type", "status", *about.facts):
            short = len(str(about.facts.get(key) or "").split()) <= _SHORT
            if about.facts.get(key) and key != SUMMARY and short and "caption" not in key:
                yield Reading(_value(call, key), OneOf((first, second)))


def polar(rest: str, about: Subject, call: str) -> Iterator[Reading]:
    """ "is xx a public university": yes where the value holds it, no where it holds the opposite;
    "was xx born in Bonn": yes where the value holds what is left of the question."""
    if not _POLAR.match(rest) or " or " in rest:
        return
    for word in rest.split():
        opposite = _opposites(word)
        if opposite and explained(rest, frozenset((word,)), [about]):
            for key in ("type", "status", "frequency"):
                if key in about.facts:
                    yield Reading(_value(call, key), Holds((word,), tuple(opposite)))
    when = "when " + rest
    where = "where " + rest
    for form, asked_rest in ((Form.WHERE, where), (Form.WHEN, when)):
        for asking in askings(asked_rest, about.facts)[:1]:
            left = _left(rest, asking)
            if not left or form_of(asked_rest) is not form or len(left) > 4:
                continue
            years = [word for word in left if re.fullmatch(r"\d{4}", word)]
            if form is Form.WHEN and years == left and day(about.facts[asking.key]):
                yield Reading(
                    _value(call, asking.key), Holds(tuple(left), _other_years(about, asking))
                )
            elif form is Form.WHERE and not years:
                yield Reading(_value(call, asking.key), Holds(tuple(left)))


def _left(rest: str, asking: Asking) -> list[str]:
    return [
        word
        for word in rest.split()
        if word not in FUNCTION_WORDS and word != NAME and word not in asking.explained
    ]


def _other_years(about: Subject, asking: Asking) -> tuple[str, ...]:
    return tuple(re.findall(r"\b\d{4}\b", str(about.facts[asking.key])))


def _opposites(word: str) -> frozenset[str]:
    return next((group - {word} for group in _OPPOSITES if word in group), frozenset())
