"""Yes or no."""

import re

from evaluation.judge.doubts import adds, cue
from evaluation.judge.normalize import Text, read
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion

_GOLD = re.compile(r"(?:yes|no|true|false)(?:\W*$|[,.;:!])")  # "no doubt" may be a name
# "no" before another word than these is an article: "no film".
_SAID = re.compile(
    r"(?:^|[.!?:\n]\s*|\bis )\"?(?:(yes|yeah|true|correct)|(?:no|false|incorrect))\b"
    r"(?=\W|$)(?! (?!(?:it|he|she|they|the|there|this|that|we|i|its|his|because)\b)[a-z])"
)


def judge_polar(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` says yes or no, else None."""
    text = read(gold)
    if not _GOLD.match(text.folded):
        return None
    wanted = text.words[0] in ("yes", "true")
    said = {bool(yes) for yes in _SAID.findall(reply.folded)}
    if len(said) != 1:
        return unscored("says neither yes nor no")
    if wanted not in said:
        return wrong("says the opposite")
    denied = cue(reply.folded, question) if wanted else ""
    if denied:
        return unscored(f"says yes and {denied!r}")
    for word in reply.words:
        if word not in text.words and adds(word, question):
            return unscored(f"says {word!r} beside it")
    return correct("says yes" if wanted else "says no")
