"""Answers with several members: are all of them named, and nothing else?"""

import re

from evaluation.judge.doubts import attached, cue
from evaluation.judge.names import find, negated, spellings
from evaluation.judge.normalize import Text, read, words
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.reply import Reply

_OPEN = re.compile(
    r"\b(?:such as|many more|and (?:so on|others|more)|etc|among others|for example|including"
    r"|some of|e\.g)\b"
)
# A comma within a number parts nothing.
_SPLIT = re.compile(
    r"\s*(?:,(?!\d{3}(?!\d))|[;\n])\s*(?:and\b|or\b|&)?\s*|\s+(?:and|&|as well as)\s+"
)
_PIECES = re.compile(r"[,;\n/]|\band\b|&|\s-\s")
_LEAD = re.compile(
    r"(?:\b(?:were|are|is|was|includes?|included|including|has been|have been|such as|namely|by|has"
    r"|have|had)\b|:)\s+(?=\S)"
)
_TAIL = re.compile(
    r"\s+(?:(?:have|has|had) (?:all |both |each |also )?\w+|(?:are|were|is|was) (?:all |both |the )"
    r"|all (?:have|won|are|were|\w+ed)|all of)\b.*$"
)
_VERB = re.compile(r"\b(?:is|was|are|were|has|have|had|who|which)\b")
_ORDER = re.compile(r"\b(?:order|rank|sort|arrange)\b|\b(?:alphabetical|chronological)")
_LONGEST = 8  # words of a member
_SHORT = 40  # tokens of a reply that is about one thing


def judge_list(gold: str, question: JudgedQuestion, reply: Reply) -> Judgement | None:
    """A verdict where `gold` lists members that a plural question asks for, else None."""
    wanted = _members(gold, question)
    if len(wanted) < 2:
        return None
    found = [name for name in wanted if _given(name, reply)]
    if not found:
        return _nothing_found(wanted, question, reply)
    if _OPEN.search(read(gold).folded):
        return unscored("the gold list is open-ended")
    missing = [name for name in wanted if name not in found]
    if missing:
        lasts = {name.words[-1] for name in missing}
        surnames = lasts <= set(reply.text.words) and not any(map(question.echoes, lasts))
        surnames = surnames and not any(_spans(name, reply) for name in missing)
        why = f"lacks {missing[0].joined!r}"
        return unscored(why) if surnames else wrong(why)
    extra = _extra(wanted, question, reply)
    if extra:
        return wrong(f"adds {extra!r}")
    if _ORDER.search(question.text.folded) and _order(wanted, reply) != sorted(
        _order(wanted, reply)
    ):
        return unscored("gives another order")
    why = _doubt(wanted, question, reply)
    return unscored(why) if why else correct("names every member and no other")


# -- the members of a list ----------------------------------------------------------------------


def _members(gold: str, question: JudgedQuestion) -> list[Text]:
    """The members of a gold answer that lists two or more, else []."""
    folded = re.sub(r"\([^()]*\)", " ", read(gold).folded.rstrip(". "))
    out = _parts(folded, question)
    if len(out) < 2 or any(len(part.words) > _LONGEST for part in out):
        return []
    if question.plural:
        return out
    sentence = _strip(folded, question) != folded or _VERB.search(folded)
    if sentence or any(_echoes(part.folded, question) for part in out):
        return []
    return out if len(out) >= 3 or (question.who and " and " in folded) else []


def _parts(folded: str, question: JudgedQuestion) -> list[Text]:
    """What commas and "and" part in a list, without the sentence around it."""
    inner = _strip(folded, question)
    bare = inner == folded
    inner = re.split(r"(?<=[a-z0-9]{2})[.!?](?:\s|$)", inner)[0]
    out = [read(part.strip(" \"'")) for part in _SPLIT.split(inner)]
    return [p for p in out if p.words and (bare or not all(map(question.echoes, p.words)))]


def _strip(folded: str, question: JudgedQuestion) -> str:
    """`folded` from where its list begins to where it ends, as far as the question's words show."""
    out = folded
    for found in _LEAD.finditer(folded):
        if "," in folded[: found.start()]:
            break
        if len(folded) - found.end() >= 3 and _echoes(folded[: found.start()], question):
            out = folded[found.end() :]
    tail = _TAIL.search(out)
    return out[: tail.start()] if tail and _echoes(tail.group(), question) else out


def _echoes(text: str, question: JudgedQuestion) -> bool:
    """Whether `text` takes up the question: most of its content words, one where it is plural."""
    content = [token.text for token in read(text).tokens if not token.stop]
    echoed = sum(map(question.echoes, content))
    return echoed >= 1 and (question.plural or 5 * echoed >= 3 * len(content))


# -- what a reply names -------------------------------------------------------------------------


def _spans(name: Text, reply: Reply) -> list[tuple[int, int]]:
    return [span for spelling in spellings(name.folded) for span in find(spelling, reply.text)]


def _given(name: Text, reply: Reply) -> bool:
    spans = _spans(name, reply)
    if spans:
        return any(not negated(span, reply.text) for span in spans)
    pieces = map(read, _PIECES.split(reply.text.folded))
    return any(set(name.words) <= set(piece.words) for piece in pieces)


def _nothing_found(wanted: list[Text], question: JudgedQuestion, reply: Reply) -> Judgement:
    new = {word for word in reply.text.words if not question.echoes(word)}
    gold = {word for name in wanted for word in name.words if not question.echoes(word)}
    if new and gold and not new & gold:
        return wrong("names none of the members")
    return unscored("no member is clearly named")


def _extra(wanted: list[Text], question: JudgedQuestion, reply: Reply) -> str:
    """The first thing the reply lists that is no member, or ""."""
    known = {word for name in wanted for word in name.words}
    used: set[int] = set()
    asides = words("neutral", "role")
    for part in reply.items or _parts(reply.outer.folded, question):
        new = {word for word in part.words if not question.echoes(word)}
        hits = {i for i, name in enumerate(wanted) if find(name, part) or name.stems == part.stems}
        # "the sequel to <member>" names something else once the member itself was named.
        again = hits <= used and not new <= known
        if new <= asides or (hits and not again):
            used |= hits
        elif len(new) <= 5 and not new <= known and not all(word.isdigit() for word in new):
            return part.joined
    return ""


def _order(wanted: list[Text], reply: Reply) -> list[int]:
    """Where each member is named first."""
    return [spans[0][0] for name in wanted if (spans := _spans(name, reply))]


def _doubt(wanted: list[Text], question: JudgedQuestion, reply: Reply) -> str:
    """Why a list of all members may not be the answer, or ""."""
    text = reply.text
    found = cue(text.folded, question) if len(text.tokens) <= _SHORT else ""
    if found:
        return f"says {found!r} of them"
    own = frozenset(word for name in wanted for word in name.words)
    for name in wanted:
        if attached(_spans(name, reply), own, question, reply):
            return f"may not mean {name.joined!r}"
    return ""
