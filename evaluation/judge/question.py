"""What a question asks for, as far as its wording shows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.text import Text, tokenize
from utils.text import stem

_COUNT = re.compile(
    r"\bhow (?:many|much|long|old|tall|high|far|big|large|deep|wide|heavy|fast|often)\b"
    r"|\b(?:price|ratio|percent(?:age)?|average|amount|number|total|sum|volume|cost|worth|population"
    r"|market cap\w*|height|length|distance|area|weight|age|budget|revenue|gross|grossed|earnings"
    r"|eps|temperature|size|score|rate|tax|dividends?|salary|income|value|duration"
    r"|runtime|difference|figures?|tally|count|points)\b"
)
_ASKS_THING = re.compile(
    r"(?:^|, )(?:in |at |on )?(?:which|who|whose)\b"
    r"|^what (?:\w+ ){0,2}(?:company|stock|player|team|movie|film|album|song|city|country|state"
    r"|artist"
    r"|actor|actress|band|club|quarter|year|month|day|name)\b"
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


_ORDER = re.compile(
    r"\b(?:order|rank|sort|arrange|respectively)\b|\b(?:alphabetical|chronological)|\bfrom \w+ to\b"
)
_OPEN_LIST = re.compile(
    r"\b(?:name|list|give|tell|suggest|recommend)\b.{0,20}\b(?:some|any|two|three|four|five|\d+)\b"
    r"|\bexamples?\b|\b(?:what|which) are (?:some|any|two|three)\b|\bsome of the\b"
)
_RANKED = re.compile(r"\b(?:top|first|last|largest|biggest|highest|most|best|oldest|longest)\b")
_DEFINITION = re.compile(
    r"^(?:what (?:is|are|does|do) (?:an? |the )?(?:[\w'()-]+ ){0,2}[\w'()-]+(?: mean| work)?\??$"
    r"|(?:how (?:do|does|is|are)|why|explain|define)\b)"
    r"|\b(?:benefits?|theory|difference|purpose|meaning|reasons?|etymology|definition|profession|rules)\b"
)
_VERB = r"\w+(?:ed|e|on|ook|ang|ew)"
_ASKS_SUBJECT = re.compile(
    rf"^(?:who|(?:which|what|wich) (?:\w+ ){{1,2}})\s?"
    rf"(?!(?:{_AUX.removesuffix('|won')}|would|s|of|and)\b){_VERB}\b"
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
        in_order: it asks for an order.
        open_list: it asks for some of many things, so that other answers may be right.
        explains: it may ask for an explanation.
        asks_subject: the answer is the subject of its verb ("who founded ...").
        how_many: it asks for a count.
        known: stems of what else says nothing new.
        topics, measures, contrasts: what it is about, by the rows of the lexicon.
    """

    text: Text
    counts: bool
    dated: bool
    yearly: bool
    plural: bool
    who: bool
    two_parts: bool
    in_order: bool
    open_list: bool
    explains: bool
    asks_subject: bool
    how_many: bool
    known: frozenset[str]
    topics: frozenset[str]
    measures: frozenset[str]
    contrasts: frozenset[str]

    def echoes(self, word: str) -> bool:
        """Whether `word` says nothing new: a stop word or a word of the question."""
        return word in judge_lexicon().stop or stem(word) in self.known or self.has(word)

    def has(self, word: str) -> bool:
        """Whether the question has `word` in any form, or names the same deed or measure."""
        lexicon = judge_lexicon()
        if lexicon.topics.get(word) in self.topics or lexicon.measures.get(word) in self.measures:
            return True
        return stem(word) in self.text.stems

    def knows(self, word: str) -> bool:
        """Whether `word` says nothing new, or compares as the question does."""
        return self.echoes(word) or self.compares(word)

    def compares(self, word: str) -> bool:
        """Whether `word` compares on an axis of the question."""
        for table in (judge_lexicon().more, judge_lexicon().less):
            if word in table and any(table.get(other) == table[word] for other in self.text.words):
                return True
        return False


@lru_cache(maxsize=2048)
def analyse(query: str) -> JudgedQuestion:
    """The question behind `query`."""
    text = tokenize(query)
    folded = text.folded
    lexicon = judge_lexicon()
    return JudgedQuestion(
        text=text,
        counts=_asks_number(folded),
        dated=bool(_DATE.search(folded)),
        yearly=bool(_YEAR.search(folded)),
        plural=bool(_PLURAL.search(folded)),
        who=bool(_WHO.search(folded)),
        two_parts=bool(_TWO_PARTS.search(folded)),
        in_order=bool(_ORDER.search(folded)),
        open_list=bool(_OPEN_LIST.search(folded)) and not _RANKED.search(folded),
        explains=bool(_DEFINITION.search(folded)),
        asks_subject=bool(_ASKS_SUBJECT.search(folded)),
        how_many=bool(re.search(r"\bhow many\b|\bnumber of\b", folded)),
        known=frozenset(),
        topics=_rows_of(text, lexicon.topics),
        measures=_rows_of(text, lexicon.measures),
        contrasts=_rows_of(text, lexicon.contrasts),
    )


def _asks_number(folded: str) -> bool:
    """Whether a question asks for a number, not for the thing that has the highest one."""
    if re.search(r"\bhow (?:many|much)\b", folded):
        return True
    return _COUNT.search(folded) is not None and _ASKS_THING.search(folded) is None


def _rows_of(text: Text, rows: Mapping[str, str]) -> frozenset[str]:
    """The rows of the words of a text."""
    return frozenset(rows[word] for word in text.words if word in rows)
