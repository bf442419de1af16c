"""Answers with several members: are all there, and nothing else?"""

import re

from evaluation.judge.doubts import Name, cue
from evaluation.judge.lexicon import words
from evaluation.judge.members import ROLES, members, parts
from evaluation.judge.names import find, negated, spellings
from evaluation.judge.normalize import Text, read
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import Question
from evaluation.judge.reply import Reply

_OPEN = re.compile(
    r"\b(?:such as|many more|and (?:so on|others|more)|etc|among others|for example|including"
    r"|some of|e\.g)\b"
)
_SHORT = 40  # tokens of a reply that is about one thing
_RELATED = re.compile(rf"\b(?:{'|'.join(sorted(words('relations')))})(?: (?:of|to|from|the|a))* ?$")
_AGAIN = frozenset(("again", "twice", "second", "both", "all"))


def judge_list(gold: str, question: Question, reply: Reply) -> Judgement | None:
    """A verdict where `gold` lists members that a plural question asks for, else None."""
    wanted = members(gold, question)
    if len(wanted) < 2:
        return None
    found = [name for name in wanted if _given(name, reply)]
    if not found:
        return _nothing_found(wanted, question, reply)
    if _OPEN.search(read(gold).folded):
        return unscored("the gold list is open-ended")
    missing = [name for name in wanted if name not in found]
    if missing:
        if _partly(missing, found, question, reply):
            return unscored(f"may lack {missing[0].joined!r}")
        return wrong(f"lacks {missing[0].joined!r}")
    extra = extras(wanted, question, reply)
    if extra:
        return wrong(f"adds {extra!r}")
    if len(reply.text.tokens) > 6 * sum(len(name.tokens) for name in wanted) + 20:
        return unscored("all members are named, in a long text")
    why = _doubt(wanted, question, reply)
    return unscored(why) if why else correct("names every member and no other")


def _doubt(wanted: list[Text], question: Question, reply: Reply) -> str:
    """Why a list of all members may not be the answer, or ""."""
    found = cue(reply.text.folded, question) if len(reply.text.tokens) <= _SHORT else ""
    if found:
        return f"says {found!r} of them"
    own = tuple(word for name in wanted for word in name.words)
    for name in wanted:
        spans = [span for spelling in spellings(name.folded) for span in find(spelling, reply.text)]
        near = [Name(span, question, reply, own) for span in spans]
        if near and all(one.longer() or one.possessed() or one.acts() for one in near):
            return f"may not mean {name.joined!r}"
    if _RELATED.search(reply.text.folded[: _first(wanted, reply.text)]):
        return "may name those related to them"
    return ""


def _first(wanted: list[Text], text: Text) -> int:
    starts = [text.tokens[i].start for name in wanted for i, _ in find(name, text)]
    return min(starts, default=0)


def _given(name: Text, reply: Reply) -> bool:
    spans = [span for spelling in spellings(name.folded) for span in find(spelling, reply.text)]
    if spans:
        return any(not negated(span, reply.text) for span in spans)
    if len(name.words) == 1:
        return name.words[0].isalpha() and name.stems <= reply.text.stems
    return any(set(name.words) <= set(part.words) for part in pieces(reply))


def pieces(reply: Reply) -> list[Text]:
    """What marks and "and" part in a reply: a member's words stand in one of these."""
    return [read(part) for part in re.split(r"[,;\n/]|\band\b|&|\s-\s", reply.text.folded)]


def _partly(missing: list[Text], found: list[Text], question: Question, reply: Reply) -> bool:
    """Whether the reply has half of the words that set each missing name apart."""
    common = {word for name in found for word in name.words}
    for name in missing:
        own = [w for w in name.words if w not in common and not question.echoes(w)] or name.words
        if 2 * sum(word in reply.text.words for word in own) < len(own):
            return False
    return True


def _nothing_found(wanted: list[Text], question: Question, reply: Reply) -> Judgement:
    new = {word for word in reply.text.words if not question.echoes(word)}
    gold = {word for name in wanted for word in name.words if not question.echoes(word)}
    if new and gold and not new & gold:
        return wrong("names none of the members")
    return unscored("no member is clearly named")


def extras(wanted: list[Text], question: Question, reply: Reply) -> str:
    """The first thing the reply lists that is no member, or ""."""
    known = {word for name in wanted for word in name.words}
    used: set[int] = set()
    for part in reply.items or parts(reply.outer.folded, question):
        new = [word for word in part.words if not question.echoes(word)]
        hits = {i for i, name in enumerate(wanted) if find(name, part) or name.stems == part.stems}
        # "the sequel to <member>" names something else once the member itself was named.
        again = bool(hits) and hits <= used and not set(new) <= known | _AGAIN
        if set(new) <= ROLES or (hits and not again):
            used |= hits
            continue
        if len(new) <= 5 and not set(new) <= known and not all(word.isdigit() for word in new):
            return part.joined
    return ""
