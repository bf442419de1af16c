"""Golds that are sentences: what they add to the question is the answer."""

import re
from dataclasses import dataclass

from evaluation.judge.doubts import cue, doubt
from evaluation.judge.names import find, negated
from evaluation.judge.normalize import Text, read, stem
from evaluation.judge.numbers import quantities
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import Question
from evaluation.judge.reply import Reply

_QUOTED = re.compile(r'"([^"]{2,80}?)[,.]?"')
_COPULA = frozenset("is was are were be been by called named titled entitled became as".split())
# Words of a gold that relate the answer to the question but are not the answer.
_WEAK = frozenset(
    """
    release released direct directed produced win won play played born located became become
    make made take took give gave go went come came see seen star starred starring feature
    featured featuring sing sang sung write wrote written perform performed receive received
    earn earned award awarded host hosted sell sold hold held serve served lead led found founded
    start started begin began end ended own owned appear appeared year years month months day days
    time times film movie album song show series band group team company total overall number
    several many various three two first second third also well currently formerly
    """.split()
)


@dataclass(frozen=True, slots=True)
class Run:
    """Words of a gold that are new to the question.

    `leads` is 2 where they stand as answers do, 1 where they end the gold, else 0.
    """

    text: Text
    start: int
    end: int
    leads: int


def judge_sentence(gold: str, question: Question, reply: Reply) -> Judgement:
    """A verdict on a gold of a sentence or more."""
    text = read(gold)
    runs = _runs(text, question)
    core = {stem(word) for run in runs for word in run.text.words if not _dull(word, question)}
    if not core:
        return unscored("the gold adds nothing to the question")
    best = max(run.leads for run in runs)
    leading = [run for run in runs if run.leads == best > 0]
    plain = _plain_answer(text, leading, question, reply)
    if plain is not None:
        return plain
    new = {stem(word) for word in reply.outer.words if not _dull(word, question)}
    if not core & (new | reply.text.stems):
        return _apart(runs, new, reply)
    if question.further and not core <= reply.text.stems:
        return unscored("may answer only a part of the question")
    for run in leading[:1]:
        spans = find(run.text, reply.text)
        if spans and all(negated(span, reply.text) for span in spans):
            return wrong("denies the answer")
        telling = len(run.text.words) >= 2 or question.who or len(runs) <= 3
        if spans and telling and len(runs) <= 8:
            return _with_answer(text, run, question, reply)
    if len(core) <= 8 and core <= reply.text.stems and not _conflict(text, question, reply):
        found = cue(reply.text.folded, question)
        if found and found not in text.words:
            return unscored(f"says {found!r} of it")
        return correct("says all that the gold adds to the question")
    return unscored("shares a part of a sentence")


def _dull(word: str, question: Question) -> bool:
    return question.echoes(word) or word in _WEAK


def _apart(runs: list[Run], new: set[str], reply: Reply) -> Judgement:
    if not new:
        return unscored("says nothing beyond the question")
    if len(runs) <= 5 or (reply.short and len(runs) <= 12):
        return wrong("gives another answer")
    return unscored("shares no word with a long gold")


def _with_answer(gold: Text, run: Run, question: Question, reply: Reply) -> Judgement:
    if len(reply.items) >= 2:
        return unscored("gives the answer in a list")
    if _conflict(gold, question, reply):
        return unscored("the name is right, a number is not")
    i, j = (find(run.text, reply.outer) or [(0, 0)])[0]
    words = reply.outer.words
    joined = (i >= 2 and words[i - 1] in ("and", "or")) or (
        j + 1 < len(words) and words[j] in ("and", "or")
    )
    if joined and not {words[i - 2] if i >= 2 else "", words[min(j + 1, len(words) - 1)]} <= set(
        read(gold.folded).words
    ):
        return unscored("gives something beside the answer")
    why = doubt(find(run.text, reply.text), question, reply)
    return unscored(why) if why else correct("gives the answer")


def _plain_answer(
    gold: Text, leading: list[Run], question: Question, reply: Reply
) -> Judgement | None:
    """A verdict on a reply that is just a phrase of the gold, or None."""
    new = [word for word in reply.outer.words if not _dull(word, question)]
    if not new or len(reply.outer.tokens) > 10:
        return None
    for run in leading:
        own = [word for word in run.text.words if not _dull(word, question)]
        whole = [word for word in own if word in new]
        if own and whole and own == new and not cue(reply.text.folded, question):
            return correct("gives the answer")
    for i, j in find(reply.outer, gold) if not reply.outer.joined.isdigit() else ():
        start, end = gold.tokens[i].start, gold.tokens[j - 1].end
        best = max((run.leads for run in leading), default=1)
        if _leads(gold, start, end, question) >= best and _whole(gold, start, end):
            return correct("gives the answer")
        return unscored("gives a phrase of the gold")
    return None


def _whole(gold: Text, start: int, end: int) -> bool:
    """Whether a phrase is not cut out of a longer name in quotes."""
    return all(
        (found.start(1) >= start and found.end(1) <= end + 1)
        or found.end() <= start
        or found.start() >= end
        for found in _QUOTED.finditer(gold.folded)
    )


def _runs(gold: Text, question: Question) -> list[Run]:
    """The stretches of the gold that are new, names in quotes whole, left to right."""
    spans: list[tuple[int, int]] = []
    quotes: list[tuple[int, int]] = []
    for found in _QUOTED.finditer(gold.folded):
        quotes.append(found.span(1))
        name = read(found[1])
        if name.words and not find(name, question.text):
            spans.append(found.span(1))
    start = end = -1
    for i, token in enumerate(gold.tokens):
        new = not question.echoes(token.text) and not any(a <= token.start < b for a, b in quotes)
        if start >= 0 and (not new or _breaks(gold, i)):
            spans.append((start, end))
            start = -1
        if new:
            start = token.start if start < 0 else start
            end = token.end
    if start >= 0:
        spans.append((start, end))
    runs = [
        Run(read(gold.folded[a:b]), a, b, _leads(gold, a, b, question)) for a, b in sorted(spans)
    ]
    return [run for run in runs if not all(word in _WEAK for word in run.text.words)]


def _breaks(gold: Text, i: int) -> bool:
    """Whether a mark ends a phrase before token `i`; the dot of an initial does not."""
    gap = gold.gap(i)
    if not re.search(r"[,;:.!?()\"]", gap):
        return False
    return not (gap.strip() == "." and len(gold.tokens[i - 1].text) == 1)


def _leads(gold: Text, start: int, end: int, question: Question) -> int:
    """2 where the phrase at `start` stands where answers stand, 1 where it ends the gold, else 0.

    At the front, unless a comma makes the rest an aside to it; in quotes; after "is", "by" or the
    noun that the question asks for; after "in" where the question asks where.
    """
    before = [token.text for token in gold.tokens if token.end <= start]
    after = gold.folded[end:].lstrip(" \"'")
    if not before:
        return 2 if not after.startswith(",") or _aside_then_verb(after, question) else 0
    if before[-1] in _COPULA or (stem(before[-1]) in question.heads):
        return 2
    if gold.folded[:start].endswith('"') and not question.who:
        return 2
    placed = before[-1] in ("at", "from", "in", "for", "of", "to")
    if placed and re.search(r"\bwhere\b", question.text.folded):
        return 2 if before[-1] in ("in", "at", "from") else 0
    return 1 if placed and not after.strip(" .\"'") else 0


def _aside_then_verb(after: str, question: Question) -> bool:
    """Whether after ", an aside," the gold goes on in words of the question: "x, ..., won it"."""
    rest = after[1:].partition(",")[2] or after[1:]
    words = [word for word in read(rest).words if not read(word).tokens[0].stop]
    echoed = sum(question.echoes(word) for word in words)
    return bool(words) and 2 * echoed >= len(words)


def _conflict(gold: Text, question: Question, reply: Reply) -> bool:
    """Whether the reply gives numbers, and none of those that the gold gives."""
    asked = {q.value for q in question.numbers}
    wanted = {q.value for q in quantities(gold.folded)} - asked
    said = {q.value for q in quantities(reply.outer.folded)} - asked
    return bool(wanted and said and not wanted & said)
