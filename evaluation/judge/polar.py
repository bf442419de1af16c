"""Golds that say yes or no."""

import re

from evaluation.judge.doubts import adds, first_cue
from evaluation.judge.normalize import Text, tokenize
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion

_GOLD = re.compile(r"(?:yes|no|true|false)(?:\W*$|[,.;:!])")  # "no doubt" may be a name
# "no" before another word than these is an article: "no film".
_POLAR_ANSWER = re.compile(
    r"(?:^|[.!?:\n]\s*|\bis )\"?(?:(yes|yeah|true|correct)|(?:no|false|incorrect))\b"
    r"(?=\W|$)(?! (?!(?:it|he|she|they|the|there|this|that|we|i|its|his|because)\b)[a-z])"
)


def judge_polar(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` says yes or no, else None."""
    text = tokenize(gold)
    if not _GOLD.match(text.folded):
        return None
    gold_is_yes = text.words[0] in ("yes", "true")
    answers = {bool(yes) for yes in _POLAR_ANSWER.findall(reply.folded)}
    if len(answers) != 1:
        return unscored("says neither yes nor no")
    if gold_is_yes not in answers:
        return wrong("says the opposite")
    if gold_is_yes:
        cue = first_cue(reply.folded, question)
        if cue:
            return unscored(f"says yes and {cue!r}")
    for word in reply.words:
        if word not in text.words and adds(word, question):
            return unscored(f"says {word!r} beside it")
    return correct("says yes" if gold_is_yes else "says no")
