"""Parses the START/END form in which electricsheep's models answer (§4.6, D.3 and D.5)."""

import re
from dataclasses import dataclass

START = "===START==="
END = "===END==="
_HEAD = r"^#*[ \t]*{}[ \t]*:[ \t]*"
_ANSWER = re.compile(_HEAD.format("answer"), re.I | re.M)
_PREMISE = re.compile(_HEAD.format("false premise"), re.I | re.M)
_VERDICT = re.compile(r"\W*(yes|no)\b", re.I)
_BULLET = re.compile(r"^[-*\u2022]\s+")
_PLACEHOLDER = re.compile(r"^<[^<>]*>$")  # the form itself, copied


@dataclass(frozen=True, slots=True)
class ReasonedForm:
    """The contents of the form.

    Attributes:
        answer: on one line.
        false_premise: the field's verdict; None if the form has no such field.
    """

    answer: str
    false_premise: bool | None = None


def read_form(text: str, *, premise: bool) -> ReasonedForm | None:
    """The form in `text`; None if `text` does not follow it.

    Args:
        premise: whether the form has the field for a false premise.
    """
    start = text.find(START)
    end = text.rfind(END)
    if start < 0 or end < start:
        return None
    body = text[start + len(START) : end]
    answers = list(_ANSWER.finditer(body))
    if not answers:
        return None
    answer_text = body[answers[-1].end() :]
    false_premise: bool | None = None
    field = _PREMISE.search(answer_text)
    if field is not None:
        false_premise = _read_verdict(answer_text[field.end() :])
        answer_text = answer_text[: field.start()]
    if premise and false_premise is None:
        return None
    answer = _one_line(answer_text)
    if not answer or _PLACEHOLDER.match(answer):
        return None
    return ReasonedForm(answer, false_premise)


def _read_verdict(text: str) -> bool | None:
    """Whether `text` begins with "yes"; None if it begins with neither "yes" nor "no"."""
    verdict = _VERDICT.match(text)
    if verdict is None:
        return None
    return verdict[1].lower() == "yes"


def _one_line(text: str) -> str:
    """The lines as one; list items are separated by commas."""
    lines = [_BULLET.sub("", line.strip()) for line in text.splitlines()]
    return ", ".join(line.rstrip(",;") for line in lines if line.strip("-#* "))
