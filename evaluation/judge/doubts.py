"""Reasons why a reply that contains the gold answer may give another answer.

One principle: the text around the answer must add nothing. A word that is neither in the question
nor neutral may turn the reply into the answer to another question. A doubt turns "correct" into
"unscored"; it never makes a reply correct.
"""

import re

from evaluation.judge.normalize import Span, Text, words
from evaluation.judge.question import JudgedQuestion

_LEAD = 4  # words before a value within which a bound stands
_PARTS = re.compile(
    r"[.!?]+[\"')\]]*\s|[\n;():]|,(?!\d{3})|\s-+\s"
    r"|\b(?:and|but|while|whereas|which|although|though)\b"
)
# In "bo did, but it was ada" the answer follows the "but"; in "anyone but ada" it does not.
_ALL_BUT = re.compile(r"\b(?:any|every|all|none|no)\w*(?: \w+)? but\b")
_TURN = re.compile(rf"{_ALL_BUT.pattern}|\b(but|although|though|however|whereas|while)\b")
_HIDDEN = re.compile(r"(?<![a-z0-9])[\"'][^\"']*[\"']|\([^()]*\)")
_WORD = re.compile(r"(?!may,? \d)[a-z]+(?:'[a-z]+)?")  # "may 4" is a month
_SURE = re.compile(
    r"\b(?:but )?(?:i am|i'm|im)? ?not (?:entirely |quite |completely |\w+ )?(?:sure|certain)\b"
    r"|\bnot only\b|\bi (?:do not|don't) (?:know|recall|remember)[^,.;]*"
    r"|\bi can(?:no|')t say for (?:sure|certain)\b"
)


def cue(folded: str, question: JudgedQuestion) -> str:
    """The first word that denies, retracts or hedges and is not in the question, or "".

    "not only" and "i'm not sure" are no such words.
    """
    plain = _SURE.sub(" ", folded)
    for found in (*_ALL_BUT.finditer(plain), *_WORD.finditer(plain)):
        word = found.group()
        denies = word.endswith(("n't", " but")) or word in words("cues")
        if denies and not question.asks(word):
            return word
    return ""


def adds(word: str, question: JudgedQuestion) -> bool:
    """Whether `word` says something that neither the question nor a neutral word says."""
    if question.echoes(word) or question.asks(word):
        return False
    if len(word) == 1:
        return word.isdigit()  # "grey tides 2"
    return not word.isdigit() and word not in words("neutral")


def doubt(spans: list[Span], question: JudgedQuestion, reply: Text) -> str:
    """The reason to doubt that the reply gives the name at `spans` as its answer; "" if at least
    one mention is beyond doubt."""
    return _least([_beside(s, _after_turn(s, reply), question, reply) for s in spans])


def doubt_member(
    spans: list[Span], own: frozenset[str], question: JudgedQuestion, reply: Text
) -> str:
    """The same for one member of a list; words in `own` raise no doubt beside it."""
    return _least([_beside(s, _clause(s, reply), question, reply, own) for s in spans])


def doubt_value(spans: list[Span], kind: str, question: JudgedQuestion, reply: Text) -> str:
    """The reason to doubt that the reply gives the date or number at `spans` as its answer; "" if
    at least one mention is beyond doubt.

    Args:
        kind: the row of the table of bounds: "dates" or "numbers".
    """
    return _least([_doubt_value(span, kind, question, reply) for span in spans])


def _doubt_value(span: Span, kind: str, question: JudgedQuestion, reply: Text) -> str:
    first, last = _clause(span, reply)
    lead = [token.text for token in reply.tokens if first <= token.start < span[0]][-_LEAD:]
    if any(word in words("bounds", kind) and not question.asks(word) for word in lead):
        return "gives a bound"
    behind = [token for token in reply.tokens if token.start >= span[1]]
    if behind and behind[0].text in words("bounds", "behind"):
        return "gives a difference"
    numbers = [token.start for token in behind if token.text[0].isdigit()]
    around = first, min([last, *numbers])  # "12 goals in 34 games"
    own = words("counted") if kind == "numbers" else frozenset()
    return _beside(span, around, question, reply, own)


def _least(reasons: list[str]) -> str:
    return "" if "" in reasons or not reasons else reasons[0]


def _after_turn(span: Span, text: Text) -> Span:
    """The offsets from the last "but" before `span` to the end."""
    turns = [found.end() for found in _TURN.finditer(text.folded, 0, span[0]) if found[1]]
    return max(turns, default=0), len(text.folded)


def _clause(span: Span, text: Text) -> Span:
    """The offsets from the last mark or joining word before `span` to the next one after it."""
    before = [found.end() for found in _PARTS.finditer(text.folded, 0, span[0])]
    after = _PARTS.search(text.folded, span[1])
    return max(before, default=0), after.start() if after else len(text.folded)


def _beside(
    span: Span,
    around: Span,
    question: JudgedQuestion,
    text: Text,
    own: frozenset[str] = frozenset(),
) -> str:
    """What the text `around` an answer at `span` adds to it, or ""."""
    outside = f"{text.folded[around[0] : span[0]]} ; {text.folded[span[1] : around[1]]}"
    found = cue(outside, question)
    if found:
        return f"says {found!r} of it"
    hidden = [span] + [
        found.span() for pattern in (_HIDDEN, _SURE) for found in pattern.finditer(text.folded)
    ]
    for token in text.tokens:
        apart = any(a <= token.start < b for a, b in hidden)
        if around[0] <= token.start < around[1] and not apart and token.text not in own:
            if adds(token.text, question):
                return f"says {token.text!r} beside it"
    return ""
