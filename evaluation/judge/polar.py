"""Answers that are yes or no."""

import re
from dataclasses import dataclass

from evaluation.judge.answer_type import AnswerType, Unread
from evaluation.judge.doubts import Doubt, first_cue, opposite_comparison, sentence_at
from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.options import compares
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.text import DENIES, Text, tokenize
from utils.text import stem

_GOLD = re.compile(r"(?:yes|no|true|false)(?:\W*$|[,.;:!])")  # "no doubt" may be a name
_ANSWER = re.compile(
    r"\W*(?:the answer is )?"
    r"(?:(?P<yes>yes|yeah|true|correct)|no|false|incorrect)\b(?=\W*$|[,.;:!\n-])"
)
_NOT = re.compile(r"\b(?:not(?! only)|never|\w+n't|there (?:is|was|are|were) no)\b")
_FEW = 3  # words of what follows yes or no
_LEAST_ECHOED = 0.6  # of the words of a sentence that says no


@dataclass(frozen=True, slots=True)
class Polar:
    """Whether a text says yes, the numbers that it gives, and the stems of what it adds."""

    says_yes: bool
    numbers: frozenset[str] = frozenset()
    reason: frozenset[str] = frozenset()


def read_gold(gold: Text, question: JudgedQuestion) -> Polar | None:
    """Whether a gold answer that begins with yes or no says yes."""
    if not _GOLD.match(gold.folded):
        return None
    reason = frozenset(stem(word) for word in gold.words[1:] if not question.echoes(word))
    return Polar(gold.words[0] in ("yes", "true"), _numbers(gold), reason)


def _numbers(text: Text) -> frozenset[str]:
    return frozenset(re.findall(r"\d[\d,.]*\d|\d", text.folded))


def read_reply(reply: Text, question: JudgedQuestion, gold: Polar) -> Polar | Unread:
    """Whether a reply says yes or no, and nothing in it speaks against that."""
    is_bare = len(reply.tokens) == 1
    if not is_bare and DENIES.search(question.text.folded):
        return Unread("answers a question that denies")
    answer = _says_yes(reply, question, gold)
    if isinstance(answer, Unread):
        return answer
    numbers = _numbers(reply)
    known = _numbers(question.text)
    if numbers and any(known and not numbers & known for known in (gold.numbers, known)):
        return Unread("gives another number with it")
    return Polar(answer)


def _says_yes(reply: Text, question: JudgedQuestion, gold: Polar) -> bool | Unread:
    match = _ANSWER.match(reply.folded)
    if match is None:
        return _implied(reply, question, gold)
    says_yes = bool(match["yes"])
    _, end = sentence_at(match.end(), reply)
    rest = reply.folded[match.end() :].strip(" .,;:!-")
    first = reply.folded[match.end() : end].strip(" .,;:!-")
    content = [token.text for token in tokenize(rest).tokens if not token.stop]
    if len(content) >= _FEW and not any(map(question.has, content)):
        return Unread("goes on about something else")
    supported = compares(tokenize(rest), question)
    if supported is not None and supported != says_yes:
        return Unread("contradicts itself")
    reason = _speaks_of_else(rest, question, says_yes)
    if reason:
        return Unread(reason)
    if says_yes:
        cue = first_cue(rest, question)
        return Unread(f"says yes and {cue!r}") if cue else True
    if not rest or DENIES.search(first or rest):
        return False
    compared = judge_lexicon().less.keys() | judge_lexicon().more.keys()
    if any(word in compared for word in reply.words):
        return False
    if gold.reason & tokenize(rest).stems:
        return False
    return Unread("says no and goes on")


def _implied(reply: Text, question: JudgedQuestion, gold: Polar) -> bool | Unread:
    """No, where a first sentence of the question's words denies them; yes is never implied."""
    _, end = sentence_at(0, reply)
    content = [token.text for token in reply.tokens if token.start < end and not token.stop]
    denied = _NOT.search(reply.folded[:end])
    if DENIES.search(question.text.folded) or denied is None:
        return Unread("begins with neither yes nor no")
    echoed = sum(map(question.has, content))
    if echoed >= _LEAST_ECHOED * len(content) and not gold.reason & reply.stems:
        return False
    return Unread("denies something")


def _speaks_of_else(rest: str, question: JudgedQuestion, says_yes: bool) -> Doubt:
    """What follows yes or no that is about something else, or says the opposite."""
    lexicon = judge_lexicon()
    words = tokenize(rest).words
    for rows, known in (
        (lexicon.topics, question.topics),
        (lexicon.contrasts, question.contrasts),
    ):
        other = {rows[word] for word in words if word in rows} - known
        if known and other:
            return f"is about {min(other)!r}"
    opposite = opposite_comparison(tokenize(rest).tokens, question)
    if opposite and not DENIES.search(rest):
        return opposite if says_yes else None
    return "says both" if re.search(r"[;.] (?:yes|no)\b", rest) else None


def equal(gold: Polar, reply: Polar) -> bool:
    """Whether both say the same."""
    return gold.says_yes == reply.says_yes


def contradicts(gold: Polar, reply: Polar) -> bool:
    """Whether one says yes and the other no."""
    return gold.says_yes != reply.says_yes


POLAR = AnswerType("yes or no", read_gold, read_reply, equal, contradicts)
