"""Reasons why a reply that contains the gold answer may give another answer.

One principle: the text around the answer must add nothing. A word that is neither in the question
nor neutral may turn the reply into the answer to another question. A doubt turns "correct" into
"unscored"; it never makes a reply correct.
"""

import re
from typing import Literal

from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.normalize import CharSpan, Text
from evaluation.judge.question import JudgedQuestion

DoubtedValues = Literal["dates", "numbers"]

_LEAD = 4  # words before a value within which a bound stands
_CLAUSE_END = re.compile(
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


def first_cue(folded: str, question: JudgedQuestion) -> str:
    """The first word that denies, retracts or hedges and is not in the question, or "".

    "not only" and "i'm not sure" are no such words.
    """
    plain = _SURE.sub(" ", folded)
    for match in (*_ALL_BUT.finditer(plain), *_WORD.finditer(plain)):
        word = match.group()
        denies = word.endswith(("n't", " but")) or word in judge_lexicon().cues.every
        if denies and not question.asks(word):
            return word
    return ""


def adds(word: str, question: JudgedQuestion) -> bool:
    """Whether `word` says something that neither the question nor a neutral word says."""
    if question.echoes(word) or question.asks(word):
        return False
    if len(word) == 1:
        return word.isdigit()  # "grey tides 2"
    return not word.isdigit() and word not in judge_lexicon().neutral.every


def doubt_name(spans: list[CharSpan], question: JudgedQuestion, reply: Text) -> str:
    """The reason to doubt that the reply gives the name at `spans` as its answer; "" if at least
    one mention is beyond doubt."""
    reasons = [_addition(span, _after_turn(span, reply), question, reply) for span in spans]
    return _of_best_mention(reasons)


def doubt_member(
    spans: list[CharSpan], member_words: frozenset[str], question: JudgedQuestion, reply: Text
) -> str:
    """The same as `doubt_name` for one member of a list; a word in `member_words` raises no doubt
    beside it."""
    reasons = [
        _addition(span, _clause(span, reply), question, reply, member_words) for span in spans
    ]
    return _of_best_mention(reasons)


def doubt_value(
    spans: list[CharSpan], kind: DoubtedValues, question: JudgedQuestion, reply: Text
) -> str:
    """The reason to doubt that the reply gives the date or number at `spans` as its answer; "" if
    at least one mention is beyond doubt."""
    return _of_best_mention([_doubt_mention(span, kind, question, reply) for span in spans])


def _doubt_mention(
    span: CharSpan, kind: DoubtedValues, question: JudgedQuestion, reply: Text
) -> str:
    """The reason to doubt one mention of a date or number, or ""."""
    bounds = judge_lexicon().bounds
    first, last = _clause(span, reply)
    before = [token.text for token in reply.tokens if first <= token.start < span[0]]
    bound_words = bounds.numbers if kind == "numbers" else bounds.dates
    for word in before[-_LEAD:]:
        if word in bound_words and not question.asks(word):
            return "gives a bound"
    behind = [token for token in reply.tokens if token.start >= span[1]]
    if behind and behind[0].text in bounds.behind:
        return "gives a difference"
    for token in behind:
        if token.text[0].isdigit():  # "12 goals in 34 games"
            last = min(last, token.start)
            break
    harmless = judge_lexicon().counted.words if kind == "numbers" else frozenset[str]()
    return _addition(span, (first, last), question, reply, harmless)


def _of_best_mention(reasons: list[str]) -> str:
    """The reason that remains if each mention has one; "" if one has none."""
    if "" in reasons or not reasons:
        return ""
    return reasons[0]


def _after_turn(span: CharSpan, text: Text) -> CharSpan:
    """The offsets from the last "but" before `span` to the end."""
    turns = [match.end() for match in _TURN.finditer(text.folded, 0, span[0]) if match[1]]
    return max(turns, default=0), len(text.folded)


def _clause(span: CharSpan, text: Text) -> CharSpan:
    """The offsets from the last mark or joining word before `span` to the next one after it."""
    before = [match.end() for match in _CLAUSE_END.finditer(text.folded, 0, span[0])]
    after = _CLAUSE_END.search(text.folded, span[1])
    end = after.start() if after else len(text.folded)
    return max(before, default=0), end


def _addition(
    span: CharSpan,
    around: CharSpan,
    question: JudgedQuestion,
    text: Text,
    harmless: frozenset[str] = frozenset(),
) -> str:
    """What the text `around` an answer at `span` adds to it, or ""."""
    before = text.folded[around[0] : span[0]]
    after = text.folded[span[1] : around[1]]
    cue = first_cue(f"{before} ; {after}", question)
    if cue:
        return f"says {cue!r} of it"
    ignored = [span]
    for pattern in (_HIDDEN, _SURE):
        ignored += [match.span() for match in pattern.finditer(text.folded)]
    for token in text.tokens:
        if not around[0] <= token.start < around[1] or token.text in harmless:
            continue
        if any(start <= token.start < end for start, end in ignored):
            continue
        if adds(token.text, question):
            return f"says {token.text!r} beside it"
    return ""
