"""Why a gold answer that stands in a reply may yet not be its answer.

One principle: the text around the answer must add nothing. A word that is neither in the question
nor neutral may turn the reply into the answer to another question. A doubt turns "correct" into
"unscored"; it never makes a reply correct.
"""

import re

from evaluation.judge.normalize import Span, Text, clause, words
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.reply import Reply
from utils.text import stem

_LEAD = 4  # words before a value within which a bound stands
_COPULA = frozenset("is was are were be been became becomes".split())
_QUOTED = re.compile(r"(?<![a-z0-9])[\"'][^\"']*[\"']")
_ASIDE = re.compile(r"\([^()]*\)")
_YEAR = re.compile(r"(?<![\d.,$])(?:1\d|20)\d\d(?![\d%]|[.,]\d|s\b)")
_ADJACENT = re.compile(r"[ -]|: |[.:/-]")
_ALL_BUT = re.compile(r"\b(?:any|every|all|none|no)\w*(?: \w+)? but\b")
_WORD = re.compile(r"(?!may,? \d)[a-z]+(?:'[a-z]+)?")  # "may 4" is a month
_SURE = re.compile(
    r"\b(?:but )?(?:i am|i'm|im)? ?not (?:entirely |quite |completely |\w+ )?(?:sure|certain)\b"
    r"|\bnot only\b|\bi (?:do not|don't) (?:know|recall|remember)[^,.;]*"
    r"|\bi can(?:no|')t say for (?:sure|certain)\b"
)


def cues(folded: str, question: JudgedQuestion) -> list[str]:
    """The words that deny, retract or only suppose, and are not the question's.

    "not only" and "i'm not sure" are no such words.
    """
    plain = _SURE.sub(" ", folded)
    return [found.group() for found in _ALL_BUT.finditer(plain)] + [
        word
        for word in _WORD.findall(plain)
        if word.endswith("n't") or (word in words("cues") and not question.asks(word))
    ]


def cue(folded: str, question: JudgedQuestion) -> str:
    """The first word that denies, retracts or only supposes, or ""."""
    return next(iter(cues(folded, question)), "")


def doubt(spans: list[Span], question: JudgedQuestion, reply: Reply) -> str:
    """Why no mention of a name at `spans` may be the reply's answer, or "" where one surely is."""
    reasons = []
    for span in spans:
        mention = _Mention(span, _after_turn(reply.text, span), question, reply)
        reasons.append(mention.doubt() or mention.other_year())
    return "" if "" in reasons or not reasons else reasons[0]


def doubt_value(spans: list[Span], kind: str, question: JudgedQuestion, reply: Reply) -> str:
    """Why no mention of a date or number may be the reply's answer, or "" where one surely is.

    Args:
        spans: offsets of the mentions in `reply.text.folded`.
        kind: the row of the table of bounds: "dates", "numbers", or "large" for large numbers.
    """
    reasons = [_doubt_one(start, end, kind, question, reply) for start, end in spans]
    return "" if "" in reasons or not reasons else reasons[0]


def _doubt_one(start: int, end: int, kind: str, question: JudgedQuestion, reply: Reply) -> str:
    text = reply.text
    inside = [k for k, token in enumerate(text.tokens) if start <= token.start < end]
    span = (inside[0], inside[-1] + 1) if inside else (0, 0)
    around = clause(text, span)
    lead = [text.tokens[k].text for k in range(max(around[0], span[0] - _LEAD), span[0])]
    if any(word in words("bounds", kind) and not question.asks(word) for word in lead):
        return "gives a bound"
    touching = span[1] < len(text.tokens) and text.gap(span[1]).strip("% ") in ("", "-")
    if touching and text.tokens[span[1]].text in words("bounds", "behind"):
        return "gives a difference"
    start, end = around
    numbers = [k for k in range(span[1], end) if text.tokens[k].text[0].isdigit()]
    end = min([end, *numbers])  # "12 goals in 34 games"
    if kind == "dates" and any(not token.stop for token in text.tokens[start : span[0]]):
        end = span[1]  # what follows a date is about its event, not about the date
    mention = _Mention(span, (start, end), question, reply, kind)
    return mention.doubt() or (mention.other_year() if kind != "dates" else "")


def attached(
    spans: list[Span], own: frozenset[str], question: JudgedQuestion, reply: Reply
) -> bool:
    """Whether every mention at `spans` is a part of a longer name or of a possessive.

    `own` are words that may stand beside it.
    """
    mentions = [_Mention(span, span, question, reply, own=own) for span in spans]
    return bool(mentions) and all(one.possessed() or one.longer() for one in mentions)


def _after_turn(text: Text, span: Span) -> Span:
    """All of `text` from its last "but": in "bo did, but it was ada" the answer follows it.

    In "anyone but ada" it does not.
    """
    turns = words("cues", "turn")
    said = text.words
    after = [
        k + 1
        for k in range(span[0])
        if said[k] in turns and not _ALL_BUT.search(" ".join(said[max(0, k - 2) : k + 1]))
    ]
    return max([0, *after]), len(said)


class _Mention:
    """An answer in a reply and the words around it."""

    def __init__(
        self,
        span: Span,
        around: Span,
        question: JudgedQuestion,
        reply: Reply,
        kind: str = "",
        own: frozenset[str] = frozenset(),
    ) -> None:
        self.i, self.j = span
        self.start, self.end = around
        self.question = question
        self.reply = reply
        self.text = reply.text
        self.kind = kind
        self.own = own

    def doubt(self) -> str:
        """The first reason to doubt, or ""."""
        tokens = self.text.tokens
        self.folded = self.text.folded[tokens[self.start].start : tokens[self.end - 1].end]
        found = cue(self.folded, self.question)
        if found:
            return f"says {found!r} of it"
        if self.possessed():
            return "names something related to it"
        if self._reversed():
            return "says the reverse of it"
        hidden = [
            found.span()
            for pattern in (_QUOTED, _ASIDE, _SURE)
            for found in pattern.finditer(self.text.folded)
        ]
        for k in range(self.start, self.end):
            apart = any(a <= tokens[k].start < b for a, b in hidden)
            if not self.i <= k < self.j and not apart and self._adds(k):
                return f"says {tokens[k].text!r} beside it"
        return ""

    def other_year(self) -> str:
        """A doubt where years stand around the name and none of them is the question's."""
        asked = set(_YEAR.findall(self.question.text.folded))
        said = set(_YEAR.findall(_ASIDE.sub(" ", self.folded)))
        return "says it of another year" if asked and said and not asked & said else ""

    def longer(self) -> bool:
        """ "west orrin", "orrin falls"."""
        return any(self._touches(k) and self._adds(k) for k in (self.i - 1, self.j))

    def possessed(self) -> bool:
        """ "the sequel to grey tides"."""
        linked = self._word(self.i - 1) in ("of", "to", "from")
        return linked and self._word(self.i - 2) in words("relations")

    def _word(self, k: int) -> str:
        return self.text.tokens[k].text if 0 <= k < len(self.text.tokens) else ""

    def _touches(self, k: int) -> bool:
        return bool(self._word(k) and _ADJACENT.fullmatch(self.text.gap(max(k, self.i))))

    def _adds(self, k: int) -> bool:
        """Whether token `k` says something that the question does not."""
        word = self._word(k)
        if word in self.own or self.question.asks(word):
            return False
        touches = k in (self.i - 1, self.j) and self._touches(k)
        if word.isdigit():
            return touches and k == self.j and len(word) <= 2 and not self.kind  # "grey tides 2"
        if len(word) < 2:
            return touches and k == self.j and self.text.gap(k) == "."  # "qlx.b"
        if self.question.echoes(word):
            return False
        if touches and not self.kind and word in words("neutral", "kind"):  # "orrin river"
            return not self.reply.proper or word in self.reply.proper
        if self.kind in ("numbers", "large") and k >= self.j and word in words("neutral", "unit"):
            return False
        return word not in words("neutral", "frame", "firm", "kind", "person", "role")

    def _reversed(self) -> bool:
        """Whether the name is the object: "ada was taught by bo" to "who taught ada?"."""
        if not self.question.who or self.kind:
            return False
        if self._word(self.j) in _COPULA and self._word(self.j + 2) == "by":
            return "by" not in self.question.text.words
        if self.i < 2 or self._word(self.i - 1) in (*_COPULA, "by", "to"):
            return False
        order = [stem(word) for word in self.question.text.words]
        said = [stem(t.text) for t in self.text.tokens[self.start : self.i] if not t.stop]
        places = [order.index(word) for word in said if word in order]
        return len(places) >= 2 and places[0] > places[-1]
