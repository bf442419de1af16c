"""Yes or no."""

import re

from evaluation.judge.normalize import Text, read, stem
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import Question
from evaluation.judge.reply import Reply
from evaluation.judge.topic import off_topic

_YES = frozenset(("yes", "yeah", "yep", "true", "correct", "affirmative"))
_NO = frozenset(("no", "nope", "false", "incorrect", "negative"))
_STARTS = re.compile(r"(?:^|[.!?:\n]\s*|\bis )\"?(yes|no|true|false)\b(?=[\s.,;:!?\"-]|$)")
_THAN = re.compile(r"\bthan\b")
_NOT = re.compile(r"\b(?:not|never|neither|cannot)\b|n't\b")


def polarity(text: Text) -> bool | None:
    """True for yes, False for no, None where a text says neither or both."""
    said = {found in _YES for found in _STARTS.findall(text.folded)}
    if text.words and text.words[0] in _YES | _NO:
        said.add(text.words[0] in _YES)
    return said.pop() if len(said) == 1 else None


def judge_polar(gold: str, question: Question, reply: Reply) -> Judgement | None:
    """A verdict where `gold` says yes or no, else None."""
    words = read(gold).words
    if not words or words[0] not in ("yes", "no", "true", "false"):
        return None
    if len(words) > 1 and not question.polar:
        return None  # "no doubt" may be a name
    wanted = words[0] in ("yes", "true")
    said = polarity(reply.bare)
    spoken = said is not None
    if said is None:
        said = _implied(question, reply)
    if said is None:
        return unscored("says neither yes nor no")
    if said != wanted:
        if not spoken and len(reply.text.tokens) > 20:
            return unscored("seems to say the opposite")
        return wrong("says the opposite")
    if question.further and len(words) > 1:
        return unscored("the question asks for more than yes or no")
    if spoken and off_topic(gold, question, reply):
        return unscored("the yes or no is about something else")
    return correct("says yes" if wanted else "says no")


def _implied(question: Question, reply: Reply) -> bool | None:
    """What a sentence that restates the question says: yes, or no where it has a "not"."""
    if not question.polar:
        return None
    asked = {stem(token.text) for token in question.text.tokens if not token.stop}
    for sentence in reversed(re.split(r"(?<=[a-z0-9])[.!?]\s|\n", reply.text.folded)):
        stems = read(sentence).stems
        if asked and len(asked & stems) >= max(2, 0.6 * len(asked)):
            same = _same_order(question.text.folded, sentence)
            return not _NOT.search(sentence) if same else None
    return None


def _same_order(asked: str, said: str) -> bool:
    """Whether two comparisons have the same things on the same sides of "than"."""
    if not (_THAN.search(asked) or _THAN.search(said)):
        return True
    sides = [[read(side) for side in _THAN.split(text, maxsplit=1)] for text in (asked, said)]
    if len(sides[0]) != len(sides[1]):
        return False
    (left, right), (first, second) = (
        [{token.text for token in side.tokens if not token.stop} for side in pair] for pair in sides
    )
    return bool(left & first and right & second) and not (right - left) & first
