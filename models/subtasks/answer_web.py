"""From passages of web pages to an answer, or to none."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from models.records import Answer, Passage, Question, Source
from models.subtasks.reading.agree import AgreementReader
from models.subtasks.reading.cells import CellReader
from models.subtasks.reading.label import WHEN, WHERE, likely, means, needed
from models.subtasks.reading.plain import LONGEST, is_plain
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
_NUMBER = r"\d[\d,]*(?:\.\d+)?(?: (?:thousand|million|billion|trillion))?"
_COUNTED = (
    r"(?<![\w,.])(?:\d[\d,]*(?:\.\d+)?(?: (?:thousand|million|billion))?|two|three|four|five"
    r"|six|seven|eight|nine|ten|eleven|twelve)\b"
)
_MONEY = re.compile(
    r"[$\u20ac\u00a3]\s?\d[\d,]*(?:\.\d+)?(?: (?:thousand|million|billion|trillion))?"
    r"|(?<![\w,.])\d[\d,]*(?:\.\d+)? (?:(?:thousand|million|billion|trillion) )?"
    r"(?:dollars|euros|pounds)\b",
    re.I,
)
_MEASURE = re.compile(
    r"(?<![\w,.])\d[\d,]*(?:\.\d+)?\s?(?:(?:thousand|million|billion)\s)?"
    r"(?:f(?:ee|oo)?t|inch(?:es)?|miles?|yards?"
    r"|met(?:re|er)s?|m|km|kilomet(?:re|er)s?|cm|centimet(?:re|er)s?|acres?|hectares?"
    r"|(?:square|sq\.?) \w+|kg|kilograms?|tonn?e?s?|pounds|lbs?|minutes?|hours?|days?|weeks?"
    r"|months?|years?|degrees?|%|percent)\b",
    re.I,
)
_CAPITAL = r"[A-Z\u00c0-\u00de][\w'\u2019.-]*"
_NAME = rf"\b{_CAPITAL}(?:\s(?:(?:of|the|de|da|del|van|von|der|le|la)\s){{0,2}}{_CAPITAL})*"
_PLACE = re.compile(rf"\b(?:in|at|near|outside|to) (?:the )?(?P<span>{_NAME}(?:, {_NAME})*)")
_WORD = re.compile(r"[^\W_]+")
_CONTENT = re.compile(r"[A-Z0-9]")
_LABELLED = re.compile(r"^(?P<label>[^:|.]{2,60}): (?P<span>[^|]{1,120})$")


# Who does it, and to whom it is done: "who beat Ann?", "who did Ann beat?".
_DOES = re.compile(r"^who (?!(?:is|are|was|were|did|does|do|will|would|can|could|else)\b)\w")
_IS_DONE_TO = re.compile(r"^who(?:m)? (?:did|does|do)\b")
# One comes before the other here, or does it to the other; words alone do not show which.
_OF_TWO = re.compile(r"\b(?:before|after|than|since|until)\b|^who (?:is|are|was|were)\b.*\bby\b")
_BY = re.compile(r"\bby (?:the )?$")
_DEED = re.compile(r"(?:ed|^born|^built)$", re.I)  # as a label it says when or where
_ASIDE = re.compile(r"\s*[(\[;].*$")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A kind of thing: how a question asks for it, where in a sentence it may stand, and what the
    value beside a label must be."""

    ask: re.Pattern[str]
    span: Callable[[re.Match[str]], re.Pattern[str] | None]
    value: re.Pattern[str]
    is_person: bool = False
    label: frozenset[str] = frozenset()  # what a label may say more than the question


def _always(pattern: str | re.Pattern[str]) -> Callable[[re.Match[str]], re.Pattern[str]]:
    compiled = re.compile(pattern)
    return lambda ask: compiled


def _number_of(ask: re.Match[str]) -> re.Pattern[str] | None:
    """A number right before what is counted, at most two words between."""
    noun = re.escape(stem(ask["noun"]))
    return re.compile(rf"(?P<span>{_COUNTED})(?: [\w-]+){{0,2}}? {noun}", re.I) if noun else None


_WANTED = (
    Wanted(re.compile(r"\b(?:what|which) year\b"), _always(_YEAR), _YEAR, label=WHEN),
    Wanted(
        re.compile(r"\bwhen\b|\b(?:what|which) (?:date|day)\b"), _always(_DATE), _DATE, label=WHEN
    ),
    Wanted(
        re.compile(r"\b(?:how many|number of) (?P<noun>\w+)"),
        _number_of,
        re.compile(rf"{_COUNTED}(?: [\w-]+){{0,2}}", re.I),
    ),
    Wanted(
        re.compile(r"\bhow much\b|\b(?:cost|price|budget)\b"),
        _always(_MONEY),
        re.compile(rf"{_MONEY.pattern}|{_NUMBER}", re.I),
    ),
    Wanted(
        re.compile(
            r"\bhow (?:tall|long|far|old|big|large|high|deep|heavy|fast|wide)\b"
            r"|\b(?:height|length|depth|width|distance|area|elevation|weight|percentage)\b"
        ),
        _always(_MEASURE),
        re.compile(rf"{_MEASURE.pattern}|{_NUMBER}", re.I),
    ),
    Wanted(
        re.compile(r"\bwho(?:se|m)?\b"),
        _always(_NAME),
        re.compile(rf"(?!{_MONTH}){_NAME}"),
        is_person=True,
    ),
    Wanted(
        re.compile(r"\bwhere\b|\b(?:what|which) (?:city|country|state|town|place)\b"),
        _always(_PLACE),
        re.compile(rf"{_NAME}(?:, {_NAME})*"),
        label=WHERE,
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
        asked = needed(question.text)
        if not asked:
            return Answer()
        plain = fold(question.text).strip()
        spans: dict[str, tuple[str, str]] = {}
        for passage in likely(passages):
            page = texts[passage.page]
            for start, end in sentences(passage.text):
                if end - start > LONGEST:
                    continue
                sentence = passage.text[start:end].strip()
                if not is_plain(sentence):
                    continue
                for span in _offers(sentence, page.title, plain, asked):
                    spans.setdefault(fold(span), (span, f"{page.title}: {sentence}"))
        if len(spans) != 1:
            return Answer()
        span, grounds = next(iter(spans.values()))
        return Answer(span, Source.WEB, grounds)


def _offers(sentence: str, title: str, question: str, asked: set[str]) -> Iterator[str]:
    """What `sentence` offers as an answer: a labelled value, or its one fitting span."""
    around = stems(title)
    wanted, asks = _wanted(question)
    labelled = _LABELLED.match(sentence)
    more = wanted.label if wanted else frozenset()
    if labelled and means(asked - around, stems(labelled["label"]) - more):
        if wanted is None:
            value = labelled["span"].strip() if _CONTENT.search(labelled["span"]) else ""
        else:
            value = _value(labelled["label"], labelled["span"], wanted, question)
        if value:
            yield value
        return
    own = stems(sentence)
    if not asked <= own | around or not (asked - around) & own:
        return
    form = wanted.span(asks) if wanted and asks else None
    if form is None or (wanted and wanted.is_person and _OF_TWO.search(question)):
        return
    found = [(_span(match), match.start()) for match in form.finditer(sentence)]
    fresh = {span: at for span, at in found if not stems(span) <= asked | around}
    full = [span for span in fresh if not any(span != other and span in other for other in fresh)]
    if len(full) != 1:
        return
    if wanted and wanted.is_person and not _has_part(sentence, fresh[full[0]], question, asked):
        return
    yield full[0]


def _wanted(question: str) -> tuple[Wanted | None, re.Match[str] | None]:
    """What the question asks for, and where it says so, if it tells."""
    for kind in _WANTED:
        if match := kind.ask.search(question):
            return kind, match
    return None, None


def _value(label: str, value: str, wanted: Wanted, question: str) -> str:
    """`value`, if it is of the kind that is asked for, and says it of what is asked; else nothing.

    "Founded: Easton" says neither who founded it nor, for sure, where.
    """
    plain = _ASIDE.sub("", value).strip()
    if not wanted.value.fullmatch(plain):
        return ""
    if wanted.label is WHERE and not stems(label) & WHERE:
        return ""
    if wanted.is_person and (
        _DEED.search(label) or (" by" in label and not _DOES.search(question))
    ):
        return ""
    return plain


def _has_part(sentence: str, start: int, question: str, asked: set[str]) -> bool:
    """Whether who stands at `start` does what is asked, or has it done to them, as the question
    has it: by the order of words, as English does."""
    by = bool(_BY.search(sentence[:start]))
    first = next(
        (found.start() for found in _WORD.finditer(sentence) if stems(found.group()) & asked),
        len(sentence),
    )
    if _DOES.search(question):
        return by or start < first
    if _IS_DONE_TO.search(question):
        return not by and first < start
    return True


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
