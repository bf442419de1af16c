"""The probability of a completion, and which answers are the same (dragonrangers, §3)."""

import math
import re

from models.llm.protocol import Completion
from utils.text import fold, words

# "No. 5" and "No Angel" are names.
_VERDICT = re.compile(
    r"\W*(yes|no)(?!\. ?\d)(?=\W*$| ?[,.;:!(\u2013\u2014]| -|,? (?:it|because)\b)", re.I
)
_BETWEEN = re.compile(r"(?<!\d),|,(?!\d)|;|&|\band\b", re.I)  # members of a list
_ARTICLES = frozenset({"a", "an", "the"})


def sequence_confidence(completion: Completion) -> float | None:
    """C, the geometric mean of the tokens' probabilities, which is comparable between lengths as
    section 3.2 wants it (equation 5 to the letter is not); None without log-probabilities."""
    if not completion.logprobs:
        return None
    return math.exp(math.fsum(completion.logprobs) / len(completion.logprobs))


def vote_key(answer: str) -> tuple[tuple[str, ...], ...]:
    """A key that equal answers share: "yes" or "no" without its explanation, or the members of a
    list, in any order, each by `answer_key`."""
    verdict = _VERDICT.match(answer)
    if verdict:
        return ((verdict[1].lower(),),)
    return tuple(sorted(answer_key(member) for member in _BETWEEN.split(answer) if member.strip()))


def answer_key(answer: str) -> tuple[str, ...]:
    """The words of an answer, without case, accents, articles, punctuation and digit groups."""
    plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", answer)
    kept = tuple(word for word in words(plain) if word not in _ARTICLES)
    return kept or (fold(answer),)
