"""What stands around an answer in a reply, and whether it may make it another answer.

A reply is read completely where one place states the answer, and nothing in that clause denies it,
limits it or speaks of something else than the question: another deed, another measure, another
date, a relative, a longer name. A doubt makes a reply unscored; it never decides. Each function
here that returns a `Doubt` looks for one kind.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.text import CharSpan, Text, Token, tokenize
from models.english.dates import Date, dates
from utils.text import stem

Doubt = str | None  # why a reply may mean something else; None: nothing says so

_LEAST_ECHOED = 0.6  # of the words of a clause beside a name
_FEWEST_ECHOED = 2  # of the question's words in a clause that answers again
_SHARE_AGAIN = 0.4  # of its words
_BOUND_REACH = 4  # words before a value within which a bound stands
_CLAUSE_END = re.compile(
    r"[.!?]+[\"')\]]*\s|[\n;():]|,(?!\d{3})|\s-+\s"
    r"|\b(?:and|but|while|whereas|which|who|although|though)\b"
)
SENTENCE_END = re.compile(r"(?<!\b[a-z])(?<!\b(?:jr|sr|dr|mr|st|vs|co))[.!?]+[\"')\]]*\s+|\n")
# In "bo did, but it was ada" the answer follows the "but"; in "anyone but ada" it does not.
_ALL_BUT = re.compile(r"\b(?:any|every|all|none|no)\w*(?: \w+)? but\b")
_WORD = re.compile(r"(?!may,? \d)[a-z]+(?:'[a-z]+)?")  # "may 4" is a month
_SURE = re.compile(
    r"\b(?:but )?(?:i am|i'm|im)? ?not (?:entirely |quite |completely |\w+ )?(?:sure|certain)\b"
    r"|\bnot only\b|\bi (?:do not|don't) (?:know|recall|remember)[^,.;]*"
    r"|\bi can(?:no|')t say for (?:sure|certain)\b|\b(?:that|it|this) would be\b"
)
_DENIALS = re.compile(r"\b(?:not?|never|without|\w+n't|none|nobody|no one)\b")
CHOICE = re.compile(r"\s*(?:/|,? ?\bor\b)\s*$|^\s*(?:/|,? ?\bor\b)\s*")
_JOINED_BEFORE = re.compile(r"(?:&|\band)\s+(?:the )?\"?$")
_JOINED_AFTER = re.compile(r"\"?\s+(?:&|and)\s+(?:the )?\"?")
# What stands before an answer that is the subject of the question, and what before no answer.
_BEFORE_SUBJECT = re.compile(
    r"(?:\b(?:is|was|are|were|be|been|by|of|as|named|called|titled"
    r"|(?:went|goes|go|belongs?|given|awarded|credited) to)|:)\s+(?:the |an? )?[\w' -]{0,20}\"?$"
)
_OTHER_PREPOSITION = re.compile(
    r"\b(from|against|over|after|before|than|like|near|behind|beside|until|following|opposite"
    r"|bordering|for|dedicated to|(?:one|ahead|east|west|north|south|way|favou?r|instead|front"
    r"|honou?r|request|suggestion|help|wishes|name|memory) of)"
    r"\s+(?:the )?\"?$"
)
# What only says where, when or for what.
_ADJUNCT = re.compile(r"\b(?:for|in|at|as|with|on|during|through|via|from|among)\b")
_OF_ANOTHER = re.compile(r"\"? of (?!the same)")
# What begins an item of a list.
LIST_MARK = re.compile(r"(?:^|\n|(?<=[:;,.)]) )\s*(?:\d{1,2}[.)]|[-*\u2022])\s+")
_ABOUT = re.compile(
    r"\b(?:a little|just|slightly|a bit) (?:over|under|above|below|more than|less than)\b"
)
_TITLE = re.compile(r"\"[^\"]{1,80}\"|(?<!\w)'[^']{2,80}'(?!\w)")
_SUBTITLE = re.compile(r"\"?: ?\"?(?=\w)")


def sentence_at(place: int, text: Text) -> CharSpan:
    """The bounds of the sentence at an offset."""
    ends = [match.end() for match in SENTENCE_END.finditer(text.folded, 0, place)]
    following = SENTENCE_END.search(text.folded, place)
    return max(ends, default=0), following.start() if following else len(text.folded)


def clause_at(span: CharSpan, text: Text) -> CharSpan:
    """The bounds of the clause around `span`: from the last mark or joining word to the next."""
    before = [match.end() for match in _CLAUSE_END.finditer(text.folded, 0, span[0])]
    after = _CLAUSE_END.search(text.folded, span[1])
    return max(before, default=0), after.start() if after else len(text.folded)


def doubt_name(span: CharSpan, question: JudgedQuestion, reply: Text) -> Doubt:
    """The reason to doubt that a reply gives the name at `span` as its answer."""
    return (
        longer_name(span, question, reply)
        or _other_choice(span, question, reply)
        or _other_name_beside(span, question, reply)
        or doubt_clause(span, question, reply)
        or turns_later(span, question, reply, lambda token: token.capital)
        or answers_again(span, question, reply, lambda token: token.capital)
        or _doubt_slot(span, question, reply)
    )


def _other_name_beside(span: CharSpan, question: JudgedQuestion, reply: Text) -> Doubt:
    """The other thing that a reply to a question for several names, or another person."""
    if not question.plural:
        return _person_behind(span, question, reply)
    for token in reply.tokens:
        inside = span[0] <= token.start < span[1]
        if token.capital and not inside and token is not reply.tokens[0]:
            if not question.echoes(token.text):
                return f"names {token.text!r} as well"
    return None


def _person_behind(span: CharSpan, question: JudgedQuestion, reply: Text) -> Doubt:
    """The person whose full name follows that of another, as in a list."""
    behind = [token for token in reply.tokens if token.start >= span[1]][:2]
    if not question.who or len(behind) < 2 or not all(token.capital for token in behind):
        return None
    mark = reply.folded[span[1] : behind[0].start]
    is_new = not any(question.echoes(token.text) for token in behind)
    if (
        is_new
        and mark in (", ", ". ", "; ")
        and reply.folded[behind[0].end : behind[1].start] == " "
    ):
        return f"names {behind[1].text!r} as well"
    return None


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where a name stands in a reply to a question.

    Attributes:
        name: where it is.
        clause: the clause around it.
        before: the content words of `lead`, without an owner at their end ("Ada Lunt's").
        after: those of `rest` up to what only says where, when or for what.
    """

    name: CharSpan
    clause: CharSpan
    question: JudgedQuestion
    reply: Text
    before: Sequence[Token]
    after: Sequence[Token]

    @property
    def lead(self) -> str:
        """The clause before the name."""
        return self.reply.folded[self.clause[0] : self.name[0]]

    @property
    def rest(self) -> str:
        """The clause behind the name."""
        return self.reply.folded[self.name[1] : self.clause[1]]

    @property
    def beside(self) -> Sequence[Token]:
        """The content words that tell what the clause says of the name."""
        return self.before or self.after

    @property
    def news(self) -> list[Token]:
        """Those of them that are neither numbers nor the question's."""
        return [
            token
            for token in self.beside
            if not token.text.isdigit() and not self.question.knows(token.text)
        ]


def _slot_of(name: CharSpan, question: JudgedQuestion, reply: Text) -> _Slot:
    """The place of a name in its clause."""
    first, last = clause_at(name, reply)
    rest = reply.folded[name[1] : last]
    adjunct = _ADJUNCT.search(rest)
    after = _content(reply, name[1], name[1] + adjunct.start() if adjunct else last)
    if question.who and _OF_ANOTHER.match(rest):
        after = []  # "Ada of Lunt"
    before = _without_owner(_content(reply, first, name[0]), reply)
    return _Slot(name, (first, last), question, reply, before, after)


def _doubt_slot(span: CharSpan, question: JudgedQuestion, reply: Text) -> Doubt:
    """The first reason why a name does not stand where an answer stands.

    An answer is the whole clause, its subject with the question's words behind it, or it follows
    the question's words.
    """
    slot = _slot_of(span, question, reply)
    for doubt in _DOUBTS_OF_SLOT:
        reason = doubt(slot)
        if reason is not None:
            return reason
    return None


def _follows_other_preposition(slot: _Slot) -> Doubt:
    """That a preposition that the question does not have stands before a name: "after Ada"."""
    preposition = _OTHER_PREPOSITION.search(slot.lead)
    if preposition is None or slot.question.has(preposition[1]):
        return None
    return f"says {preposition[1]!r} before it"


def _does_something_else(slot: _Slot) -> Doubt:
    """That the word behind a name is another verb than the question's: "Ada funded it"."""
    verb = slot.reply.behind(slot.name[1])
    if verb is None or slot.reply.folded[slot.name[1] : verb.start].strip():
        return None
    if not slot.question.asks_subject or not slot.question.topics:
        return None
    is_other = verb.text.endswith("ed") and not slot.question.has(verb.text)
    return "does something else" if is_other else None


def _is_object(slot: _Slot) -> Doubt:
    """That words stand before a name that is asked for as a subject: "they sued Ada"."""
    if not slot.before or not slot.question.asks_subject:
        return None
    return None if _BEFORE_SUBJECT.search(slot.lead) else "gives it as the object"


def _is_of_something_else(slot: _Slot) -> Doubt:
    """That a thing is one of a new name: "the capital of Lunt". Persons may be of any place."""
    other = _OF_ANOTHER.match(slot.rest)
    if other is None or slot.question.who:
        return None
    is_new = _is_new_name(slot.name[1] + other.end(), slot.question, slot.reply)
    return "is of something else" if is_new else None


def _is_aside(slot: _Slot) -> Doubt:
    """That a name is a clause by itself behind others that say something new."""
    if slot.beside:
        return None
    start = slot.clause[0]
    begin, _ = sentence_at(start, slot.reply)
    earlier = _content(slot.reply, begin, start)
    is_first = all(slot.question.echoes(token.text) for token in earlier)
    return None if is_first else "gives it beside something else"


def _has_name_beside(slot: _Slot) -> Doubt:
    """That a word beside a name is another name."""
    for token in slot.news:
        is_kind = token.text in judge_lexicon().firm
        if token.capital and token is not slot.reply.tokens[0] and not is_kind:
            return f"names {token.text!r} beside it"
    return None


def _has_news_beside(slot: _Slot) -> Doubt:
    """That most words beside a name are new, and the name is not the only one of its sentence."""
    is_mostly_new = len(slot.news) > (1 - _LEAST_ECHOED) * len(slot.beside)
    if not is_mostly_new or _is_only_name(slot.name, slot.question, slot.reply):
        return None
    return f"says {slot.news[0].text!r} of it"


_DOUBTS_OF_SLOT: tuple[Callable[[_Slot], Doubt], ...] = (
    _follows_other_preposition,
    _does_something_else,
    _is_object,
    _is_of_something_else,
    _is_aside,
    _has_name_beside,
    _has_news_beside,
)


def _is_only_name(span: CharSpan, question: JudgedQuestion, reply: Text) -> bool:
    """Whether no other word of the reply's sentence is a name that the question does not have."""
    first, last = sentence_at(span[0], reply)
    if first_cue(reply.plain_words(first, last), question) or ";" in reply.folded[first:last]:
        return False
    lexicon = judge_lexicon()
    if any(
        token.text in lexicon.turns or token.text in lexicon.relations
        for token in reply.between(first, last)
        if not question.has(token.text)
    ):
        return False
    names = [token for token in reply.between(first, last) if token.capital]
    inside = [token for token in names if span[0] <= token.start < span[1]]
    others = [
        token
        for token in names
        if token not in inside and token.start > first and not question.echoes(token.text)
    ]
    return bool(inside) and not others


def _without_owner(tokens: list[Token], reply: Text) -> list[Token]:
    """`tokens` without the name at their end whose work or member follows: "Ada Lunt's"."""
    if not tokens or not _is_owner(tokens[-1], reply):
        return tokens
    end = len(tokens) - 1
    while end > 0 and tokens[end - 1].capital:
        end -= 1
    return tokens[:end]


def _is_owner(token: Token, text: Text) -> bool:
    """Whether a word stands in the genitive."""
    return text.folded[token.start : token.end].endswith(("'s", "s'"))


def _content(text: Text, first: int, last: int) -> list[Token]:
    """The tokens between two offsets that are neither stop words, titles nor in quotes."""
    title = judge_lexicon().title
    quoted = _quoted(text)
    return [
        token
        for token in text.between(first, last)
        if not token.stop
        and token.text not in title
        and not any(start < token.start < end for start, end in quoted)
    ]


def _quoted(text: Text) -> list[CharSpan]:
    """The spans of titles in quotes."""
    return [match.span() for match in _TITLE.finditer(text.folded)]


def doubt_value(
    span: CharSpan, question: JudgedQuestion, reply: Text, *, bounded: bool = False
) -> Doubt:
    """The reason to doubt that a reply gives the date or number at `span` as its answer.

    `bounded`: the gold answer is a bound itself, or a bound excludes it.
    """
    words = judge_lexicon()
    first, _ = clause_at(span, reply)
    lead = _ABOUT.sub("", reply.folded[first : span[0]])
    before = [token.text for token in tokenize(lead).tokens]
    for word in before[-_BOUND_REACH:]:
        if not bounded and word in words.bounds and not question.has(word):
            return "gives a bound"
    behind = [token for token in reply.tokens if token.start >= span[1]]
    if behind and behind[0].text in words.behind and not question.has(behind[0].text):
        return "gives a difference"
    if CHOICE.search(reply.folded[: span[0]]) or CHOICE.match(reply.folded[span[1] :]):
        return "gives a choice"
    return doubt_clause(span, question, reply) or turns_later(
        span, question, reply, lambda token: token.text[0].isdigit()
    )


def doubt_clause(span: CharSpan, question: JudgedQuestion, reply: Text) -> Doubt:
    """The reason to doubt an answer at `span` by the words of its clause."""
    begin, _ = sentence_at(span[0], reply)
    if _ALL_BUT.search(reply.folded[begin : span[0]]):
        return "excepts it"
    first, last = clause_at(span, reply)
    around = f"{reply.plain_words(first, span[0])} ; {reply.plain_words(span[1], last)}"
    cue = first_cue(around, question)
    if cue:
        return f"says {cue!r} of it"
    quoted = _quoted(reply)
    tokens = [
        token
        for token in reply.between(first, last)
        if not any(start < token.start < end for start, end in quoted)
    ]
    if _quoted(question.text):
        for start, end in quoted:
            inside = first <= start < last and not start <= span[0] < end
            title = reply.folded[start + 1 : end - 1].strip(" ,.!?")
            if inside and title not in question.text.folded:
                return "is of another title"
    return (
        _other_topic(span, tokens, question)
        or opposite_comparison(tokens, question)
        or _relation(tokens, question)
        or _other_date(first, last, question, reply)
    )


def first_cue(folded: str, question: JudgedQuestion) -> str:
    """The first word that denies, retracts or hedges, unless the question has it; else empty."""
    plain = _SURE.sub(" ", folded)
    question_denies = _DENIALS.search(question.text.folded) is not None
    for match in (*_ALL_BUT.finditer(plain), *_WORD.finditer(plain)):
        word = match.group()
        denies = word.endswith(("n't", " but")) or word in judge_lexicon().cues
        if not denies or question.has(word) or word in question.text.folded:
            continue
        if question_denies and (_DENIALS.fullmatch(word) or word == "anyone"):
            continue
        return word
    return ""


def _other_topic(span: CharSpan, tokens: Sequence[Token], question: JudgedQuestion) -> Doubt:
    """What the words of a clause nearest to an answer are about, if the question is not."""
    lexicon = judge_lexicon()
    asks_deed = question.topics or question.contrasts
    topic = _nearest(span, tokens, lexicon.topics) if asks_deed else ""
    if topic and topic not in question.topics:
        return f"is about {topic!r}"
    measure = _nearest(span, tokens, lexicon.measures)
    if measure and measure not in question.measures and (question.measures or question.how_many):
        return f"is about {measure!r}"
    contrast = _nearest(span, tokens, lexicon.contrasts)
    if contrast and contrast not in question.contrasts and question.contrasts:
        return f"is about {contrast!r}"
    return None


def _nearest(span: CharSpan, tokens: Sequence[Token], rows: Mapping[str, str]) -> str:
    """The row of the word nearest to a span that has one, of a measure the last one before it; else
    empty."""
    before = [token for token in tokens if token.end <= span[0] and token.text in rows]
    after = [token for token in tokens if token.start >= span[1] and token.text in rows]
    if before and after and rows is judge_lexicon().topics:
        is_after = after[0].start - span[1] < span[0] - before[-1].end
        return rows[after[0].text] if is_after else rows[before[-1].text]
    nearest = before[-1:] or after[:1]
    return rows[nearest[0].text] if nearest else ""


def opposite_comparison(tokens: Sequence[Token], question: JudgedQuestion) -> Doubt:
    """A word of comparison that says the opposite of the question's."""
    lexicon = judge_lexicon()
    for same, opposite in ((lexicon.more, lexicon.less), (lexicon.less, lexicon.more)):
        axes = {same[word] for word in question.text.words if word in same}
        for token in tokens:
            if opposite.get(token.text) in axes and not question.has(token.text):
                return f"says {token.text!r}"
    return None


def _relation(tokens: Sequence[Token], question: JudgedQuestion) -> Doubt:
    for token in tokens:
        if token.text in judge_lexicon().relations and not question.echoes(token.text):
            return f"speaks of a {token.text!r}"
    return None


def _other_date(first: int, last: int, question: JudgedQuestion, reply: Text) -> Doubt:
    """That a clause has another date than the question."""
    known = dates(question.text.folded)
    if not known or question.dated:
        return None
    for date in dates(reply.folded):
        inside = first <= date.start < last
        if inside and not any(_may_be_one_date(date, other) for other in known):
            return "is of another date"
    return None


def _may_be_one_date(date: Date, other: Date) -> bool:
    pairs = ((date.year, other.year), (date.month, other.month), (date.day, other.day))
    return all(one is None or two is None or one == two for one, two in pairs)


def turns_later(
    span: CharSpan,
    question: JudgedQuestion,
    reply: Text,
    is_answer: Callable[[Token], bool] = lambda _: True,
) -> Doubt:
    """The word by which a reply turns to something else after an answer.

    Args:
        is_answer: whether a word behind the turn may be the answer instead.
    """
    turn = ""
    sure = [match.span() for match in _SURE.finditer(reply.folded)]
    for token in reply.tokens:
        if token.start < span[1] or any(start <= token.start < end for start, end in sure):
            continue
        if token.text in judge_lexicon().turns and not question.has(token.text):
            turn = token.text
        elif turn and is_answer(token) and not question.echoes(token.text):
            return f"says {turn!r} after it"
    return None


def answers_again(
    span: CharSpan, question: JudgedQuestion, reply: Text, is_answer: Callable[[Token], bool]
) -> Doubt:
    """A word of a later clause that takes up the question and may be its answer."""
    answer = {token.text for token in reply.between(*span)}
    _, start = clause_at(span, reply)
    while start < len(reply.folded):
        first, last = clause_at((start + 1, start + 1), reply)
        content = _content(reply, max(first, start), last)
        echoed = sum(question.has(token.text) for token in content)
        start = max(last, start + 1)
        if echoed < _FEWEST_ECHOED or echoed < _SHARE_AGAIN * len(content):
            continue
        for token in content:
            new = not question.echoes(token.text) and token.text not in answer
            if new and is_answer(token):
                return f"gives {token.text!r}, too"
    return None


def longer_name(span: CharSpan, question: JudgedQuestion, reply: Text) -> Doubt:
    """The word beside a name that makes it a longer one."""
    lexicon = judge_lexicon()
    before = [token for token in reply.tokens if token.end <= span[0]]
    after = [token for token in reply.tokens if token.start >= span[1]]
    beside = []
    last = reply.between(*span)[-1:]
    if last and _is_owner(last[0], reply) and stem(last[0].text) == stem(last[0].text + "s"):
        return "speaks of something of it"
    if re.search(r"\w-$", reply.folded[: span[0]]) or re.match(r"-\w", reply.folded[span[1] :]):
        return "gives a longer word"
    if before and reply.folded[before[-1].end : span[0]].strip() in ("", "."):
        beside.append(before[-1])
    if after and not reply.folded[span[1] : after[0].start].strip():
        beside.append(after[0])
    for token in beside:
        kinds = lexicon.title | lexicon.firm
        harmless = token.stop or token.text in kinds
        if token.text in kinds and stem(token.text) not in question.known:
            if any(stem(kind) in question.known for kind in kinds - lexicon.stop):
                return f"gives {token.text!r} of that name"
        if harmless or question.echoes(token.text) or token.text in lexicon.topics:
            continue
        is_name = token.capital if reply.has_capitals else True
        if token.end <= span[0] and _is_owner(token, reply):
            continue
        if token.text.isdigit() or is_name:
            return f"gives a longer name, with {token.text!r}"
    subtitle = _SUBTITLE.match(reply.folded, span[1])
    if subtitle and after and after[0].capital and not question.echoes(after[0].text):
        return f"gives a longer name, with {after[0].text!r}"
    return None


def _other_choice(span: CharSpan, question: JudgedQuestion, reply: Text) -> Doubt:
    """How a reply gives another name beside the one at `span`."""
    before = reply.folded[: span[0]]
    after = reply.folded[span[1] :]
    if CHOICE.search(before) or CHOICE.match(after):
        return "gives a choice"
    joined = _JOINED_AFTER.match(after)
    if joined is not None and _is_new_name(span[1] + joined.end(), question, reply):
        return "adds another name"
    if _JOINED_BEFORE.search(before):
        earlier = [token for token in reply.tokens if token.end <= span[0] and token.text != "and"]
        if earlier and _is_new_name(earlier[-1].start, question, reply):
            return "adds another name"
    return None


def _is_new_name(start: int, question: JudgedQuestion, reply: Text) -> bool:
    """Whether the word at an offset is a name that the question does not have."""
    token = reply.behind(start)
    if token is None or token.stop:
        return False
    return token.capital if reply.has_capitals else not question.echoes(token.text)
