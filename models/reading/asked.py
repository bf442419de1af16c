"""What a question asks for, by its words, and whether a span is such a thing."""

import re

from models.english.calendar_words import MONTHS, WEEKDAYS
from models.english.quantity_words import (
    COUNT_WORDS,
    LARGE_SCALE_WORDS,
    MONEY_KINDS,
    NUMBER_WORDS,
    SCALE_WORDS,
    UNITS_IN_ANSWERS,
    UnitKind,
    any_of,
    money_signs_in_answers,
)
from models.web.sides import sides_of
from utils.text import FUNCTION_WORDS, words

_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_TIME = re.compile(
    rf"\b(?:{any_of([*MONTHS, *WEEKDAYS])}|today|yesterday|tomorrow|century|centuries|spring|summer"
    r"|autumn|fall|winter|day|night|morning|noon|evening)\b",
    re.I,
)
_NUMBER_WORD = re.compile(
    rf"\b(?:{any_of([*NUMBER_WORDS, *COUNT_WORDS, *SCALE_WORDS])}"
    r"|no|half|quarter|several|single|double)\b",
    re.I,
)
_UNIT = re.compile(  # behind a number, or a sign before it: "41 m", "3 million dollars", "$5"
    rf"(?:\d|\b(?:{any_of(LARGE_SCALE_WORDS)})) ?-?({any_of(UNITS_IN_ANSWERS)})(?![^\W\d_])"
    rf"|({any_of(money_signs_in_answers())}) ?\d"
)
_WHEN = re.compile(r"\b(?:when|what year|which year|what date|what day|what month|in what year)\b")
_HOW_MUCH = re.compile(
    r"\b(?:how (?:many|much|old|long|tall|high|far|big|large|deep|fast|heavy|wide)|what age)\b"
)
_AMOUNT = re.compile(rf"{_HOW_MUCH.pattern}|\b(?:number of|percent\w*|population)\b")
_WHO = re.compile(r"\b(?:who|whom|whose)\b")
_THING = re.compile(r"(?:what|which) (?!year|date|day|month|number|percent|age|time|score)\w+")
_NOW = re.compile(
    r"\b(?:today|yesterday|tomorrow|currently|current|now|latest|recent|recently|this (?:year|week"
    r"|month|season|quarter)|last (?:week|month|night|quarter|season)|so far|as of|upcoming|still"
    r"|price|stock|shares|market cap\w*)\b"
)
# Several things, each of which is a part of the answer.
_SEVERAL = re.compile(
    r"\b(?:who|what|which)(?: \w+)? (?:are|were)\b|\b(?:names|members|all|both|each|list)\b"
    rf"|\b(?<!how )(?:\d\d?|{any_of(list(NUMBER_WORDS)[2:])})"
    r" (?!years|months|weeks|days|hours)\w+s\b"
    r"|\bstart and end\b"
)
_AND = re.compile(r", | and ")
_OF_SEVERAL = re.compile(
    r"\b(?:how many|number of|total|average|difference|more|fewer|less|most|least|\w{2,}est|first"
    r"|last|same|both|all|list|or|besides|other|before|after|between)\b"
)
# Yes or no, reasons and ways: no span of a text says these.
_NO_SPAN = re.compile(
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|why)\b"
    r"|how (?:do|does|did|is|are|was|were|can|could|to|come)\b"
)
_ASKED_AT_END = re.compile(r"\b(?:which|what|whom?|where|when)(?: \w+){0,2}\W*$")
_OR = re.compile(r"\b(?:or|between)\b")
# What is measured, by the question's words.
_MEASURES = (
    (re.compile(r"\bhow heavy\b|\bhow much does .* weigh\b|\bweight\b"), {UnitKind.MASS}),
    (re.compile(r"\bhow (?:tall|high|far|deep|wide)\b|\bheight\b"), {UnitKind.LENGTH}),
    (re.compile(r"\bhow old\b|\bwhat age\b"), {UnitKind.TIME, UnitKind.DAYS, UnitKind.MONTHS}),
    (re.compile(r"\bpercent\w*"), {UnitKind.PERCENT}),
    (re.compile(r"\bhow much .*\b(?:cost|earn|pay|paid|spend)\b|\bprice\b"), set(MONEY_KINDS)),
)


def has_no_span(question: str) -> bool:
    """Whether the question asks for yes or no, a reason or a way.

    >>> has_no_span("Will it rain?"), has_no_span("Will Smith was born in which city?")
    (True, False)
    """
    lower = question.lower()
    return _NO_SPAN.match(lower) is not None and _ASKED_AT_END.search(lower) is None


def asks_for_several(question: str) -> bool:
    """Whether several things together are the answer.

    >>> asks_for_several("Who were the two hosts?"), asks_for_several("Who was the host?")
    (True, False)
    """
    return _SEVERAL.search(question.lower()) is not None


def can_be_asked_for(question: str, answer: str, text: str) -> bool:
    """Whether a span of `text` is a time or a number with the unit, where a question asks for one,
    and says more than the question; of a comparison, whether it is one of the sides, and all are
    named.

    >>> can_be_asked_for("how heavy is it?", "41 m", "It is 41 m tall.")
    False
    """
    lower = question.lower()
    if _lacks_a_number(lower, answer) or _has_another_unit(lower, answer):
        return False
    sides = sides_of(lower) if _OR.search(lower) else ()
    if sides:
        is_side = any(_shares_a_word(answer, side) for side in sides)
        return is_side and all(_shares_a_word(text, side) for side in sides)
    return not FUNCTION_WORDS.union(words(question)).issuperset(words(answer))


def features_of_question(question: str, answer: str) -> dict[str, float]:
    """Whether a span is of the type that is asked for, and the kinds of questions that a span of
    one text seldom answers."""
    lower = question.lower()
    return {
        "odd type": float(_is_of_another_type(lower, answer)),
        "no name": float(answer.islower()),
        "of now": float(bool(_NOW.search(lower))),
        "of several": float(bool(_OF_SEVERAL.search(lower))),
        "asks when": float(bool(_WHEN.search(lower))),
        "asks who": float(bool(_WHO.search(lower))),
        "asks how many": float(bool(_AMOUNT.search(lower))),
        "one of several": float(asks_for_several(lower) and not _AND.search(answer)),
    }


def _lacks_a_number(question: str, answer: str) -> bool:
    if _DIGIT.search(answer):
        return False
    if _WHEN.search(question):
        return not _TIME.search(answer)
    return bool(_HOW_MUCH.search(question)) and not _NUMBER_WORD.search(answer)


def _is_of_another_type(question: str, answer: str) -> bool:
    has_digit = bool(_DIGIT.search(answer))
    if _AMOUNT.search(question):
        return not has_digit and not _NUMBER_WORD.search(answer)
    if _WHO.search(question):
        return has_digit or answer.islower()
    if _THING.match(question):
        return not _LETTER.search(answer)
    return False


def _has_another_unit(question: str, answer: str) -> bool:
    """Whether an answer has the unit of another measure than the one that is asked for."""
    wanted = next((kinds for pattern, kinds in _MEASURES if pattern.search(question)), None)
    found = {UNITS_IN_ANSWERS[match[1] or match[2]][0] for match in _UNIT.finditer(answer.lower())}
    return wanted is not None and bool(found) and not found & wanted


def _shares_a_word(answer: str, side: str) -> bool:
    return bool((set(words(answer)) & set(words(side))) - FUNCTION_WORDS)
