"""Golds that are sentences: what they add to the question is the answer."""

import re

from evaluation.judge.doubts import cue
from evaluation.judge.names import find
from evaluation.judge.normalize import Text, read, words
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion
from utils.text import stem

_MANY = 8  # new words of a gold, beyond which sharing all or none of them says little
_BEFORE_ANSWERS = re.compile(
    r"(?:^|\b(?:is|was|are|were|by|called|named|titled|entitled) )(?:the |an? )?[\"']?$"
)


def judge_sentence(gold: str, question: JudgedQuestion, reply: Text) -> Judgement:
    """A verdict on a gold of a sentence or more."""
    text = read(gold)
    core, said = _new(text, question), _new(reply, question)
    if not core or not said:
        return unscored("adds nothing to the question")
    if not core & reply.stems:
        few = len(core) <= _MANY
        return wrong("gives another answer") if few else unscored("shares no word with a long gold")
    spans = find(reply, text) if reply.short else []
    for start, end in spans:
        if _BEFORE_ANSWERS.search(text.folded[:start]) or not re.search(r"\w", text.folded[end:]):
            return correct("gives the answer")
    if len(core) > _MANY or not core <= reply.stems:
        return unscored("shares a part of a sentence")
    found = cue(reply.folded, question)
    if found and found not in text.words:
        return unscored(f"says {found!r} of it")
    return correct("says all that the gold adds to the question")


def _new(text: Text, question: JudgedQuestion) -> set[str]:
    """The stems of the words that may answer: neither the question's nor weak ones."""
    dull = words("weak")
    return {stem(word) for word in text.words if not (question.echoes(word) or word in dull)}
