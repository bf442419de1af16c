"""Is a prediction a way of saying "i don't know"?"""

import re

from evaluation.judge.normalize import fold
from models.records import INVALID

_SAY = r"(?:i|we)(?: am| are| was| were|'m|'re)? "
_NOUN = (
    r"(?:information|info|data|details?|answer|evidence|record|knowledge|results?|mention|access"
    r"|context|way)"
)
_ADJ = (
    r"(?:enough|sufficient|any|the|an?|specific|exact|relevant|current|real[- ]time"
    r"|up[- ]to[- ]date|recent|reliable|direct|live|precise|accurate|definite"
    r"|definitive|clear|necessary|required"
    r"|such|that|this|latest|personal|available)"
)
_NEG = r"(?:do not|don't|dont|did not|didn't|does not|doesn't|cannot|can't|could not|couldn't)"
_UNABLE = r"(?:unable to|not able to)"
_VERB = (
    r"(?:find|answer|determine|provide|verify|confirm|locate|access|say|tell|give|recall|offer"
    r"|identify|see|predict|retrieve)"
)
_SUBJECT = r"(?:i|we|it|this|that|the answer|the (?:exact |specific )?\w+(?: \w+)?)"

# One row a way of not knowing; each must start the prediction, perhaps after an apology.
_WAYS = (
    r"(?:i ?d ?k|dunno)\b",
    rf"{_SAY}(?:really |just |honestly |simply )?{_NEG} (?:really |actually )?"
    r"(?:know|remember|recall)\b",
    rf"{_SAY}(?:currently )?(?:{_NEG}|{_UNABLE}) (?:\w+ )?{_VERB}\b",
    rf"{_NEG} know\b",
    r"(?:i am|i'm|im|we are|we're)? ?(?:not|un)[ -]?(?:entirely |quite |really )?"
    r"(?:sure|certain)\b",
    r"(?:i|we) have no (?:idea|clue|knowledge|information)\b",
    r"no (?:idea|clue|answer)\b(?! by\b)",
    rf"{_SAY}{_NEG} (?:currently )?have (?:{_ADJ}[ ,]+(?:and )?)*{_NOUN}\b",
    rf"{_SAY}(?:lack|lacking) (?:{_ADJ} )*{_NOUN}\b",
    rf"(?:there (?:is|was) |there's )?(?:no|not enough|insufficient) (?:{_ADJ} )*{_NOUN}"
    r"(?: (?:is|was|are|were|available|found|provided|given|about|on|in|to|for|regarding)\b|$)",
    rf"(?:the )?(?:{_ADJ} |provided |given )*(?:{_NOUN}|passages?|documents?|references?|sources?)"
    r"(?: \w+){0,3}? (?:is|are|was|were|do|does|did)(?: not|n't) (?:\w+ )?"
    r"(?:available|known|provided|given|found|contain|include|mention|specif\w+|enough"
    r"|sufficient|say|state|answer)\b",
    rf"{_NEG} (?:be )?(?:find|found|answer|determine|determined|answered)\b",
    r"(?:it|this|that|the answer) (?:is|was|remains) (?:unknown|unclear|not known|not clear"
    r"|uncertain)\b",
    r"the (?:\w+ ){1,5}(?:is|are|was|were) (?:unknown|not (?:available|known)|unclear)\b",
    r"(?:unknown|unanswerable|not available|not known|unclear|not found|not provided"
    r"|not specified|not applicable|n/a|none found|unavailable)$",
    rf"{_UNABLE} {_VERB}\b",
    r"(?:i|we) would need (?:more|additional) ",
    rf"as an ai\b.*\b{_NEG} (?:\w+ )?(?:have|know|{_VERB})",
    rf"(?:{_SUBJECT}) (?:cannot|can't|could not) be (?:determined|found|answered|verified)\b",
)
_OPENER = (
    r"(?:(?:as of|to) (?:my|the|today)\b[^,.\n]{0,60}, )?"
    r"(?:(?:i(?:'m| am)? )?(?:very |so |really )?(?:sorry|apologi[sz]e|unfortunately|regrettably"
    r"|well|hmm+|honestly|currently|at this time)(?: (?:for the inconvenience|about that))?"
    r"[,.:;!]? *(?:but |that )?)*"
)
_MISSING = re.compile(rf"{_OPENER}(?:{'|'.join(_WAYS)})")

# After "i don't know" and a mark, what says no more than that, or offers help instead.
_NO_MORE = re.compile(
    r"\b(?:i|i'm|i'd|me|my|we|you|your|sorry|please|answer|question|information|info|data|details"
    r"|sources?|passages?|documents?|references?|context|text|however|unfortunately|thanks?|known"
    r"|available|mentioned|provided|given|unclear|unknown|them|this|that|about|what|who|when|where"
    r"|which|how|why|if|whether|as|because|since|only)\b"
)
_STATED = re.compile(
    r"^[^.!?;:\n]{0,60}?(?:[.!?;:,\n]| -+ )\s*(?:but |so )?(?P<stated>.+)$", re.DOTALL
)
_ELSE = re.compile(
    rf"[.!?\n]\s*{_SAY}{_NEG} (?:know|have) (?:\w+ )?(?:much |anything |any |more )*(?:else|more)\b"
)
# "I'm not sure, but I think it is Paris" and "I don't know the year; it was Paris" are answers.
_HEDGE = re.compile(
    r"\b(?:but|however|though)\b[^.!?\n]*?\b(?:think|believe|guess|probably|might|may|could|likely"
    r"|maybe|perhaps|it is|it's|it was|was|is|are|were)\b|\b(?:i think|i believe|my guess|probably"
    r"|maybe|perhaps|possibly|might be|may be|could be)\b"
)
_HELP = re.compile(
    r"\b(?:i (?:can|could|would|recommend|suggest)|you (?:can|could|may|might|should)|check"
    r"|suggest|please|visit|look up|refer|consult|source)\b"
)
_MARKS = re.compile(r"[\s\"'.,!?;:*()\[\]{}<>_`#|-]+")
_LATE = re.compile(
    rf"[.!?\n]\s*(?:however, |unfortunately, |but )?{_SAY}(?:{_NEG} know\b"
    rf"|{_NEG} have (?:{_ADJ} )*{_NOUN} (?:on|about|for|to|regarding)\b)"
)


def is_missing(text: str) -> bool:
    """Whether `text` says, in whatever words, that the answer is not known.

    A hedged answer is an answer: "i think it is paris, but i'm not sure" is not missing.
    """
    plain = fold(text)
    bare = _MARKS.sub(" ", plain).strip()
    if not bare or not any(c.isalnum() for c in bare):
        return True
    start = plain.lstrip(" \"'.,*([\n-")
    found = _MISSING.match(start) or _MISSING.match(start.rstrip(" .!\"'*)]"))
    if found is None:
        return _LATE.search(plain) is not None and _ELSE.search(plain) is None
    rest = start[found.end() :]
    if _HELP.search(rest):
        return True
    return _HEDGE.search(rest) is None and not _states(rest)


def _states(rest: str) -> bool:
    """Whether after a mark there stands an answer, of a few words: "i'm not sure. bo marsh?"."""
    found = _STATED.match(rest)
    said = found["stated"].strip() if found else ""
    return (
        bool(re.search(r"[a-z0-9]", said))
        and len(said.split()) <= 8
        and not (_NO_MORE.search(said) or _MISSING.match(said))
    )


def is_invalid(text: str) -> bool:
    """Whether `text`, but for case and marks, is exactly "invalid question"."""
    return _MARKS.sub(" ", fold(text)).strip() == INVALID


def is_unanswered(gold: str) -> bool:
    """Whether a gold answer itself holds no answer: "i don't know", "nan", "n/a", nothing."""
    plain = _MARKS.sub(" ", fold(gold)).strip()
    # A gold that knows nothing says so in full; "no idea" is a title.
    return plain in ("", "nan", "null", "n/a") or (plain != "no idea" and is_missing(gold))
