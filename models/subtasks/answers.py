"""Extracts the answer from a model's text."""

import re

from models.llm.protocol import Completion
from models.records import INVALID, Answer, Source

_LABEL = re.compile(r"^(?:(?:final )?answer|response)\s*:\s*", re.I)
_QUOTES = "\"'`\u2018\u2019\u201c\u201d* "
_APOSTROPHE = re.compile(r"[\u2018\u2019]")
_TOLD = r"(?:information|context|references?|passages?|documents?|sources?|text|data|graph|answer)"
_NOT_SAID = r"\b(?:is|are|was|were)(?: not|n't) (?:\w{1,20}ly )?"
_NOT_GIVEN = rf"{_NOT_SAID}(?:mentioned|given|stated|provided|specified|available)\b"
_NOT_KNOWN = re.compile(
    r"\bi (?:don't|do not|cannot|can't) (?:know|answer|find|determine|say|tell)\b"
    r"|\bi(?:'m| am) not sure\b"
    r"|\b(?:not enough|insufficient|no) (?:information|context)\b"
    rf"|{_NOT_GIVEN} (?:in|by|from|within) (?:\w{{1,20}} ){{0,3}}{_TOLD}\b"
    rf"|{_NOT_SAID}(?:mentioned|stated|provided|specified)$"
    r"|^(?:unknown|n/?a|null)$",
    re.I,
)
# "not available" may be a correct answer, but not when it refers to the references
_READ = re.compile(rf"\b{_TOLD}\b", re.I)
_READ_NOT_GIVEN = re.compile(_NOT_GIVEN, re.I)
_INVALID = re.compile(r"\binvalid question\b|\bquestion is invalid\b", re.I)


def answer_of(completion: Completion, source: Source) -> Answer:
    """The answer in a completion: its first line without label and quotes.

    A completion that was cut off by the deadline or does not know the answer is "i don't know".
    """
    return said(completion.text, source) if completion.finished else Answer()


def said(text: str, source: Source) -> Answer:
    """The answer in a model's text."""
    line = next((line for line in text.splitlines() if line.strip(_QUOTES)), "")
    line = _LABEL.sub("", line.strip(_QUOTES)).strip(_QUOTES)
    plain = _APOSTROPHE.sub("'", line)
    if _INVALID.search(plain):
        return Answer(INVALID, source)
    if not line.rstrip(".") or _is_unknown(plain.rstrip(".")):
        return Answer()
    return Answer(line, source)


def _is_unknown(text: str) -> bool:
    """Whether a line states that its writer does not know, or that the references do not tell."""
    read = _READ.search(text)
    not_given = read and _READ_NOT_GIVEN.search(text, read.end())
    return bool(not_given or _NOT_KNOWN.search(text))
