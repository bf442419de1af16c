"""Answers with several members: are all of them named, and nothing else?"""

import re
from collections.abc import Sequence

from rapidfuzz.distance import OSA

from evaluation.judge.doubts import doubt_member
from evaluation.judge.names import find, spellings
from evaluation.judge.normalize import Span, Text, read, words
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion

# A comma within a number parts nothing.
_SPLIT = re.compile(
    r"\s*(?:,(?!\d{3}(?!\d))|[;\n])\s*(?:and\b|or\b|&)?\s*|\s+(?:and|&|as well as)\s+"
)
_LEAD = re.compile(
    r"(?:\b(?:were|are|is|was|includes?|included|including|has been|have been|such as|namely|by|has"
    r"|have|had)\b|:)\s+(?=\S)"
)
_TAIL = re.compile(
    r"\s+(?:(?:have|has|had) (?:all |both |each |also )?\w+|(?:are|were|is|was) (?:all |both |the )"
    r"|all (?:have|won|are|were|\w+ed)|all of)\b.*$"
)
_ORDER = re.compile(r"\b(?:order|rank|sort|arrange)\b|\b(?:alphabetical|chronological)")
_LONGEST = 8  # words of a member


def judge_list(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` lists members that a plural question asks for, else None."""
    wanted = _members(gold, question)
    if len(wanted) < 2:
        return None
    lacking = [name for name in wanted if not _spans(name, reply)]
    if lacking:
        why = f"lacks {lacking[0].joined!r}"
        surnames = {name.words[-1] for name in lacking} <= set(reply.words)
        said = _parts(reply.folded, question)
        slips = all(any(_slip(name.words, part.words) for part in said) for name in lacking)
        return unscored(why) if surnames or slips else wrong(why)
    extra = _extra(wanted, question, reply)
    if extra:
        return wrong(f"adds {extra!r}")
    if _ORDER.search(question.text.folded):
        return unscored("may give another order")
    own = frozenset(word for name in wanted for word in name.words)
    for name in wanted:
        why = doubt_member(_spans(name, reply), own, question, reply)
        if why:
            return unscored(why)
    return correct("names every member and no other")


def _members(gold: str, question: JudgedQuestion) -> list[Text]:
    """The members of a gold answer that lists two or more, else []."""
    folded = re.sub(r"\([^()]*\)", " ", read(gold).folded.rstrip(". "))
    out = _parts(folded, question)
    if any(len(part.words) > _LONGEST for part in out):
        return []
    if question.plural:
        return out
    alone = not any(_echoes(part.folded, question) for part in out)
    return out if alone and (len(out) >= 3 or (question.who and " and " in folded)) else []


def _parts(folded: str, question: JudgedQuestion) -> list[Text]:
    """What commas and "and" part in a list, without the sentence around it."""
    out = [read(part.strip(" \"'")) for part in _SPLIT.split(_strip(folded, question))]
    return [part for part in out if not all(map(question.echoes, part.words))]


def _strip(folded: str, question: JudgedQuestion) -> str:
    """`folded` from where its list begins to where it ends, as far as the question's words show."""
    out = folded
    for found in _LEAD.finditer(folded):
        if "," in folded[: found.start()]:
            break
        if _echoes(folded[: found.start()], question):
            out = folded[found.end() :]
    tail = _TAIL.search(out)
    return out[: tail.start()] if tail and _echoes(tail.group(), question) else out


def _echoes(text: str, question: JudgedQuestion) -> bool:
    """Whether `text` takes up the question: most of its content words, one where it is plural."""
    content = [token.text for token in read(text).tokens if not token.stop]
    echoed = sum(map(question.echoes, content))
    return echoed >= 1 and (question.plural or 5 * echoed >= 3 * len(content))


def _spans(name: Text, reply: Text) -> list[Span]:
    return [span for spelling in spellings(name.folded) for span in find(spelling, reply)]


def _slip(name: Sequence[str], said: Sequence[str]) -> bool:
    """Whether each word of two names is the same but for a slip: within a word of at least five
    letters, one is another, or two are in another order."""
    return len(name) == len(said) and all(
        a == b or (len(a) > 4 and a.isalpha() and a[-1] == b[-1] and OSA.distance(a, b) == 1)
        for a, b in zip(name, said, strict=True)
    )


def _extra(wanted: list[Text], question: JudgedQuestion, reply: Text) -> str:
    """The first thing the reply lists that is no member, or ""."""
    known = {word for name in wanted for word in name.words}
    for part in _parts(reply.folded, question):
        new = {word for word in part.words if not (question.echoes(word) or word.isdigit())}
        if not new - known <= words("neutral", "role") and not any(
            find(name, part) for name in wanted
        ):
            return part.joined
    return ""
