"""What kind of thing a question asks for, told from its words alone."""

import re
from dataclasses import dataclass
from enum import StrEnum

from utils.text import FUNCTION_WORDS, fold, stem


class Kind(StrEnum):
    """A kind of answer that can be told by its form; `NONE` for all others."""

    DATE = "date"
    YEAR = "year"
    COUNT = "count"
    MONEY = "money"
    MEASURE = "measure"
    PERSON = "person"
    PLACE = "place"
    CHOICE = "choice"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's kind; for `COUNT` the stem of what is counted, for `CHOICE` the options."""

    kind: Kind
    noun: str = ""
    options: tuple[str, ...] = ()


# What is so today only: pages are older than the question.
_MOVING = re.compile(
    r"\b(?:today|yesterday|tomorrow|tonight|now|currently|current|this (?:week|month|season)"
    r"|(?:last|past|next|previous|this) (?:week|month|quarter|\w+day|night|trading)|upcoming"
    r"|most recent(?:ly)?|stock|shares?|ticker|p/e|pe ratio|eps|market cap\w*|dividends?"
    r"|trading|closing|opening price)\b"
)
# Several things are asked for, or a sum, a difference, a reason: no single span answers.
_NOT_ONE = re.compile(
    r"\b(?:average|mean|total|combined|altogether|difference|percentage|why"
    r"|how (?:do|does|did|can|to)"
    r"|list|all|names of|what (?:are|were)|who (?:are|were) (?!the (?:lead|first|last|main) )"
    r"|(?:two|three|four|five|six|seven|eight|nine|ten|\d+) (?:of the )?(?:\w+ ){0,2}\w+s)\b"
)
_YES_NO = re.compile(
    r"^(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should)\b(?! you\b)"
)
_LEAD = re.compile(
    r"^(?:(?:can|could|would|do) you (?:please )?(?:tell me|know|name|give me|provide)|tell me"
    r"|please (?:tell me|provide)|i(?:'d like| want| need) to know|what about)\s+"
)
_CHOICE = re.compile(
    r"(?:,|:|\bbetween|\bbetter|\bis|\bhad|\bhas) *(?P<a>[^,:?]+?)"
    r",? (?:or|and) (?P<b>[^,?]+?)\s*\?*$"
)
_RULES = (
    (Kind.YEAR, re.compile(r"\b(?:what|which) year\b|^year\b")),
    (
        Kind.DATE,
        re.compile(r"\bwhen\b|\b(?:what|which|the) (?:exact )?(?:date|day)\b|release date"),
    ),
    (Kind.COUNT, re.compile(r"\bhow many (?P<noun>[\w'-]+(?: [\w'-]+){0,3})")),
    (Kind.COUNT, re.compile(r"\bnumber of (?P<noun>[\w'-]+(?: [\w'-]+){0,3})")),
    (
        Kind.MONEY,
        re.compile(r"\bhow much (?:money|did|does|was|is|has)\b|\b(?:budget|cost|gross)\b"),
    ),
    (
        Kind.MEASURE,
        re.compile(r"\bhow (?:tall|long|far|big|large|high|deep|heavy|fast|wide)\b|\belevation\b"),
    ),
    (
        Kind.PERSON,
        re.compile(r"\bwho(?:se|m)?\b|\bwhat (?:actor|actress|singer|player|director)\b"),
    ),
    (Kind.PLACE, re.compile(r"\bwhere\b|\b(?:what|which) (?:city|country|state|town|place)\b")),
)
_COUNT_VERBS = frozenset("did does do has have had are is was were can will make won be".split())


def asked_by(question: str) -> Asked:
    """The kind of thing that `question` asks for."""
    plain = _LEAD.sub("", fold(question).strip())
    plain = _LEAD.sub("", plain)
    if _MOVING.search(plain):
        return Asked(Kind.NONE)
    options = _options(plain)
    if options:
        return Asked(Kind.CHOICE, options=options)
    if _YES_NO.search(plain) or _NOT_ONE.search(plain):
        return Asked(Kind.NONE)
    for kind, rule in _RULES:
        found = rule.search(plain)
        if found:
            return Asked(kind, _noun(found["noun"]) if kind is Kind.COUNT else "")
    return Asked(Kind.NONE)


def _noun(words: str) -> str:
    """The stem of what is counted: the last word before the verb."""
    noun = ""
    for word in words.split():
        if word in _COUNT_VERBS or (noun and word in FUNCTION_WORDS):
            break
        noun = word
    return stem(noun) if noun not in FUNCTION_WORDS else ""


def _options(plain: str) -> tuple[str, ...]:
    """The two things that a question offers to choose from, or none."""
    if " or " not in plain and "between" not in plain:
        return ()
    found = _CHOICE.search(plain)
    if not found:
        return ()
    a, b = found["a"].strip(" ,"), found["b"].strip(" ,")
    a = a.split(" between ")[-1]
    if max(len(a.split()), len(b.split())) > 8 or a == b:
        return ()
    return (a, b)
