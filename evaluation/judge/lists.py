"""Answers with several members: are all of them named, and nothing else?"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from rapidfuzz.fuzz import partial_ratio

from evaluation.judge.answer_type import AnswerType, Unread
from evaluation.judge.doubts import (
    CHOICE,
    LIST_MARK,
    SENTENCE_END,
    Doubt,
    clause_at,
    doubt_clause,
    first_cue,
    longer_name,
    sentence_at,
    turns_later,
)
from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.names import find_name, spellings
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.text import CharSpan, Text, Token, tokenize
from models.english.calendar_words import MONTHS
from utils.text import stem

# A comma within a number separates nothing.
_SPLIT = re.compile(
    r"\s*(?:,(?!\d{3}(?!\d))|[;\n])\s*(?:and\b|or\b|then\b|&)?\s*|\s+(?:and|&|as well as)\s+"
)
_OPENING = re.compile(r"^(?:in|as of|during|since|at) [^,]{1,30}, ")
_LEAD = re.compile(
    r"(?::|\b(?:were|are|is|was|includes?|including|such as|namely|has|have|features|invested in\w*"
    r"|investments in\w*))\s+(?:\d+ \w+: )?(?=\S)"
)
_TAIL = re.compile(
    r"\s+(?:(?:have|has|had) (?:all |both |each |also )?\w+|(?:are|were|is|was) (?:all |both |the )"
    r"|all (?:have|won|are|were|\w+ed)|all of)\b.*$"
)
_ITEM_END = re.compile(r"\s+-+\s+|\s*[:(,\n]|\s+\b(?:as|for|in|from|of the)\b|\.(?:\s|$)")
_OF_MANY = re.compile(r"\b(?:and more|among others|etc|such as|and others|and so on)\b")
_AND_MORE = re.compile(
    r"\b(?:and (?:\w+ )?(?:more|others)|among others|etc|and so on|and (?:several|many) \w+)\b"
)
_UNSURE = "?"  # ends what may be a name
_LONGEST = 6  # words of a member, beside stop words
_ABBREVIATION = 3  # letters
_NEAR = 80  # percent of letters that two spellings of one name share


@dataclass(frozen=True, slots=True)
class Members:
    """The members of a list.

    Attributes:
        names: of the gold answer.
        lacking, added: of a reply: members that it surely lacks, and names that are no members.
    """

    names: tuple[str, ...]
    lacking: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def read_gold(gold: Text, question: JudgedQuestion) -> Members | None:
    """The members of a gold answer that lists two or more."""
    if question.counts and not question.plural:
        return None
    folded = _listing(gold, question)
    members = [part for part in _parts(folded, question) if part]
    if len(members) < 2 or any(_content_length(member) > _LONGEST for member in members):
        return None
    is_sentence = folded != gold.folded.strip(" .")
    is_pair = len(members) == 2 and all(_content_length(member) > 1 for member in members)
    is_list = len(members) > 2 or (is_pair and " and " in folded)
    if not question.plural and (is_sentence or not is_list):
        return None
    return Members(tuple(members))


def _listing(gold: Text, question: JudgedQuestion) -> str:
    """The part of a gold answer that lists, without the sentence around it."""
    sentence = _OPENING.sub("", gold.folded.strip(" ."))
    *_, last = SENTENCE_END.split(sentence)
    if "," in last and "," not in sentence.removesuffix(last):
        sentence = last
    folded = sentence
    for lead in _LEAD.finditer(sentence):
        before = sentence[: lead.start()]
        if "," in before:
            break
        if any(question.has(word) for word in tokenize(before).words):
            folded = sentence[lead.end() :]
    tail = _TAIL.search(folded)
    if tail and any(question.has(word) for word in tokenize(tail.group()).words):
        return folded[: tail.start()]
    return folded


def _parts(folded: str, question: JudgedQuestion) -> Iterator[str]:
    """What commas and "and" separate in a list."""
    for piece in _SPLIT.split(re.sub(r"\([^()]*\)", " ", folded)):
        part = piece.strip(" .\"'")
        words = part.split()
        while len(words) > 2 and words[0] in judge_lexicon().title:
            words = words[1:]
        part = " ".join(words)
        if not all(map(question.echoes, tokenize(part).words)):
            yield part


def _content_length(text: str) -> int:
    return sum(not token.stop for token in tokenize(text).tokens)


def read_reply(reply: Text, question: JudgedQuestion, gold: Members) -> Members | Unread:
    """Which members of the gold a reply lacks, and what it adds."""
    spans: list[CharSpan] = []
    lacking: list[str] = []
    unsure: list[str] = []
    for name in gold.names:
        places = _mentions(name, gold, question, reply)
        if places:
            spans.append(places[0])
        elif _may_have(name, gold, question, reply):
            unsure.append(name)
        else:
            lacking.append(name)
    if lacking and (question.open_list or _OF_MANY.search(" ".join(gold.names))):
        return Unread("may give others of many")
    if unsure and not lacking:
        return Unread(f"may lack {unsure[0]!r}")
    if lacking and not _lists_names(reply, question):
        return Unread("lists no names")
    reason = _doubt_members(spans, gold, question, reply)
    if reason:
        return Unread(reason)
    if not lacking and _AND_MORE.search(reply.folded):
        return Unread("says that there are more")
    if question.in_order and spans != sorted(spans):
        return Unread("gives another order")
    added = () if lacking else tuple(_added(spans, gold, question, reply))
    if any(name.endswith(_UNSURE) for name in added):
        return Unread("may add a member")
    return Members(gold.names, tuple(lacking), added)


def _doubt_members(
    spans: Sequence[CharSpan], gold: Members, question: JudgedQuestion, reply: Text
) -> Doubt:
    """The reason to doubt that the members at `spans` are the answer."""
    for span in spans:
        first, last = clause_at(span, reply)
        cue = first_cue(reply.plain_words(first, last), question)
        if cue and cue not in " ".join(gold.names):
            return f"says {cue!r} of a member"
        if CHOICE.search(reply.folded[: span[0]]):
            return "gives a choice"
    if not spans:
        return None
    return (
        turns_later(min(spans), question, reply)
        or doubt_clause(min(spans), question, reply)
        or doubt_clause(max(spans), question, reply)
        or _names_before(min(spans), question, reply)
    )


def _names_before(span: CharSpan, question: JudgedQuestion, reply: Text) -> Doubt:
    """A name in the sentence before its first member, which may belong to the list."""
    begin, _ = sentence_at(span[0], reply)
    if len(LIST_MARK.findall(reply.folded)) > 1:
        return None
    for token in reply.tokens:
        known = question.echoes(token.text) or token.text in judge_lexicon().title
        new = token.capital and not known and token.text not in MONTHS
        if new and begin < token.start < span[0]:
            if not reply.folded[token.start : token.end].endswith(("'s", "s'")):
                return f"names {token.text!r} before the list"
    return None


def _mentions(name: str, gold: Members, question: JudgedQuestion, reply: Text) -> list[CharSpan]:
    """Where a reply names a member, in full or by a word that no other member has."""
    for spelling in spellings(name, question):
        spans = find_name(spelling, reply)
        if spans:
            return spans
    idle = judge_lexicon().stop | judge_lexicon().firm
    words = [word for word in tokenize(name).words if word not in idle]
    others = _words_of([other for other in gold.names if other != name])
    distinctive = [word for word in words if word not in others and not question.echoes(word)]
    if len(distinctive) == len(words) - len(set(words) & others) and distinctive:
        present = [word for word in distinctive if word in reply.words]
        if len(present) == len(distinctive) or (
            len(words) > 1 and distinctive[-1] == words[-1] in reply.words
        ):
            token = next(token for token in reply.tokens if token.text == present[-1])
            span = (token.start, token.end)
            return [] if longer_name(span, question, reply) else [span]
    return []


def _words_of(names: Sequence[str]) -> set[str]:
    """The words of all names."""
    return set(chain.from_iterable(tokenize(name).words for name in names))


def _may_have(name: str, gold: Members, question: JudgedQuestion, reply: Text) -> bool:
    """Whether a reply has a word of a member that it does not name, or one of like spelling."""
    others = _words_of([other for other in gold.names if other != name])
    words = [word for word in tokenize(name).words if word not in judge_lexicon().stop]
    distinctive = [word for word in words if word not in others and not question.echoes(word)]
    if not distinctive or any(stem(word) in reply.stems for word in distinctive):
        return True
    return partial_ratio(" ".join(distinctive), reply.joined) >= _NEAR


def _lists_names(reply: Text, question: JudgedQuestion) -> bool:
    """Whether a reply gives a name that the question does not have."""
    if all(len(token.text) <= _ABBREVIATION for token in reply.tokens):
        return False
    if not reply.has_capitals:
        return reply.short
    return any(token.capital and not question.echoes(token.text) for token in reply.tokens)


def _added(
    spans: Sequence[CharSpan], gold: Members, question: JudgedQuestion, reply: Text
) -> Iterator[str]:
    """The names that a reply lists beside the members."""
    member_words = _words_of(gold.names)
    for first, last in _listed(spans, reply):
        tokens = reply.between(first, last)
        part = tokenize(reply.folded[first:last])
        if any(find_name(tokenize(name), part) for name in gold.names):
            continue
        if all(token.text in member_words or token.stop for token in tokens):
            continue
        if _is_name(tokens, question, reply):
            yield " ".join(token.text for token in tokens)
        elif reply.has_capitals and tokens and tokens[0].capital:
            if not question.echoes(tokens[0].text):
                yield tokens[0].text + _UNSURE


def _listed(spans: Sequence[CharSpan], reply: Text) -> Iterator[CharSpan]:
    """The spans of a reply's items: of its numbered or marked lines, else what commas separate from
    the first member to the end of the last one's sentence."""
    marks = list(LIST_MARK.finditer(reply.folded))
    if len(marks) > 1:
        for mark in marks:
            item_end = _ITEM_END.search(reply.folded, mark.end())
            yield mark.end(), item_end.start() if item_end else len(reply.folded)
        return
    folded = re.sub(r"\([^()]*\)?", lambda match: " " * len(match.group()), reply.folded)
    first = min(start for start, _ in spans)
    last = max(end for _, end in spans)
    sentence_end = re.compile(r"[.!?](?:\s|$)|\n|$").search(folded, last)
    end = sentence_end.start() if sentence_end else len(folded)
    start = first
    for mark in _SPLIT.finditer(folded, first, end):
        blanks = len(mark.group()) - len(mark.group().lstrip())  # they may be parentheses
        yield start, mark.start() + blanks
        start = mark.end()
    yield start, end


def _is_name(tokens: Sequence[Token], question: JudgedQuestion, reply: Text) -> bool:
    """Whether the tokens of an item are a short name, and nothing else."""
    new = [token for token in tokens if not question.echoes(token.text)]
    if not new or len(tokens) > 4 or all(token.text.isdigit() for token in new):
        return False
    if not reply.has_capitals:
        return reply.folded[tokens[0].start : tokens[-1].end].count(" ") < 3
    return all(token.capital or token.stop for token in tokens) and new[0].capital


def equal(gold: Members, reply: Members) -> bool:
    """Whether the reply names every member and no other."""
    return not reply.lacking and not reply.added


def contradicts(gold: Members, reply: Members) -> bool:
    """Whether the reply lacks a member or adds one to a closed list."""
    return bool(reply.lacking or reply.added)


LIST = AnswerType("list", read_gold, read_reply, equal, contradicts)
