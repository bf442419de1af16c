"""Verdicts that need no type: exact match, "invalid question", "i don't know"."""

import re
import unicodedata

from evaluation.judge.protocol import Item, Judgement, Verdict, correct, unscored, wrong
from evaluation.judge.text import fold
from models.english.refusals import is_refusal
from models.records import INVALID
from utils.text import without_articles

# What may differ in an exact match: not the signs of "C++", "A-", "$5" or "3-1".
_IDLE_MARKS = re.compile(r"[\"'*_,;:!?.]+(?=\s|$)|(?:^|(?<=\s))[\"'*_]+|(?<=\d),(?=\d{3}\b)")
_MARKS = re.compile(r"[\s\"'.,!?;:*()\[\]{}<>_`#|-]+")


# What may say in other words that a question is invalid.
_MAY_DENY = re.compile(
    r"\b(?:not?|never|none|nobody|neither|\w+n't|false|premise|invalid|incorrect|mistake\w*|instead"
    r"|actually|without|yet|before|cannot|impossible|fiction\w*|hypothetical|rumou?r\w*|however"
    r"|although|but|only|still|zero|wrong|assum\w+|alive|confus\w*|unaware|exist\w*)\b"
)


def is_missing(text: str) -> bool:
    """Whether `text` says, in whatever words, that the answer is not known; a hedged answer is an
    answer."""
    if not any(char.isalnum() or unicodedata.category(char) == "So" for char in text):
        return True
    return is_refusal(fold(text))


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
