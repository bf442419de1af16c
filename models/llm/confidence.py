"""The probability of a completion, and keys that equal answers share (dragonrangers, §3)."""

import math
import re

from models.llm.protocol import Completion
from utils.text import fold, without_articles, words_with_signs

# "No. 5" and "No Angel" are names.
_VERDICT = re.compile(
    r"\W*(yes|no)(?!\. ?\d)(?=\W*$| ?[,.;:!(\u2013\u2014]| -|,? (?:it|because)\b)", re.I
)
_BETWEEN = re.compile(r"(?<!\d),|,(?!\d)|;|&|\band\b", re.I)  # members of a list


def sequence_confidence(completion: Completion) -> float | None:
    """C, the geometric mean of the tokens' probabilities; None without log-probabilities.

    It is comparable between lengths, as section 3.2 wants it; equation 5 taken literally is not.
    """
    if not completion.logprobs:
        return None
    return math.exp(math.fsum(completion.logprobs) / len(completion.logprobs))


def vote_key(answer: str) -> tuple[tuple[str, ...], ...]:
    """A key that equal answers share.

    It is "yes" or "no" without an explanation, else the `answer_key` of each member of a list, in
    any order.
    """
    verdict = _VERDICT.match(answer)
    if verdict:
        return ((verdict[1].lower(),),)
    members = [member for member in _BETWEEN.split(answer) if member.strip()]
    return tuple(sorted(answer_key(member) for member in members))


def answer_key(answer: str) -> tuple[str, ...]:
    """The words of an answer, without case, accents, articles, marks and digit groups: models
    write one answer to one question with and without them. "-3" and "3", or "C++" and "C", are
    two answers."""
    without_groups = re.sub(r"(?<=\d),(?=\d{3}\b)", "", answer)
    return tuple(without_articles(words_with_signs(without_groups))) or (fold(answer),)
