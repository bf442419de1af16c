"""Why a name that stands in a reply may yet not be its answer.

Each rule is a fact of English. A doubt takes a "correct" back to "unscored"; it never makes one.
"""

import re

from evaluation.judge.clauses import clause, sentence
from evaluation.judge.dates import dates
from evaluation.judge.lexicon import deeds, words
from evaluation.judge.members import ROLES
from evaluation.judge.names import Span
from evaluation.judge.normalize import Text, stem
from evaluation.judge.question import Question
from evaluation.judge.reply import Reply

_COPULA = frozenset("is was are were be been has have had became becomes".split())
_ADVERBS = frozenset("only also just once never still now later then been".split())
_FIRMS = frozenset("inc corp corporation ltd llc plc co incorporated limited jr sr fc".split())
_RANKS = frozenset(
    "second third fourth fifth sixth last latest later next final debut follow up".split()
)
_RANKED_LAST = frozenset(("first", "last"))  # "she released grey tides first"
_RANKED = re.compile(r"\b(?:first|last|latest|second|third|\w{2,}est|most|least|original|debut)\b")
_BETWEEN = frozenset("before after over under against with without than except near like".split())
_BESIDE = frozenset("and or with featuring vs versus of".split())
_LISTED = re.compile(r"[/|;?&\n•]")
_PLACED = re.compile(
    r"\b(?:where|city|town|village|place|capital|located|born|headquarter\w*|venue|island)\b"
)
_QUOTED = re.compile(r"(?<![a-z0-9])[\"'][^\"']*[\"']")
_SHORT = 20  # tokens of a reply that is about one thing
_WORD = re.compile(r"(?!may,? \d)[a-z]+(?:'[a-z]+)?")  # "may 4" is a month
_NOT_THAT = re.compile(r", (?:and )?not [^,.;]+\.?$")
_SURE = re.compile(
    r"\b(?:but )?(?:i am|i'm|im)? ?not (?:entirely |quite |completely |\w+ )?(?:sure|certain)\b"
    r"|\bnot only\b|\bi (?:do not|don't) (?:know|recall|remember)[^,.;]*"
    r"|\bi can(?:no|')t say for (?:sure|certain)\b"
)


def doubt(spans: list[Span], question: Question, reply: Reply) -> str:
    """Why the reply may not give the name at `spans` as its answer, or "" where it surely does."""
    whole = _around(reply.text, question, spans)
    if whole:
        return whole
    reasons = [Name(span, question, reply).doubt() for span in spans]
    return "" if "" in reasons else reasons[0]


def cue(folded: str, question: Question) -> str:
    """A word that denies, takes back or only supposes, and is not the question's; or ""."""
    return next((word for word, _ in cues(folded, question)), "")


def cues(folded: str, question: Question) -> list[tuple[str, int]]:
    """Every such word and where it stands, but for "not only" and "..., not bo"."""
    plain = _SURE.sub(lambda m: " " * len(m.group()), folded)
    plain = _NOT_THAT.sub("", plain)
    return [
        (found.group(), found.start())
        for found in _WORD.finditer(plain)
        if found.group().endswith("n't")
        or (found.group() in words("cues") and not _asked(found.group(), question))
    ]


def _asked(word: str, question: Question) -> bool:
    """Whether the question has the word, or says the same deed in another."""
    if word in question.text.words or stem(word) in question.text.stems:
        return True
    return bool(deeds([word]) & deeds(question.text.words))


def _around(text: Text, question: Question, spans: list[Span]) -> str:
    """A cue in the reply, or in the sentence of the name where the reply is long."""
    reasons: list[str] = []
    for span in spans:
        i, j = (0, len(text.tokens)) if len(text.tokens) <= _SHORT else sentence(text, span)
        start = text.tokens[i].start
        name = text.tokens[span[0]].start - start
        said = cues(text.folded[start : text.tokens[j - 1].end], question)
        # "bo did, but it was ada", "not bo but ada": what follows the turn is the answer.
        turns = [at for word, at in said if word in words("cues", "turn") and at < name]
        against = [word for word, at in said if not turns or at > turns[-1]]
        reasons.append(f"says {against[0]!r} of it" if against else "")
    return "" if "" in reasons else reasons[0]


class Name:
    """A name in a reply and what stands around it."""

    def __init__(
        self, span: Span, question: Question, reply: Reply, own: tuple[str, ...] = ()
    ) -> None:
        """`own` are words that are no surprise beside it: those of the whole gold."""
        self.own = own
        self.i, self.j = span
        self.question = question
        self.reply = reply
        self.text = reply.text
        self.start, self.end = sentence(self.text, span)
        turns = words("cues", "turn")
        after = [k + 1 for k in range(self.start, self.i) if self._word(k) in turns]
        self.start = max([self.start, *after])

    def doubt(self) -> str:
        """The first reason to doubt, or ""."""
        checks = (
            (self.longer, "the name may be a part of a longer one"),
            (self.possessed, "names something of it"),
            (self._related, "names something related to it"),
            (self._preceded, "says something else first"),
            (self._elsewhere, "says it of something else"),
            (self._listed, "may be one of several"),
            (self.acts, "says something else of it"),
            (self._other_deed, "says another deed of it"),
            (self._ranked, "says another rank of it"),
            (self._second, "names another as well"),
            (self._other_year, "says it of another year"),
        )
        return next((reason for check, reason in checks if check()), "")

    # -- words ----------------------------------------------------------------------------------

    def _word(self, k: int) -> str:
        return self.text.tokens[k].text if 0 <= k < len(self.text.tokens) else ""

    def _new(self, k: int) -> bool:
        """Whether token `k` is a content word that is not the question's."""
        word = self._word(k)
        if len(word) < 2 and not word.isdigit() or word in self.own:
            return False
        return not self.question.echoes(word) and word not in words("neutral", "frame")

    def _capital(self, k: int) -> bool:
        """Whether token `k` can be a name; where capitals tell nothing, any new word can."""
        return self._new(k) and (not self.reply.proper or self._word(k) in self.reply.proper)

    def _near(self, k: int) -> bool:
        return bool(re.fullmatch(r"[ -]|: |[.:/-](?=\S?)", self.text.gap(k)))

    # -- checks ---------------------------------------------------------------------------------

    def longer(self) -> bool:
        """ "west orrin", "orrin falls", "orrin of the hills"."""
        before, after = self.i - 1, self.j
        if self.i > self.start and self._near(self.i) and self._new(before):
            described = self._word(before) in words("neutral", "person", "kind")
            if not described or (self._capital(before) and not self.question.who):
                return True
        if self.j >= self.end or not self._near(after):
            return False
        if self._word(after) == "of" and not self.question.who:
            return self._capital(after + 1)
        word = self._word(after)
        if self.text.gap(after) == "." and len(word) == 1:
            return True  # "qlx.b"
        if word in ROLES or word in _RANKED_LAST:
            return False
        return self._new(after) and word not in _FIRMS and not self._in_deed(after)

    def _in_deed(self, k: int) -> bool:
        """Whether token `k` is a word for what the question asks: "wrote" for "the author"."""
        return bool(deeds([self._word(k)]) & deeds(self.question.text.words))

    def possessed(self) -> bool:
        if self._word(self.j) == "whose":
            return True
        last = self.text.tokens[self.j - 1]
        tail = self.text.folded[last.start : last.end + 1]
        return self.j < self.end and bool(re.search(r"'s$|'s |s'$", tail))

    def _preceded(self) -> bool:
        """New words in the sentence before the name, unless they lead up to "is" or "by"."""
        lead = [k for k in range(self.start, self.i) if self._new(k) and not self._quoted(k)]
        said = [self._word(k) for k in range(self.start, self.i)]
        close = said[-3:]
        if any(w in _BETWEEN and not _asked(w, self.question) for w in close):
            return True
        lead = [k for k in lead if not self._in_deed(k) and not self._word(k).isdigit()]
        kinds = words("neutral", "person", "kind")
        plain = [k for k in lead if self._word(k) not in kinds]
        if not plain:
            return False
        leads = said[-1] in _COPULA or (said[-1] == "by" and not self._new(self.i - 2))
        related = any(self._word(k) in words("relations") for k in lead)
        return related or not leads or any(self._capital(k) for k in plain if k > self.start)

    def _related(self) -> bool:
        """ "the sequel to <name>", "the parents of <name>": another's name is asked."""
        if self.i - self.start < 2 or self._word(self.i - 1) not in ("of", "to", "from"):
            return False
        return self._word(self.i - 2) in words("relations")

    def _elsewhere(self) -> bool:
        """ "<name> is the ticker of marsh holdings", "<name> wrote warm snow"."""
        capitals = [k for k in range(self.j, self.end) if self._word(k) in self.reply.proper]
        after = [
            k
            for k in capitals
            if self._new(k) and (self._word(k - 1) in ("of", "for") or self._in_deed(k - 1))
        ]
        asks = [k for k in capitals if not self.text.tokens[k].stop and not self._new(k)]
        stems = [k for k in asks if all(k - a > 2 or k < a for a in after)]
        return bool(after) and not stems

    def _quoted(self, k: int) -> bool:
        at = self.text.tokens[k].start
        return any(a.start() <= at < a.end() for a in _QUOTED.finditer(self.text.folded))

    def _listed(self) -> bool:
        """Another name after a comma, a stroke or "with"."""
        j, text = self.j, self.text
        if j >= len(text.tokens):
            return False
        gap = text.gap(j)
        if _LISTED.search(gap):
            return self._new(j)
        if self._word(j) in _BESIDE:
            theirs = self._word(j + 1) in ("his", "her", "its", "their")
            theirs = theirs and self._word(j + 2) in words("relations")
            return self._word(j) != "of" and (theirs or self._capital(j + 1))
        if not re.search(r",", gap):
            return False
        stop = j
        while (
            stop < len(text.tokens)
            and (stop == j or text.gap(stop) in (" ", "-", ". "))
            and self._word(stop) not in ("and", "or")
        ):
            stop += 1
        run = range(j, stop)
        if (
            not all(self._capital(k) for k in run)
            or self._word(j) in _FIRMS
            or self._word(j).isdigit()
        ):
            return False
        ends = stop >= len(text.tokens) or bool(re.search(r"[,/|;\n]", text.gap(stop)))
        ends = ends or self._word(stop) in ("and", "or")
        placed = _PLACED.search(self.question.text.folded) and not self.question.who
        placed = placed and self._word(stop) not in ("and", "or")  # "oster, veldmark"
        return ends and not placed

    def acts(self) -> bool:
        """The name is the subject of a verb that is not the question's: "ada lunt drew it"."""
        k = self.j
        near = {self._word(n) for n in range(k, min(k + 3, self.end))}
        if any(word in near and not _asked(word, self.question) for word in ("after", "until")):
            return True
        while k < self.end and self._word(k) in _ADVERBS and self.text.gap(k) == " ":
            k += 1
        if k >= self.end or self.text.gap(k) != " ":
            return False
        if self._word(k) == "named":
            return not _asked("named", self.question)
        if self._word(k) not in _COPULA:
            return self._new(k) and not self._in_deed(k) and k > self.j
        k += 1
        while k < self.end and self._word(k) in _ADVERBS | _COPULA:
            k += 1
        if self._word(k + 1) == "by" and self.question.who and not self._new(k):
            return "by" not in self.question.text.words
        return self._new(k) and self.text.gap(k) != ", " and not self._in_deed(k)

    def _clause(self) -> list[str]:
        a, b = clause(self.text, (self.i, self.j))
        return [self._word(k) for k in range(a, b) if not self.i <= k < self.j]

    def _other_deed(self) -> bool:
        said = [word for word in self._clause() if not _asked(word, self.question)]
        asked = deeds(self.question.text.words)
        own = deeds(said)
        return bool(own) and not own & asked and not deeds(self._clause()) & asked

    def _ranked(self) -> bool:
        if not _RANKED.search(self.question.text.folded):
            return False
        said = [self._word(k) for k in range(self.start, self.end) if not self.i <= k < self.j]
        return any(w in _RANKS and not _asked(w, self.question) for w in said)

    def _other_year(self) -> bool:
        """Years stand around the name, and none of them is the question's."""
        asked = {date.year for date in self.question.dates if date.year}
        a, b = (self.text.tokens[k].start for k in (self.start, self.end - 1))
        plain = re.sub(r"\([^()]*\)", " ", self.text.folded[a : b + 5])
        said = {date.year for date in dates(plain) if date.year}
        return bool(asked and said) and not asked & said

    def _second(self) -> bool:
        """Another name in a sentence of its own, or after a semicolon."""
        text = self.text
        bare = range(self.start)
        if (
            self.start
            and len(bare) <= 5
            and all(self._new(k) or self.text.tokens[k].stop for k in bare)
        ):
            return any(self._capital(k) for k in bare)
        if self.end < len(text.tokens) and ";" in text.gap(self.end):
            return any(self._capital(k) for k in range(self.end, len(text.tokens)))
        return False
