"""Yes or no."""

import re

from evaluation.judge.doubts import cue
from evaluation.judge.normalize import Text, read, words
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion

# "no" before another word than these is an article: "no film".
_SAID = re.compile(
    r"(?:^|[.!?:\n]\s*|\bis )\"?(?:(yes|yeah|true|correct)|(?:no|false|incorrect))\b"
    r"(?=\W|$)(?! (?!(?:it|he|she|they|the|there|this|that|we|i|its|his|because)\b)[a-z])"
)


def polarity(text: Text) -> bool | None:
    """True for yes, False for no, None where a text says neither or both."""
    said = {bool(yes) for yes in _SAID.findall(text.folded)}
    return said.pop() if len(said) == 1 else None


def judge_polar(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` says yes or no, else None."""
    known = read(gold).words
    if known[:1] not in (("yes",), ("no",), ("true",), ("false",)):
        return None
    if len(known) > 1 and not question.polar:
        return None  # "no doubt" may be a name
    wanted = known[0] in ("yes", "true")
    said = polarity(reply)
    if said is None:
        return unscored("says neither yes nor no")
    if said != wanted:
        return wrong("says the opposite")
    denied = cue(reply.folded, question)
    if wanted and denied:
        return unscored(f"says yes and {denied!r}")
    neutral = words("neutral")
    for word in reply.words:
        known_word = word.isdigit() or word in known or word in neutral
        if not (known_word or question.echoes(word) or question.asks(word)):
            return unscored(f"says {word!r} beside it")
    return correct("says yes" if wanted else "says no")
