"""Parses the output of bumblebee7's agents (sections 4.1 and 5.1)."""

import re

# Within a line: a pattern across lines would scan all following lines from each line.
_ANSWER = re.compile(r"^[ \t*_#]*(?:final[ \t]+)?answer[ \t*_]*:[ \t*_]*", re.I | re.M)
_THOUGHTS = re.compile(r"^[ \t*_#]*thoughts?[ \t*_]*:[ \t*_]*", re.I)
_QUESTION = re.compile(r"^\W*(?:rewritten )?(?:question|query)\s*:\s*", re.I)
_NO_PREMISE = re.compile(r"\W*(?:none|n/a|nothing|no premises?)\b", re.I)
_FALSE = re.compile(r"\W*false\b", re.I)
_LONGEST_REWRITE = 3  # times the question's length, plus the length of dates
_DATES_CHARS = 60


def read_thoughts(text: str, *, whole: bool = True) -> tuple[str, str]:
    """The thoughts, and the last line labelled as their answer; without a label the last line, or
    nothing if `text` is incomplete."""
    thoughts = text
    answer = ""
    labels = list(_ANSWER.finditer(text))
    if labels:
        last_label = labels[-1]
        thoughts = text[: last_label.start()]
        answer = text[last_label.end() :].strip().split("\n")[0]
    elif whole:
        answer = next((line for line in reversed(text.splitlines()) if line.strip()), "")
    return _THOUGHTS.sub("", thoughts.strip()).strip(), answer.strip()


def read_rewritten(text: str, question: str) -> str:
    """The rewritten question in a reply; `question` itself if there is none."""
    first_line = next((line for line in text.splitlines() if line.strip()), "")
    line = _QUESTION.sub("", first_line).strip("\"' ")
    too_long = len(line) > _LONGEST_REWRITE * len(question) + _DATES_CHARS
    if not line or too_long:
        return question
    return line


def read_premise(text: str) -> str | None:
    """The assumption of a question; None if it has none."""
    premise = " ".join(text.split())
    if not premise or _NO_PREMISE.match(premise):
        return None
    return premise


def is_false(text: str) -> bool:
    """Whether a verdict on a premise is "false", and does not merely contain the word."""
    return _FALSE.match(text) is not None
