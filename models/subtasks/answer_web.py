"""From passages of web pages to an answer, or to none."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import snowballstemmer

from models.records import Answer, Passage, Question, Source
from models.web.chunking import sentences
from models.web.html import PageText
from utils.text import FUNCTION_WORDS, fold, words

_MONTHS = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DATE = re.compile(
    rf"\b{_MONTHS} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}\b|\b\d{{1,2}} {_MONTHS},? \d{{4}}\b"
    rf"|\b\d{{4}}-\d\d-\d\d\b|\b{_MONTHS} \d{{4}}\b|\b(?:1[5-9]|20)\d\d\b"
)
_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b")
_QUANTITY = re.compile(
    r"(?:[$\u20ac\u00a3]\s?)?\b\d[\d,]*(?:\.\d+)?(?:\s?(?:%|percent\b|(?:thousand|million|billion"
    r"|trillion)\b))?(?:\s?(?:[a-zA-Z\u00b2\u00b0]+))?"
)
_NAME = re.compile(
    r"\b[A-Z\u00c0-\u00de][\w'\u2019.-]*(?:\s(?:(?:of|the|de|da|del|van|von|der|le|la)\s){0,2}"
    r"[A-Z\u00c0-\u00de][\w'\u2019.-]*)*"
)
_PLACE = re.compile(rf"\b(?:in|at|near|outside|to) (?:the )?(?P<span>{_NAME.pattern}"
                    rf"(?:, {_NAME.pattern})*)")
_LABELLED = re.compile(r"^(?P<label>[^:|.]{2,60}): (?P<span>[^|]{1,120})$")
_MIN_SCORE_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Wanted:
    """What kind of thing a question asks for: where it may stand, and which words said so."""

    ask: re.Pattern[str]
    span: re.Pattern[str]


_WANTED = (
    Wanted(re.compile(r"\b(?:what|which) year\b"), _YEAR),
    Wanted(re.compile(r"\bwhen\b|\b(?:what|which) (?:date|day)\b"), _DATE),
    Wanted(
        re.compile(
            r"\bhow (?:many|much|tall|long|far|old|big|large|high|deep|heavy|fast|wide)\b"
            r"|\bwhat (?:is|was) the (?:number|total|amount|population|height|length|depth)\b"
        ),
        _QUANTITY,
    ),
    Wanted(re.compile(r"\bwho(?:se|m)?\b"), _NAME),
    Wanted(re.compile(r"\bwhere\b|\b(?:what|which) (?:city|country|state|town|place)\b"), _PLACE),
)
_ASKING = frozenset(
    "year date day number total amount many much city country state town place name named".split()
)


class WebAnswerer(Protocol):
    def answer(
        self, question: Question, passages: Sequence[Passage], texts: Mapping[int, PageText]
    ) -> Answer:
        """The answer that `passages` hold, best first; "i don't know" where they do not."""
        ...


class SpanAnswerer:
    """Copies a date, number, name or table value out of text that holds every word asked for.

    Grounds are strict: each word of the question, but those that say what is asked, must stand in
    the same sentence or its page's title; and all that such text offers must agree.
    """

    def answer(
        self, question: Question, passages: Sequence[Passage], texts: Mapping[int, PageText]
    ) -> Answer:
        asked = fold(question.text)
        wanted = next((kind for kind in _WANTED if kind.ask.search(asked)), None)
        needed = _stems(question.text) - {_stem(word) for word in _ASKING}
        if not needed:
            return Answer()
        spans: dict[str, str] = {}
        floor = _MIN_SCORE_SHARE * max((passage.score for passage in passages), default=0.0)
        for passage in passages:
            if passage.score < floor:
                break
            title = texts[passage.page].title
            for start, end in sentences(passage.text):
                sentence = passage.text[start:end].strip()
                for span in _offers(sentence, title, needed, wanted):
                    spans.setdefault(fold(span), span)
        if len(spans) != 1:
            return Answer()
        return Answer(next(iter(spans.values())), Source.WEB, "one span in full agreement")


def _offers(
    sentence: str, title: str, needed: set[str], wanted: Wanted | None
) -> Iterator[str]:
    labelled = _LABELLED.match(sentence)
    if labelled:
        label = _stems(labelled["label"])
        if label and label <= needed and needed <= label | _stems(title):
            span = labelled["span"].strip()
            if wanted is None or wanted.span.search(span):
                yield span
        return
    if wanted is None or not needed <= _stems(sentence) | _stems(title):
        return
    if len(needed & _stems(sentence)) * 2 < len(needed):
        return
    found = [_span(match) for match in wanted.span.finditer(sentence)]
    fresh = [span for span in found if not _stems(span) <= needed | _stems(title)]
    full = [span for span in fresh if not any(span != o and span in o for o in fresh)]
    if len(full) == 1:
        yield full[0]


def _span(match: re.Match[str]) -> str:
    named: Callable[[], dict[str, str]] = match.groupdict
    return (named().get("span") or match.group()).strip(" .,-")


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    # a stemmer keeps its word in itself, and this runs in several threads: a fresh one each time
    return str(snowballstemmer.stemmer("english").stemWord(word))


def _stems(text: str) -> set[str]:
    return {_stem(word) for word in words(text) if word not in FUNCTION_WORDS}
