"""Statements that the answer is not known, as models make them."""

import re

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
# Each pattern says that the answer is unknown; the statement must begin with it, perhaps after an
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
_REFUSAL = re.compile(rf"{_OPENER}(?:{'|'.join(_WAYS)})")

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


def is_refusal(text: str) -> bool:
    """Whether a text says, in whatever words, that the answer is not known.

    A hedged answer is an answer: "i think it is paris, but i'm not sure" is no refusal.

    Args:
        text: in lower case, with plain quotes and dashes.
    """
    statement = text.lstrip(" \"'.,*([\n-").rstrip(" .!\"'*)]")
    match = _REFUSAL.match(statement)
    if match is None:
        return False
    rest = statement[match.end() :]
    if _HELP.search(rest):
        return True
    return not (_HEDGE.search(rest) or _SHORT_ANSWER.match(rest))
