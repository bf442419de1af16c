"""What a summary says plainly: who made something, when, where; how many of something it has."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.kg.english.open.features import SENTENCE
from models.kg.english.open.keys import SUMMARY
from models.kg.english.open.subjects import NAME, Subject, explained, harmless
from models.kg.english.open.ways import Form, form_of
from models.kg.english.reading import Reading
from models.kg.execute import Outcome
from models.kg.language.printer import quoted
from utils.text import FUNCTION_WORDS, stem, words

_CAPITAL = r"[A-ZÀ-ÞĀ-Ž][\w'’.-]*[\w'’]|[A-Z]"
_NAME = (
    rf"(?:{_CAPITAL})(?:\s(?:(?:of|the|de|da|del|van|von|der|le|la|ibn|bin|al)\s)?(?:{_CAPITAL}))*"
)
_RANK = (
    r"(?:the )?(?:(?:[A-Z]\w+ )?(?:emperor|king|sultan|shah|queen|ruler|president|architect"
    r"|engineer"
    r"|designer|company|studio|programmer|scientist|artist|businessman|physicist)s? )?"
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DATE = (
    rf"(?P<value>{_MONTH} \d{{1,2}}, \d{{4}}|\d{{1,2}} {_MONTH} \d{{4}}|{_MONTH} \d{{4}}|\d{{4}})"
)
_WHO = rf"{_RANK}(?P<value>{_NAME})"
# What may give what is asked for: "which river supplies the water that cools xx".
_SOURCES = frozenset("river lake sea ocean body water supplies supply provides get draws".split())
_LEAD = 900  # characters of a summary that speak of its subject
_NUMERALS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
_NUMBER = rf"(?:\d[\d,]*(?:\.\d+)?|{'|'.join(_NUMERALS)})"

# (words that ask, the forms that may, how a summary says it)
_PLAIN = (
    (
        r"(?:order|commission|initiat|responsible|command)\w*(?: \w+){0,4} (?:buil[dt]|construct"
        r"|creat)\w*"
        r"|commission\w*|(?:had )?xx (?:was )?(?:built|constructed|erected)"
        r"|(?:buil[dt]|construct\w*|erected) xx"
        r"|(?:role|part|hand|instrumental|involved|behind|responsible)(?: \w+){0,3} (?:buil[dt]\w*"
        r"|construct\w*|erect\w*|creat\w+)"
        r"|(?:behest|orders?|command|direction|patronage|patron|instructions?|request)\b.*"
        r"(?:buil[dt]|construct|erect)\w*",
        (Form.WHO,),
        (
            rf"(?:orders?|command|behest|patronage|request) of {_WHO}",
            rf"(?:commissioned|ordered|initiated) by {_WHO}",
            rf"(?:built|constructed|erected)[^.]{{0,60}}? by {_WHO}",
        ),
    ),
    (
        r"(?:(?:water )?source (?:of|for) (?:the )?)?cool(?:ing|ed|s|ant)?(?: (?:water|system"
        r"|source|down))*",
        (Form.WHAT, Form.WHERE, Form.WHO, Form.HOW),
        (
            r"\bcooled (?:by|with|using) (?P<value>[^.;()]+?)(?= about \d|[.;(])",
            rf"\buses? (?:water from )?(?P<value>(?:the )?{_NAME})[^.]{{0,60}}? for cooling",
            rf"\bcool(?:ing|ed)(?: water)? (?:\w+ )?(?:comes )?from (?P<value>(?:the )?{_NAME})",
        ),
    ),
    (
        r"(?:part|member|one) of|belongs? to|island (?:group|chain)|archipelago",
        (Form.WHAT, Form.WHERE),
        (
            rf"\b(?:is|are|forms?) (?:a |an )?(?:part|member|one) of (?:the )?(?P<value>{_NAME})"
            r" (?:archipelago|[Ii]slands?|island (?:group|chain)|group|chain|range|mountains)",
        ),
    ),
    (
        r"headquarter\w*|based",
        (Form.WHERE, Form.WHAT),
        (rf"\b[Hh]eadquartered (?:at|in) (?P<value>{_NAME}(?:, {_NAME})*)",),
    ),
    (
        r"locat\w+|situated|find",
        (Form.WHERE,),
        (rf"\b(?:located|situated) (?:in|on|at|near) (?P<value>(?:the )?{_NAME}(?:, {_NAME})*)",),
    ),
    (
        r"born|birth",
        (Form.WHEN,),
        (rf"\(?\bborn (?:on |in )?{_DATE}", rf"\((?:[^()]*; )?{_DATE} – "),
    ),
    (
        r"nationality|citizenship|citizen",
        (Form.WHAT, Form.WHERE, Form.WHO),
        (r"\b(?:is|was) an? (?P<value>[A-Z]\w+(?:[-–][A-Z]\w+)?)(?= [a-z])",),
    ),
    (
        r"light ?years?(?: away)?|far|distance",
        (Form.COUNT, Form.HOW, Form.WHAT),
        (r"\b(?P<value>\d[\d,.]* ?(?:± ?[\d.]+ )?light[- ]years)",),
    ),
    (r"die[ds]?|death", (Form.WHEN,), (rf"– {_DATE}\)", rf"\bdied (?:on|in) {_DATE}")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Said:
    """The one thing that the first pattern finding anything finds in the summary."""

    patterns: tuple[str, ...]
    lead: int | None = _LEAD

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        text = str(outcomes[-1].values[0])[: self.lead] if outcomes[-1].values else ""
        for pattern in self.patterns:
            found = {match["value"].strip(" ,.") for match in re.finditer(pattern, text)}
            if found:
                return next(iter(found)) if len(found) == 1 else None
        return None


@dataclass(frozen=True, slots=True)
class Counted:
    """The one number that the summary gives of a noun."""

    noun: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        text = str(outcomes[-1].values[0]) if outcomes[-1].values else ""
        pattern = rf"\b({_NUMBER})(?: [\w-]+){{0,2}}?[ -]({self.noun}\w*)\b"
        for place in (SENTENCE.split(text)[0], text):  # the first says what it is
            found = {
                _NUMERALS.get(number, number)
                for number, noun in re.findall(pattern, place)
                if stem(noun.lower()) == self.noun
            }
            if found:
                return next(iter(found)) if len(found) == 1 else None
        return None


def said(rest: str, about: Subject, call: str) -> Iterator[Reading]:
    """Readings of the summary of what a question asks about one entity."""
    program = f"ALL {call}[{quoted(SUMMARY)}]"
    form = form_of(rest)
    for cue, forms, patterns in _PLAIN:
        match = re.search(rf"\b(?:{cue})\b", rest)
        if match and form in forms:
            told = _SOURCES.union(*(each.group().split() for each in re.finditer(cue, rest)))
            if explained(rest, told, [about]):
                yield Reading(program, Said(patterns))
    yield from _made(rest, about, program, form)
    if form is Form.WHEN:
        yield from _dated(rest, about, program)
    if form is Form.COUNT:
        yield from _counted(rest, about, program)


def _made(rest: str, about: Subject, program: str, form: Form) -> Iterator[Reading]:
    """ "who designed xx": the summary's "designed … by …"; "when": "designed in …"."""
    endings = {
        Form.WHO: rf"[^.;]{{0,60}}? by {_WHO}",
        Form.WHEN: rf"(?: \w+){{0,3}}? (?:in|on) {_DATE}",
        Form.WHAT: r" (?:with|from|using|out of) (?P<value>(?:[\w'-]+ ?){1,7})(?=[.,;(])",
    }
    if form not in endings:
        return
    asked = {
        stem(word): word for word in rest.split() if word not in FUNCTION_WORDS and len(word) > 3
    }
    for word in dict.fromkeys(words(about.summary[:_LEAD])):
        own = asked.get(stem(word))
        if own and word.endswith(("ed", "ilt", "itten", "ade", "ormed")) and word.isalpha():
            if explained(rest, frozenset((own,)), [about]):
                yield Reading(program, Said((rf"\b{word}\b{endings[form]}",)))


@dataclass(frozen=True, slots=True)
class OnlyDate:
    """The one date of the one sentence of the summary that has all the stems in `wanted`."""

    wanted: frozenset[str]
    year: bool = False

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        text = str(outcomes[-1].values[0]) if outcomes[-1].values else ""
        fitting = [each for each in SENTENCE.split(text)
                   if self.wanted <= {stem(word) for word in words(each)}]  # fmt: skip
        found = {
            match["value"]
            for each in fitting
            for match in re.finditer(rf"(?<![\d,$]){_DATE}\b", each)
        }
        if len(fitting) != 1 or len(found) != 1 or _NEGATED.search(fitting[0]):
            return None
        (date,) = found
        return re.sub(r".*(\d{4})$", r"\1", date) if self.year else date


_NEGATED = re.compile(r"\b(?:not|never|until|planned|scheduled|expected|proposed|before|after)\b")
_DATE_WORDS = frozenset("when year date day month what which did was first".split())


def _dated(rest: str, about: Subject, program: str) -> Iterator[Reading]:
    """ "when did xx join the union": the date of the sentence that has all the question's words."""
    vague = FUNCTION_WORDS | _DATE_WORDS | {NAME}
    asked = [word for word in rest.split() if word not in vague and not harmless(word)]
    wanted = frozenset(stem(word) for word in asked)
    if len(wanted) >= 2 and wanted <= about.said and not _NEGATED.search(rest):
        yield Reading(program, OnlyDate(wanted, year=bool(re.search(r"\bwh\w+ year\b", rest))))


def _counted(rest: str, about: Subject, program: str) -> Iterator[Reading]:
    """ "how many provinces …": the summary's "six … provinces"."""
    match = re.search(r"\b(?:how many|number of) ((?:\w+ ?){1,4})", rest)
    asked = match[1] if match else ""
    for word in asked.split():
        if word in FUNCTION_WORDS or word == "xx" or not word.endswith("s"):
            continue
        if explained(rest, frozenset(asked.split()), [about]) and stem(word) in about.said:
            yield Reading(program, Counted(stem(word)))
        return
