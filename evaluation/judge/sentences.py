"""Golds that are sentences: what they add to the question is the answer."""

import re

from evaluation.judge.doubts import first_cue
from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.names import find_name
from evaluation.judge.normalize import Text, tokenize
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion
from utils.text import stem

_MANY = 8  # new words of a gold, beyond which sharing all or none of them says little
_BEFORE_ANSWER = re.compile(
    r"(?:^|\b(?:is|was|are|were|by|called|named|titled|entitled) )(?:the |an? )?[\"']?$"
)


def judge_sentence(gold: str, question: JudgedQuestion, reply: Text) -> Judgement:
    """A verdict on a gold of a sentence or more."""
    text = tokenize(gold)
    core = _answering_stems(text, question)
    if not core or not _answering_stems(reply, question):
        return unscored("adds nothing to the question")
    if not core & reply.stems:
        if len(core) <= _MANY:
            return wrong("gives another answer")
        return unscored("shares no word with a long gold")
    if reply.short and _is_answer_of(reply, text):
        return correct("gives the answer")
    if len(core) > _MANY or not core <= reply.stems:
        return unscored("shares a part of a sentence")
    cue = first_cue(reply.folded, question)
    if cue and cue not in text.words:
        return unscored(f"says {cue!r} of it")
    return correct("says all that the gold adds to the question")


def _is_answer_of(reply: Text, gold: Text) -> bool:
    """Whether `reply` stands in the gold sentence where an answer stands: after "is", or last."""
    for start, end in find_name(reply, gold):
        if _BEFORE_ANSWER.search(gold.folded[:start]):
            return True
        if not re.search(r"\w", gold.folded[end:]):
            return True
    return False


def _answering_stems(text: Text, question: JudgedQuestion) -> set[str]:
    """The stems of the words that may answer: neither the question's nor weak ones."""
    weak = judge_lexicon().weak.words
    return {stem(word) for word in text.words if not (question.echoes(word) or word in weak)}
