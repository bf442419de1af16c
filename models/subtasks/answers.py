"""Extracts the answer from a model's text."""

import re

from models.english.refusals import is_refusal
from models.llm.protocol import Completion
from models.records import INVALID, Answer, Source
from utils.text import fold

_LABEL = re.compile(r"^(?:(?:final )?answer|response)\s*:\s*", re.I)
_QUOTES = "\"'`\u2018\u2019\u201c\u201d* "
_APOSTROPHE = re.compile(r"[\u2018\u2019]")
# The words for what a model reads its answer from.
_REFERENCES = (
    r"(?:information|context|references?|passages?|documents?|sources?|text|data|graph|answer)"
)
_IS_NOT = r"\b(?:is|are|was|were)(?: not|n't) (?:\w{1,20}ly )?"
_NOT_GIVEN = rf"{_IS_NOT}(?:mentioned|given|stated|provided|specified|available)\b"
_UNKNOWN_PHRASE = re.compile(
    r"\bi (?:don't|do not|cannot|can't) (?:know|answer|find|determine|say|tell)\b"
    r"|\bi(?:'m| am) not sure\b"
    r"|\b(?:not enough|insufficient|no) (?:information|context)\b"
    rf"|{_NOT_GIVEN} (?:in|by|from|within) (?:\w{{1,20}} ){{0,3}}{_REFERENCES}\b"
    rf"|{_IS_NOT}(?:mentioned|stated|provided|specified)$"
    r"|^(?:unknown|n/?a|null)$",
    re.I,
)
# "not available" may be a correct answer, but not when it refers to the references
_REFERENCES_MENTION = re.compile(rf"\b{_REFERENCES}\b", re.I)
_NOT_GIVEN_PHRASE = re.compile(_NOT_GIVEN, re.I)
_LOWER_CASE_WORD = re.compile(r"\b[a-z]{4,}")  # titles have none: "Can't Find My Way Home"
_INVALID = re.compile(r"\binvalid question\b|\bquestion is invalid\b", re.I)


def answer_of(completion: Completion, source: Source) -> Answer:
    """The answer in a completion: its first line without label and quotes.

    A completion that was cut off by the deadline or does not know the answer is "i don't know".
    """
    if not completion.finished:
        return Answer()
    return read_answer(completion.text, source)


def read_answer(text: str, source: Source) -> Answer:
    """The answer in a model's text: its first line without label and quotes."""
    first_line = next((line for line in text.splitlines() if line.strip(_QUOTES)), "")
    unlabelled = _LABEL.sub("", first_line.strip(_QUOTES))
    answer = unlabelled.strip(_QUOTES)
    straight = _APOSTROPHE.sub("'", answer)  # with straight apostrophes, as in the patterns
    if _INVALID.search(straight):
        return Answer(INVALID, source)
    if not answer.rstrip(".") or _leaves_open(straight.rstrip(".")):
        return Answer()
    return Answer(answer, source)


def _leaves_open(line: str) -> bool:
    """Whether a line is a refusal, or states anywhere that its writer does not know, or that the
    references do not tell: "Paris, but I'm not sure" is no answer, which costs less than a wrong
    one."""
    if _UNKNOWN_PHRASE.search(line):
        return True
    if _LOWER_CASE_WORD.search(line) and is_refusal(fold(line)):
        return True
    mention = _REFERENCES_MENTION.search(line)
    if mention is None:
        return False
    return _NOT_GIVEN_PHRASE.search(line, mention.end()) is not None
