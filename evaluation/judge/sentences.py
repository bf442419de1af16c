"""Golds that are sentences: what they add to the question is the answer."""

import re
from dataclasses import dataclass

from evaluation.judge.doubts import cue
from evaluation.judge.names import find
from evaluation.judge.normalize import Text, read, words
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.reply import Reply
from utils.text import stem

_QUOTED = re.compile(r'"([^"]{2,80}?)[,.]?"')
_BEFORE_ANSWERS = frozenset(
    "is was are were be been by called named titled entitled became as".split()
)


@dataclass(frozen=True, slots=True)
class _Run:
    """Words of a gold that are new to the question.

    `leads` is 2 where they stand as answers do, 1 where they end the gold, else 0.
    """

    text: Text
    leads: int


def judge_sentence(gold: str, question: JudgedQuestion, reply: Reply) -> Judgement | None:
    """A verdict on a gold of a sentence or more."""
    text = read(gold)
    runs = _runs(text, question)
    core = {stem(word) for run in runs for word in run.text.words if not _dull(word, question)}
    if not core:
        return unscored("the gold adds nothing to the question")
    plain = _plain_answer(text, runs, question, reply)
    if plain is not None:
        return plain
    new = {stem(word) for word in reply.outer.words if not _dull(word, question)}
    if not new:
        return unscored("says nothing beyond the question")
    if not core & (new | reply.text.stems):
        if len(runs) <= 5 or (reply.short and len(runs) <= 12):
            return wrong("gives another answer")
        return unscored("shares no word with a long gold")
    if len(core) > 8 or not core <= reply.text.stems or len(reply.items) >= 2:
        return unscored("shares a part of a sentence")
    found = cue(reply.text.folded, question)
    if found and found not in text.words:
        return unscored(f"says {found!r} of it")
    return correct("says all that the gold adds to the question")


def _dull(word: str, question: JudgedQuestion) -> bool:
    return question.echoes(word) or word in words("weak")


def _plain_answer(
    gold: Text, runs: list[_Run], question: JudgedQuestion, reply: Reply
) -> Judgement | None:
    """A verdict on a reply that is just a phrase of the gold, or None."""
    new = [word for word in reply.outer.words if not _dull(word, question)]
    if not new or len(reply.outer.tokens) > 10 or cue(reply.text.folded, question):
        return None
    best = max(run.leads for run in runs)
    leading = [run for run in runs if run.leads == best > 0]
    for run in leading:
        if new == [word for word in run.text.words if not _dull(word, question)]:
            return correct("gives the answer")
    spans = find(reply.outer, gold) if not reply.outer.joined.isdigit() else []
    for i, j in spans:
        start, end = gold.tokens[i].start, gold.tokens[j - 1].end
        if _leads(gold, start, end, question) >= (best or 1):
            return correct("gives the answer")
    return unscored("gives a phrase of the gold") if spans else None


def _runs(gold: Text, question: JudgedQuestion) -> list[_Run]:
    """The stretches of the gold that are new, names in quotes whole, left to right."""
    quotes = [found.span(1) for found in _QUOTED.finditer(gold.folded)]
    spans = [(a, b) for a, b in quotes if not find(read(gold.folded[a:b]), question.text)]
    start = end = -1
    for i, token in enumerate(gold.tokens):
        new = not question.echoes(token.text) and not any(a <= token.start < b for a, b in quotes)
        if start >= 0 and (not new or re.search(r"[,;:!?()\"]", gold.gap(i))):
            spans.append((start, end))
            start = -1
        if new:
            start = token.start if start < 0 else start
            end = token.end
    if start >= 0:
        spans.append((start, end))
    runs = [_Run(read(gold.folded[a:b]), _leads(gold, a, b, question)) for a, b in sorted(spans)]
    return [run for run in runs if not set(run.text.words) <= words("weak")]


def _leads(gold: Text, start: int, end: int, question: JudgedQuestion) -> int:
    """2 where the phrase at `start` stands where answers stand, 1 where it ends the gold, else 0.

    Answers stand at the front, unless a comma makes the rest an aside to it; after "is", "by" or
    the noun that the question asks for; after "in" where the question asks where.
    """
    before = [token.text for token in gold.tokens if token.end <= start]
    after = gold.folded[end:].lstrip(" \"'")
    if not before:
        return 0 if after.startswith(",") else 2
    if before[-1] in _BEFORE_ANSWERS or (stem(before[-1]) in question.heads):
        return 2
    if before[-1] in ("at", "from", "in") and re.search(r"\bwhere\b", question.text.folded):
        return 2
    placed = before[-1] in ("at", "from", "in", "for", "of", "to")
    return 1 if placed and not after.strip(" .\"'") else 0
