"""Answers with several members: are all of them named, and nothing else?"""

import re
from collections.abc import Sequence

from rapidfuzz.distance import OSA

from evaluation.judge.doubts import doubt_member
from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.names import find_name, spellings
from evaluation.judge.normalize import CharSpan, Text, tokenize
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion

# A comma within a number separates nothing.
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
_FEWEST_LETTERS = 5  # of a word in which one letter may differ


def judge_list(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` lists members that a plural question asks for, else None."""
    members = _gold_members(gold, question)
    if len(members) < 2:
        return None
    lacking = [name for name in members if not _mentions(name, reply)]
    if lacking:
        reason = f"lacks {lacking[0].joined!r}"
        nearly_named = _has_surnames(lacking, reply) or _has_slips(lacking, question, reply)
        return unscored(reason) if nearly_named else wrong(reason)
    extra = _first_extra(members, question, reply)
    if extra:
        return wrong(f"adds {extra!r}")
    if _ORDER.search(question.text.folded):
        return unscored("may give another order")
    member_words = _words_of(members)
    for name in members:
        reason = doubt_member(_mentions(name, reply), member_words, question, reply)
        if reason:
            return unscored(reason)
    return correct("names every member and no other")


def _gold_members(gold: str, question: JudgedQuestion) -> list[Text]:
    """The members of a gold answer that lists two or more, else []."""
    folded = re.sub(r"\([^()]*\)", " ", tokenize(gold).folded.rstrip(". "))
    members = _listed_parts(folded, question)
    if any(len(member.words) > _LONGEST for member in members):
        return []
    if question.plural:
        return members
    if any(_takes_up(member.folded, question) for member in members):
        return []
    if len(members) >= 3 or (question.who and " and " in folded):
        return members
    return []


def _listed_parts(folded: str, question: JudgedQuestion) -> list[Text]:
    """What commas and "and" separate in a list, without the sentence around it."""
    parts = []
    for piece in _SPLIT.split(_without_sentence(folded, question)):
        part = tokenize(piece.strip(" \"'"))
        if not all(map(question.echoes, part.words)):
            parts.append(part)
    return parts


def _without_sentence(folded: str, question: JudgedQuestion) -> str:
    """`folded` from where its list begins to where it ends, as far as the question's words show."""
    listing = folded
    for lead in _LEAD.finditer(folded):
        before = folded[: lead.start()]
        if "," in before:
            break
        if _takes_up(before, question):
            listing = folded[lead.end() :]
    tail = _TAIL.search(listing)
    if tail and _takes_up(tail.group(), question):
        return listing[: tail.start()]
    return listing


def _takes_up(text: str, question: JudgedQuestion) -> bool:
    """Whether `text` takes up the question: most of its content words, one where it is plural."""
    content = [token.text for token in tokenize(text).tokens if not token.stop]
    echoed = sum(map(question.echoes, content))
    if echoed == 0:
        return False
    return question.plural or 5 * echoed >= 3 * len(content)


def _mentions(name: Text, reply: Text) -> list[CharSpan]:
    """Where `reply` names `name`, in any of its spellings."""
    spans: list[CharSpan] = []
    for spelling in spellings(name.folded):
        spans += find_name(spelling, reply)
    return spans


def _has_surnames(names: Sequence[Text], reply: Text) -> bool:
    """Whether the reply has the last word of each name."""
    return {name.words[-1] for name in names} <= set(reply.words)


def _has_slips(names: Sequence[Text], question: JudgedQuestion, reply: Text) -> bool:
    """Whether the reply lists each name with a slip of spelling."""
    parts = _listed_parts(reply.folded, question)
    return all(any(_is_slip(name.words, part.words) for part in parts) for name in names)


def _is_slip(name: Sequence[str], other: Sequence[str]) -> bool:
    """Whether each word of two names is the same but for a slip: within a word of at least five
    letters, one is another, or two are in another order."""
    if len(name) != len(other):
        return False
    return all(_is_same_or_slip(word, twin) for word, twin in zip(name, other, strict=True))


def _is_same_or_slip(word: str, other: str) -> bool:
    if word == other:
        return True
    if len(word) < _FEWEST_LETTERS or not word.isalpha():
        return False
    return word[-1] == other[-1] and OSA.distance(word, other) == 1


def _first_extra(members: list[Text], question: JudgedQuestion, reply: Text) -> str:
    """The first thing the reply lists that is no member, or ""."""
    known = _words_of(members) | judge_lexicon().neutral.role
    for part in _listed_parts(reply.folded, question):
        new = {word for word in part.words if not (question.echoes(word) or word.isdigit())}
        if new <= known or any(find_name(name, part) for name in members):
            continue
        return part.joined
    return ""


def _words_of(members: Sequence[Text]) -> frozenset[str]:
    """The words of all members."""
    return frozenset().union(*(name.words for name in members))
