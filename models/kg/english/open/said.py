"""What a summary says plainly: who made something, when, where; how many of something it has."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.kg.english.open.keys import SUMMARY
from models.kg.english.open.subjects import Subject, explained
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
    r"(?:the )?(?:(?:[A-Z]\w+ )?(?:emperor|king|sultan|shah|queen|ruler|president|architect|engineer"
    r"|designer|company|studio|programmer|scientist|artist|businessman|physicist)s? )?"
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DATE = (
    rf"(?P<value>{_MONTH} \d{{1,2}}, \d{{4}}|\d{{1,2}} {_MONTH} \d{{4}}|{_MONTH} \d{{4}}|\d{{4}})"
)
_WHO = rf"{_RANK}(?P<value>{_NAME})"
_LEAD = 900  # characters of a summary that speak of its subject
_NUMERALS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
_NUMBER = rf"(?:\d[\d,]*|{'|'.join(_NUMERALS)})"

# (words that ask, the forms that may, how a summary says it)
_PLAIN = (
    (
        r"(?:order|commission|initiat|responsible|command)\w*(?: \w+){0,4} (?:buil[dt]|construct|creat)\w*"
        r"|commission\w*|(?:had )?xx (?:was )?(?:built|constructed|erected)"
        r"|(?:buil[dt]|construct\w*|erected) xx"
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
        r"cool(?:ing|ed|s)?(?: water)?(?: source)?",
        (Form.WHAT, Form.WHERE, Form.WHO),
        (
            r"\bcooled (?:by|with|using) (?P<value>[^.;()]+?)(?= about \d|[.;(])",
            rf"\buses? (?:water from )?(?P<value>(?:the )?{_NAME})[^.]{{0,60}}? for cooling",
            rf"\bcooling water (?:comes )?from (?P<value>(?:the )?{_NAME})",
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
    (r"die[ds]?|death", (Form.WHEN,), (rf"– {_DATE}\)", rf"\bdied (?:on|in) {_DATE}")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Said:
    """The one thing that the first pattern finding anything finds in the summary."""

    patterns: tuple[str, ...]

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        text = str(outcomes[-1].values[0])[:_LEAD] if outcomes[-1].values else ""
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
        pattern = rf"\b({_NUMBER})(?: [\w-]+){{0,2}}? ({self.noun}\w*)\b"
        found = {
            _NUMERALS.get(number, number)
            for number, noun in re.findall(pattern, text)
            if stem(noun.lower()) == self.noun
        }
        return next(iter(found)) if len(found) == 1 else None


def said(rest: str, about: Subject, call: str) -> Iterator[Reading]:
    """Readings of the summary of what a question asks about one entity."""
    program = f"ALL {call}[{quoted(SUMMARY)}]"
    form = form_of(rest)
    for cue, forms, patterns in _PLAIN:
        match = re.search(rf"\b(?:{cue})\b", rest)
        if match and form in forms:
            told = frozenset(match.group().split())
            if explained(rest, told, [about]):
                yield Reading(program, Said(patterns))
    yield from _made(rest, about, program, form)
    if form is Form.COUNT:
        yield from _counted(rest, about, program)


def _made(rest: str, about: Subject, program: str, form: Form) -> Iterator[Reading]:
    """ "who designed xx": the summary's "designed … by …"; "when was xx designed": its "designed in …"."""
    endings = {
        Form.WHO: rf"[^.;]{{0,60}}? by {_WHO}",
        Form.WHEN: rf"(?: \w+){{0,3}}? (?:in|on) {_DATE}",
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


def _counted(rest: str, about: Subject, program: str) -> Iterator[Reading]:
    """ "how many confederations …": the summary's "six … confederations"."""
    match = re.search(r"\b(?:how many|number of) ((?:\w+ ?){1,4})", rest)
    asked = match[1] if match else ""
    for word in asked.split():
        if word in FUNCTION_WORDS or word == "xx" or not word.endswith("s"):
            continue
        if explained(rest, frozenset(asked.split()), [about]) and stem(word) in about.said:
            yield Reading(program, Counted(stem(word)))
        return
