"""Verdicts that need no type: exact match, "invalid question", "i don't know"."""

import re
import unicodedata

from evaluation.judge.protocol import Item, Judgement, Verdict, correct, unscored, wrong
from evaluation.judge.text import fold
from models.records import INVALID
from utils.text import without_articles

# What may differ in an exact match: not the signs of "C++", "A-", "$5" or "3-1".
_IDLE_MARKS = re.compile(r"[\"'*_,;:!?.]+(?=\s|$)|(?:^|(?<=\s))[\"'*_]+|(?<=\d),(?=\d{3}\b)")
_SUBJECT = r"(?:i|we)(?: am| are| was| were|'m|'re)? "
_SAY = rf"(?:{_SUBJECT})?"
_UNABLE = r"(?:not |un)able to"
_NOT = rf"(?:(?:\w+ )?not|\w+n't|dont|cannot|{_UNABLE})"
_NOUN = (
    r"(?:information|info|data|details?|answer|evidence|record|knowledge|results?|mention|access"
    r"|context|way|idea|clue)"
)
_VERB = (
    r"(?:know|remember|recall|find|answer|determine|provide|verify|confirm|locate|access|say|tell"
    r"|give|offer|identify|see|predict|retrieve)"
)
_ADVERBS = r"(?:[a-z]+ly |just )?"
# Each pattern says that the answer is unknown; the prediction must begin with it, perhaps after an
# apology.
_WAYS = (
    r"(?:i ?d ?k|dunno)\b",
    rf"{_SAY}(?:not|un)[ -]?{_ADVERBS}(?:sure|certain)\b",
    # "Don't Say a Word" is a title: without a subject, few verbs tell of not knowing.
    rf"(?:{_SUBJECT}{_ADVERBS}{_NOT}|{_UNABLE}) {_ADVERBS}{_VERB}\b",
    rf"{_ADVERBS}{_NOT} {_ADVERBS}(?:know|find|answer|determine)\b",
    rf"{_SAY}(?:{_NOT} {_ADVERBS}have|lack|have no|would need)\b(?: [\w,-]+){{0,5}}? {_NOUN}\b",
    rf"(?:there (?:is|was) |there's )?(?:no|not enough|insufficient) (?:\w+ )?{_NOUN}\b"
    r"(?! by\b)(?: (?:is|was|are|were|available|found|provided|given|about|on|in|to|for)\b|$)",
    rf"(?:the |provided |given )*(?:{_NOUN}|passages?|documents?|references?|sources?)"
    rf"(?: \w+){{0,3}}? {_NOT} (?:\w+ )?(?:available|known|provided|given|found|contain|include"
    r"|mention|specif\w+|enough|sufficient|say|state|answer)\b",
    r"(?:it|this|that|the(?: [\w-]+){1,5}?) (?:is|was|are|were|remains) (?:unknown|unclear"
    r"|uncertain|not (?:known|clear|available))\b",
    rf"[\w' -]{{1,40}} {_NOT} be (?:determined|found|answered|verified)\b",
    r"(?:unknown|unanswerable|unclear|n/a|unavailable|none found"
    r"|not (?:available|known|found|provided|specified|applicable))$",
    r"as an ai\b.*\bnot\b",
)
_OPENER = (
    r"(?:(?:as of|to|based on|according to) (?:my|the|today)\b[^,.\n]{0,60}, )?"
    r"(?:(?:i(?:'m| am)? )?(?:very |so |really )?(?:sorry|apologi[sz]e|unfortunately|regrettably"
    r"|well|hmm+|honestly|currently|at this time)(?: (?:for the inconvenience|about that))?"
    r"[,.:;!]? *(?:but |that )?)*"
)
_MISSING = re.compile(rf"{_OPENER}(?:{'|'.join(_WAYS)})")

# "I'm not sure, but I think it is Paris" and "I'm not sure. Paris?" are answers.
_HEDGE = re.compile(
    r"\b(?:but|however|though)\b[^.!?\n]*?\b(?:is|it's|was|are|were)\b"
    r"|\b(?:i (?:think|believe)|my guess|probably|maybe|perhaps|possibly|likely)\b"
)
_SHORT_ANSWER = re.compile(
    r"[^.!?;:\n]{0,60}?(?:[.!?;:\n]| - |, but )\s*(?:but |so )?(?:[\w'-]+,? ?){1,6}\W*$"
)
# An offer of help is no answer.
_HELP = re.compile(
    r"\b(?:i (?:can|could|recommend|suggest)|you|please|check|visit|sorry"
    r"|(?:the|this|that|provided) (?:\w+ )?(?:information|data|sources?|documents?|context))\b"
)
_MARKS = re.compile(r"[\s\"'.,!?;:*()\[\]{}<>_`#|-]+")


# What may say in other words that a question is invalid.
_MAY_DENY = re.compile(
    r"\b(?:not?|never|none|nobody|neither|\w+n't|false|premise|invalid|incorrect|mistake\w*|instead"
    r"|actually|without|yet|before|cannot|impossible|fiction\w*|hypothetical|rumou?r\w*|however"
    r"|although|but|only|still|zero|wrong|assum\w+|alive|confus\w*|unaware|exist\w*)\b"
)


def is_missing(text: str) -> bool:
    """Whether `text` says, in whatever words, that the answer is not known.

    A hedged answer is an answer: "i think it is paris, but i'm not sure" is not missing. A system
    that reads such a line of its own model gives no answer instead (`models/subtasks/answers.py`).
    """
    if not any(char.isalnum() or unicodedata.category(char) == "So" for char in text):
        return True
    statement = fold(text).lstrip(" \"'.,*([\n-").rstrip(" .!\"'*)]")
    match = _MISSING.match(statement)
    if match is None:
        return False
    rest = statement[match.end() :]
    if _HELP.search(rest):
        return True
    return not (_HEDGE.search(rest) or _SHORT_ANSWER.match(rest))


def is_invalid(text: str) -> bool:
    """Whether `text`, but for case and marks, is exactly "invalid question"."""
    return _without_marks(text) == INVALID


def is_unanswered(gold: str) -> bool:
    """Whether a gold answer itself holds no answer: "i don't know", "nan", "n/a", nothing."""
    plain = _without_marks(gold)
    if plain in ("nan", "null"):
        return True
    # A gold that knows nothing says so in full; "no idea" is a title.
    return plain != "no idea" and is_missing(gold)


def _without_marks(text: str) -> str:
    """`text`, folded, with a blank for each run of punctuation marks."""
    return _MARKS.sub(" ", fold(text)).strip()


def settle(item: Item) -> Judgement | None:
    """The judgement that needs no judge, or None.

    The contest's rules: not knowing is missing whatever the gold; "invalid question" is right
    exactly where a gold says so, and nothing else is right there.
    """
    answers = [gold for gold in item.golds if not is_unanswered(gold)]
    if any(_is_exact_match(item.prediction, gold) for gold in answers):
        return correct("exact match", "exact match")
    if is_missing(item.prediction):
        return Judgement(Verdict.MISSING, "says that it does not know", rule="not known")
    if is_invalid(item.prediction):
        return wrong("calls a valid question invalid", "invalid question")
    if item.golds and all(map(is_invalid, item.golds)):
        return judge_answer_of_invalid(item.prediction)
    return None


def judge_answer_of_invalid(prediction: str) -> Judgement:
    """The judgement of an answer that is not "invalid question" where the gold is that."""
    if _MAY_DENY.search(fold(prediction)):
        return unscored("may say that the question is invalid", "invalid question")
    return wrong("answers an invalid question", "invalid question")


def _is_exact_match(prediction: str, gold: str) -> bool:
    """Whether both are the same but for case, articles, and quotes or marks between words."""
    words = _IDLE_MARKS.sub(" ", fold(gold)).split()
    reply = _IDLE_MARKS.sub(" ", fold(prediction)).split()
    return bool(words) and without_articles(reply) == without_articles(words)
