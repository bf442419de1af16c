"""Yes or no."""

import re

from evaluation.judge.doubts import cues
from evaluation.judge.normalize import Text, read, words
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.reply import Reply
from utils.text import stem

_YES = frozenset(("yes", "yeah", "yep", "true", "correct", "affirmative"))
_NO = frozenset(("no", "nope", "false", "incorrect", "negative"))
# What may follow the answer "no" without a mark; before another word it is an article: "no film".
_GOES_ON = r"(?:it|he|she|they|the|there|this|that|we|i|its|his|because)\b"
_STARTS = re.compile(
    r"(?:^|[.!?:\n]\s*|\bis )\"?(yes|no|true|false)\b(?=[\s.,;:!?\"-]|$)"
    rf"(?! (?!{_GOES_ON})[a-z])"
)
_DETERMINER = re.compile(rf"no (?!{_GOES_ON})[a-z]")
_MORE = re.compile(r"more|less|fewer|most|least")
_COMPARES = re.compile(rf"{_MORE.pattern}|\w{{2,}}(?:er|est)")
_THAN = re.compile(r"\bthan\b")
_NOT = re.compile(r"\b(?:not|never|neither|cannot|\w+n't)\b")


def polarity(text: Text) -> bool | None:
    """True for yes, False for no, None where a text says neither or both."""
    said = {found in _YES for found in _STARTS.findall(text.folded)}
    if text.words and text.words[0] in _YES | _NO and not _DETERMINER.match(text.folded):
        said.add(text.words[0] in _YES)
    return said.pop() if len(said) == 1 else None


def judge_polar(gold: str, question: JudgedQuestion, reply: Reply) -> Judgement | None:
    """A verdict where `gold` says yes or no, else None."""
    gold_words = read(gold).words
    if not gold_words or gold_words[0] not in ("yes", "no", "true", "false"):
        return None
    if len(gold_words) > 1 and not question.polar:
        return None  # "no doubt" may be a name
    wanted = gold_words[0] in ("yes", "true")
    said = polarity(reply.bare)
    spoken = said is not None
    if said is None:
        said = _implied(question, reply)
    if said is None:
        return unscored("says neither yes nor no")
    if said != wanted:
        return wrong("says the opposite")
    why = _contradicted(wanted, gold, question, reply) if spoken else ""
    if why:
        return unscored(why)
    return correct("says yes" if wanted else "says no")


def _contradicted(wanted: bool, gold: str, question: JudgedQuestion, reply: Reply) -> str:
    """Why what stands beside a "yes" or "no" may take it back, or ""."""
    denials = words("cues", "denial")
    found = cues(reply.text.folded, question)
    if wanted and any(_NOT.fullmatch(word) or word in denials for word in found):
        return "says yes and denies"
    if {"yes", "no"} <= set(reply.text.words):
        return "says yes and no"
    if not same_order(question.text.folded, reply.text.folded):
        return "compares the other way round"
    known = read(gold)
    new = [w for w in reply.text.words if not (question.echoes(w) or w in known.words)]
    if any(_COMPARES.fullmatch(word) and not question.asks(word) for word in new):
        return "compares otherwise"
    if not wanted and _affirms(question, reply):
        return "says no and affirms"
    explained = [word for word in known.words if not question.echoes(word)]
    if (
        explained
        and any(w[0].isdigit() for w in new)
        and not set(explained) & set(reply.text.words)
    ):
        return "explains it otherwise"
    return ""


def _affirms(question: JudgedQuestion, reply: Reply) -> bool:
    """Whether a "no" is followed by what was asked about, not denied."""
    asked = {stem(token.text) for token in question.text.tokens if not token.stop}
    plain = not cues(reply.text.folded.removeprefix("no"), question)
    return plain and len(asked & reply.text.stems) >= max(2, 0.6 * len(asked))


def _implied(question: JudgedQuestion, reply: Reply) -> bool | None:
    """What a sentence that restates the question says: yes, or no where it has a "not"."""
    if not question.polar:
        return None
    asked = {stem(token.text) for token in question.text.tokens if not token.stop}
    for sentence in reversed(re.split(r"(?<=[a-z0-9])[.!?]\s|\n", reply.text.folded)):
        if asked and len(asked & read(sentence).stems) >= max(2, 0.6 * len(asked)):
            denials = cues(sentence, question)
            more = any(_adds(w, question) for w in read(sentence).words if w not in denials)
            plain = len(denials) <= 1 and all(_NOT.fullmatch(word) for word in denials)
            thans = [bool(_THAN.search(text)) for text in (question.text.folded, sentence)]
            alike = thans[0] == thans[1] and same_order(question.text.folded, sentence)
            restated = plain and not more and alike
            return not _NOT.search(sentence) if restated else None
    return None


def _adds(word: str, question: JudgedQuestion) -> bool:
    """Whether a word of a reply says something that the question does not."""
    if _MORE.fullmatch(word):
        return not question.asks(word)
    return not (question.echoes(word) or question.asks(word) or word in words("neutral"))


def same_order(asked: str, said: str) -> bool:
    """Whether two comparisons have the same things on the same sides of "than"."""
    if not (_THAN.search(asked) and _THAN.search(said)):
        return True
    sides = [[read(side) for side in _THAN.split(text, maxsplit=1)] for text in (asked, said)]
    (left, right), (first, second) = (
        [{token.text for token in side.tokens if not token.stop} for side in pair] for pair in sides
    )
    return bool(left & first and right & second) and not (right - left) & first
