"""What a question asks for, as far as its wording shows."""

import re
from dataclasses import dataclass
from functools import lru_cache

from evaluation.judge.normalize import Text, deeds, read, words
from utils.text import stem

_HOW = re.compile(
    r"\bhow (?:many|much|long|old|tall|high|far|big|large|deep|wide|heavy|fast|often)\b|\bnumber of"
)
_AMOUNT = re.compile(
    r"\b(?:price|ratio|percent(?:age)?|average|amount|total|sum|volume|cost|worth|population"
    r"|market cap\w*|height|length|distance|area|weight|age|budget|revenue|gross|grossed|earnings"
    r"|eps|temperature|size|score|rate|tax|dividends?|salary|income|value|duration"
    r"|runtime|difference)\b"
)
_DATE = re.compile(
    r"^when\b|[,.;] when\b|\b(?:tell me|know|find out) when\b|\b(?:what|which|on what|on which)"
    r" (?:\w+ )?(?:date|day|days|dates|year|years|month|months)\b|\bdate\b|\bbirthday\b|\bwhen"
    r" (?:was|is|did|does|will|were|are|do)\b"
)
_YEAR = re.compile(r"\b(?:what|which) years?\b|\byear (?:was|did|were|of|in which)\b")
_AUX = "did|do|does|is|was|are|were|has|have|had|can|will|won"
_PLURAL = re.compile(
    r"^(?:who|what|which) (?:were|are)\b|\bnames of\b|\blist\b|\bmembers\b|\ball (?:of )?the\b"
    r"|\bname (?:the|all|\d|two|three|four|five|some)\b|\b(?:top|first|last|latest|largest|biggest"
    r"|least|past) (?:\d+|two|three|four|five|six|ten)\b"
    r"|\b(?:who|what|which) \w+ (?:were|are|have)\b"
    rf"|^(?:what|which) (?:(?!(?:{_AUX})\b)\w+ )?(?!(?:{_AUX}|series)\b)\w+[^s\W]s\b(?!')"
    rf"|\b(?:what|which) (?:(?!(?:{_AUX})\b)[\w'&-]+ ){{0,4}}"
    rf"(?:(?!series\b)[\w'&-]*[^s\W]s|children|people|men|women) (?:{_AUX}|that|who|with|won|are)\b"
    r"|\bwho (?:\w+ )?have\b|\bgive\b|\bparents\b|\bfounders\b"
)
_POLAR = re.compile(
    r"^(?:(?:in|on|at|for|during|as of|by|of)\b[^,]*, )?(?:is|are|was|were|do|does|did|has|have|had"
    r"|can|could|will|would|should|am)(?:n't)? (?!(?:you|we|i) )"
)
_TWO_PARTS = re.compile(
    r"\b(?:who|what|which|when|where|how)\b.*\band (?:\w+ )?(?:who|what|which|when|where|how)\b"
)
_PERSON = "actor|actress|singer|director|player|artist|person|man|woman|author|driver|golfer"
_WHO = re.compile(
    r"^\W*(?:(?:in|on) [^,]*,? )?who(?:se|m)?\b|\b(?:tell me|know|find out) who\b|, who(?:se)?\b"
    rf"|\b(?:what|which) (?:[\w-]+ ){{0,2}}(?:{_PERSON})\b|\bname of the (?:{_PERSON})\b"
)


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question, read once.

    `two_parts`: it asks two things ("who won, and by how much").
    """

    text: Text
    counts: bool
    dated: bool
    yearly: bool
    plural: bool
    polar: bool
    who: bool
    two_parts: bool

    def echoes(self, word: str) -> bool:
        """Whether `word` says nothing new: a stop word or a word of the question."""
        return word in words("stop") or stem(word) in self.text.stems

    def asks(self, word: str) -> bool:
        """Whether the question has `word`, or names the same deed by another."""
        if word in self.text.words or stem(word) in self.text.stems:
            return True
        return bool(deeds([word]) & deeds(self.text.words))


@lru_cache(maxsize=2048)
def analyse(query: str) -> JudgedQuestion:
    """The question behind `query`."""
    text = read(query)
    folded = text.folded
    polar = bool(_POLAR.search(folded)) and " or " not in folded
    return JudgedQuestion(
        text=text,
        counts=bool(_HOW.search(folded) or _AMOUNT.search(folded)),
        dated=bool(_DATE.search(folded)),
        yearly=bool(_YEAR.search(folded)),
        plural=bool(_PLURAL.search(folded)),
        polar=polar,
        who=bool(_WHO.search(folded)),
        two_parts=bool(_TWO_PARTS.search(folded)),
    )
