"""What a question asks for, as far as its wording shows."""

import re
from dataclasses import dataclass
from functools import lru_cache

from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.normalize import Text, tokenize
from utils.text import stem

_COUNT = re.compile(
    r"\bhow (?:many|much|long|old|tall|high|far|big|large|deep|wide|heavy|fast|often)\b"
    r"|\b(?:price|ratio|percent(?:age)?|average|amount|number|total|sum|volume|cost|worth|population"
    r"|market cap\w*|height|length|distance|area|weight|age|budget|revenue|gross|grossed|earnings"
    r"|eps|temperature|size|score|rate|tax|dividends?|salary|income|value|duration"
    r"|runtime|difference)\b"
)
_DATE = re.compile(
    r"(?:^|[,.;] |\b(?:me|know|out) )when\b|\bwhen (?:was|is|did|does|will|were|are|do)\b"
    r"|\b(?:what|which) (?:\w+ )?(?:day|year|month)s?\b|\b(?:dates?|birthday)\b"
)
_YEAR = re.compile(r"\b(?:what|which) years?\b")
_AUX = "did|do|does|is|was|are|were|has|have|had|can|will|won"
_NOUNS = r"[\w'&-]*(?:[^\Ws]s(?<!series)|children|people|men)\b(?!')"
_PLURAL = re.compile(
    r"^(?:who|what|which) (?:were|are)\b|\b(?:names of|list|members|parents|founders|give)\b"
    r"|\b(?:name|top|first|last|least) (?:the|all|\d+|two|three|four|five|six|ten)\b"
    rf"|^(?:what|which) (?:(?!(?:{_AUX})\b)\w+ )?(?!(?:{_AUX})\b){_NOUNS}"
    rf"|\b(?:what|which) (?:(?!(?:{_AUX})\b)[\w'&-]+ ){{0,4}}{_NOUNS} (?:{_AUX}|that|who|with)\b"
)
_TWO_PARTS = re.compile(
    r"\b(?:who|what|which|when|where|how)\b.*\band (?:\w+ )?(?:who|what|which|when|where|how)\b"
)
_WHO = re.compile(
    r"(?:^\W*|(?:,|\bme|\bknow|\bout) )who(?:se|m)?\b"
    r"|\b(?:actor|actress|singer|director|player|artist|person|man|woman|author|driver|golfer)\b"
)


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """What a question asks for, as far as its wording shows.

    Attributes:
        text: its tokens.
        counts: it asks for a number.
        dated: it asks for a date.
        yearly: it asks for a year.
        plural: it asks for several things.
        who: it asks for a person.
        two_parts: it asks two things ("who won, and by how much").
    """

    text: Text
    counts: bool
    dated: bool
    yearly: bool
    plural: bool
    who: bool
    two_parts: bool

    def echoes(self, word: str) -> bool:
        """Whether `word` says nothing new: a stop word or a word of the question."""
        return word in judge_lexicon().stop.words or stem(word) in self.text.stems

    def asks(self, word: str) -> bool:
        """Whether the question has `word`, or names the same deed by another."""
        deeds = judge_lexicon().deeds
        if word in deeds and deeds[word] in map(deeds.get, self.text.words):
            return True
        return stem(word) in self.text.stems


@lru_cache(maxsize=2048)
def analyse(query: str) -> JudgedQuestion:
    """The question behind `query`."""
    text = tokenize(query)
    folded = text.folded
    return JudgedQuestion(
        text=text,
        counts=bool(_COUNT.search(folded)),
        dated=bool(_DATE.search(folded)),
        yearly=bool(_YEAR.search(folded)),
        plural=bool(_PLURAL.search(folded)),
        who=bool(_WHO.search(folded)),
        two_parts=bool(_TWO_PARTS.search(folded)),
    )
