"""Answers that are yes or no."""

import re

from evaluation.judge.claims import first_cue, sentence_at
from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.options import comparison
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.reading import AnswerType, Unread
from evaluation.judge.text import Text, tokenize
from utils.text import stem

_GOLD = re.compile(r"(?:yes|no|true|false)(?:\W*$|[,.;:!])")  # "no doubt" may be a name
_ANSWER = re.compile(r"\W*(?:(?P<yes>yes|yeah|true|correct)|no|false|incorrect)\b(?=\W*$|[,.;:!\n-])")
_DENIES = re.compile(r"\b(?:not?|never|neither|nor|\w+n't|nobody|none)\b")


def read_gold(gold: Text, question: JudgedQuestion) -> bool | None:
    """Whether a gold answer that begins with yes or no says yes."""
    if not _GOLD.match(gold.folded) or any(word.isdigit() for word in gold.words):
        return None
    return gold.words[0] in ("yes", "true")


def read_reply(reply: Text, question: JudgedQuestion, gold: bool) -> bool | Unread:
    """Whether a reply that begins with yes or no says yes, and nothing in it speaks against that."""
    match = _ANSWER.match(reply.folded)
    if match is None:
        return Unread("begins with neither yes nor no")
    says_yes = bool(match["yes"])
    _, end = sentence_at(match.end(), reply)
    rest = reply.folded[match.end() :].strip(" .,;:!-")
    first = reply.folded[match.end() : end].strip(" .,;:!-")
    supported = _supports(rest, question)
    if supported is not None and supported != says_yes:
        return Unread("contradicts itself")
    other = judge_lexicon().topics
    topics = {other[word] for word in tokenize(rest).words if word in other}
    if question.topics and topics - question.topics:
        return Unread(f"is about {min(topics - question.topics)!r}")
    if says_yes:
        cue = first_cue(rest, question)
        return Unread(f"says yes and {cue!r}") if cue else True
    if not rest or _DENIES.search(first or rest):
        return False
    opposite = judge_lexicon().less.keys() | judge_lexicon().more.keys()
    if any(word in opposite and not question.echoes(word) for word in reply.words):
        return False
    return Unread("says no and goes on")


def _supports(rest: str, question: JudgedQuestion) -> bool | None:
    """Whether what follows yes or no says yes, where the question compares two things."""
    asked = comparison(question.text)
    told = comparison(tokenize(rest))
    first, than, second = question.text.folded.partition(" than ")
    if asked is None or told is None or asked[0] != told[0] or not than:
        return None
    if _DENIES.search(rest):
        return None
    for token in tokenize(rest).tokens:
        if token.stop or stem(token.text) not in question.text.stems:
            continue
        is_second = token.text in tokenize(second).words
        if is_second != (token.text in tokenize(first).words):
            return is_second != (asked == told)
    return None


def equal(gold: bool, reply: bool) -> bool:
    """Whether both say the same."""
    return gold == reply


def contradicts(gold: bool, reply: bool) -> bool:
    """Whether one says yes and the other no."""
    return gold != reply


POLAR = AnswerType("yes or no", read_gold, read_reply, equal, contradicts)
