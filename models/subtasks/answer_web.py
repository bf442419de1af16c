"""From passages of web pages to an answer, or to none."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from models.records import Answer, Passage, Question, Source
from models.subtasks.reading.agree import AgreementReader
from models.subtasks.reading.cells import CellReader
from models.subtasks.reading.label import likely, means, needed
from models.subtasks.reading.plain import is_plain
from models.web.chunking import sentences
from models.web.page import PageText
from utils.text import fold, stem, stems

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DATE = re.compile(
    rf"\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}\b|\b\d{{1,2}} {_MONTH},? \d{{4}}\b"
    rf"|\b\d{{4}}-\d\d-\d\d\b|\b{_MONTH} \d{{4}}\b|\b(?:1[5-9]|20)\d\d\b"
)
_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b")
_COUNTED = (
    r"\b(?:\d[\d,]*(?:\.\d+)?(?: (?:thousand|million|billion))?|two|three|four|five|six|seven"
    r"|eight|nine|ten|eleven|twelve)\b"
)
_MONEY = re.compile(
    r"[$\u20ac\u00a3]\s?\d[\d,]*(?:\.\d+)?(?: (?:thousand|million|billion|trillion))?"
    r"|\b\d[\d,]*(?:\.\d+)? (?:(?:thousand|million|billion|trillion) )?(?:dollars|euros|pounds)\b",
    re.I,
)
_MEASURE = re.compile(
    r"\b\d[\d,]*(?:\.\d+)?\s?(?:(?:thousand|million|billion)\s)?(?:f(?:ee|oo)?t|inch(?:es)?|miles?"
    r"|yards?|met(?:re|er)s?|m|km|kilomet(?:re|er)s?|cm|centimet(?:re|er)s?|acres?|hectares?"
    r"|(?:square|sq\.?) \w+|kg|kilograms?|tonn?e?s?|pounds|lbs?|minutes?|hours?|days?|weeks?"
    r"|months?|years?|degrees?|%|percent)\b",
    re.I,
)
_CAPITAL = r"[A-Z\u00c0-\u00de][\w'\u2019.-]*"
_NAME = rf"\b{_CAPITAL}(?:\s(?:(?:of|the|de|da|del|van|von|der|le|la)\s){{0,2}}{_CAPITAL})*"
_PLACE = re.compile(rf"\b(?:in|at|near|outside|to) (?:the )?(?P<span>{_NAME}(?:, {_NAME})*)")
_CONTENT = re.compile(r"[A-Z0-9]")
_LABELLED = re.compile(r"^(?P<label>[^:|.]{2,60}): (?P<span>[^|]{1,120})$")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A kind of thing: how a question asks for it, where in a sentence it may stand, and what is in
    a value that stands beside a label."""

    ask: re.Pattern[str]
    span: Callable[[re.Match[str]], re.Pattern[str] | None]
    value: re.Pattern[str]


def _always(pattern: str | re.Pattern[str]) -> Callable[[re.Match[str]], re.Pattern[str]]:
    compiled = re.compile(pattern)
    return lambda ask: compiled


def _number_of(ask: re.Match[str]) -> re.Pattern[str] | None:
    """A number right before what is counted, at most two words between."""
    noun = re.escape(stem(ask["noun"]))
    return re.compile(rf"(?P<span>{_COUNTED})(?: [\w-]+){{0,2}}? {noun}", re.I) if noun else None


_DIGIT = re.compile(r"\d")
_WANTED = (
    Wanted(re.compile(r"\b(?:what|which) year\b"), _always(_YEAR), _YEAR),
    Wanted(re.compile(r"\bwhen\b|\b(?:what|which) (?:date|day)\b"), _always(_DATE), _DATE),
    Wanted(re.compile(r"\bhow many (?P<noun>\w+)"), _number_of, re.compile(_COUNTED, re.I)),
    Wanted(re.compile(r"\bnumber of (?P<noun>\w+)"), _number_of, re.compile(_COUNTED, re.I)),
    Wanted(re.compile(r"\bhow much\b|\b(?:cost|price|budget)\b"), _always(_MONEY), _DIGIT),
    Wanted(
        re.compile(
            r"\bhow (?:tall|long|far|old|big|large|high|deep|heavy|fast|wide)\b"
            r"|\b(?:height|length|depth|width|distance|area|elevation|weight|percentage)\b"
        ),
        _always(_MEASURE),
        _DIGIT,
    ),
    Wanted(re.compile(r"\bwho(?:se|m)?\b"), _always(_NAME), re.compile("^" + _NAME)),
    Wanted(
        re.compile(r"\bwhere\b|\b(?:what|which) (?:city|country|state|town|place)\b"),
        _always(_PLACE),
        re.compile(rf"^{_NAME}[^\d]*$"),
    ),
)


class WebAnswerer(Protocol):
    def answer(
        self, question: Question, passages: Sequence[Passage], texts: Mapping[int, PageText]
    ) -> Answer:
        """The answer that `passages` hold, best first; "i don't know" where they do not."""
        ...


class SpanAnswerer:
    """Copies a date, number, name or table value out of text that holds every word asked for.

    Grounds are strict: each word of the question, but those that say what kind of thing is asked,
    must stand in the same sentence or its page's title, one of them at least in the sentence alone;
    and all that such text offers must agree.
    """

    def answer(
        self, question: Question, passages: Sequence[Passage], texts: Mapping[int, PageText]
    ) -> Answer:
        wanted = _wanted(question.text)
        asked = needed(question.text)
        if not asked:
            return Answer()
        spans: dict[str, tuple[str, str]] = {}
        for passage in likely(passages):
            page = texts[passage.page]
            for start, end in sentences(passage.text):
                sentence = passage.text[start:end].strip()
                for span in _offers(sentence, page.title, asked, wanted):
                    spans.setdefault(fold(span), (span, f"{page.title}: {sentence}"))
        if len(spans) != 1:
            return Answer()
        span, grounds = next(iter(spans.values()))
        return Answer(span, Source.WEB, grounds)


def _wanted(question: str) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    """What the answer looks like, in a sentence and beside a label, where the question tells."""
    asked = fold(question)
    for kind in _WANTED:
        match = kind.ask.search(asked)
        if match:
            return kind.span(match), kind.value
    return None, None


def _offers(
    sentence: str,
    title: str,
    asked: set[str],
    wanted: tuple[re.Pattern[str] | None, re.Pattern[str] | None],
) -> Iterator[str]:
    """What `sentence` offers as an answer: a labelled value, or its one fitting span."""
    in_sentence, in_value = wanted
    around = stems(title)
    labelled = _LABELLED.match(sentence)
    if labelled and means(asked - around, stems(labelled["label"])):
        if (in_value or _CONTENT).search(labelled["span"]):
            yield labelled["span"].strip()
        return
    own = stems(sentence)
    if in_sentence is None or not asked <= own | around or not (asked - around) & own:
        return
    if not is_plain(sentence):
        return
    found = [_span(match) for match in in_sentence.finditer(sentence)]
    fresh = [span for span in found if not stems(span) <= asked | around]
    full = [span for span in fresh if not any(span != other and span in other for other in fresh)]
    if len(full) == 1:
        yield full[0]


def _span(match: re.Match[str]) -> str:
    return (match.groupdict().get("span") or match.group()).strip(" .,-")


class CarefulReader:
    """The first of its readers that knows: strict copying, of a sentence or of a table's cell, then
    what the passages agree on."""

    def __init__(self, readers: Sequence[WebAnswerer] | None = None) -> None:
        self._readers = readers or (SpanAnswerer(), CellReader(), AgreementReader())

    def answer(
        self, question: Question, passages: Sequence[Passage], texts: Mapping[int, PageText]
    ) -> Answer:
        for reader in self._readers:
            answer = reader.answer(question, passages, texts)
            if answer.known:
                return answer
        return Answer()
