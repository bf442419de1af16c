"""Answers that are a number."""

import re

from evaluation.judge.dates import dates
from evaluation.judge.doubts import cue
from evaluation.judge.normalize import Text, read, stem
from evaluation.judge.numbers import Match, Quantity, compare, quantities
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import Question
from evaluation.judge.reply import Reply
from evaluation.judge.topic import new_words, off_topic
from evaluation.judge.value_doubts import number_doubt, several

_PAREN = re.compile(r"\([^()]*\)?")
_BETWEEN = re.compile(r"\b(?:between|from|either)\s*[$€£]?$")
_RESULT = re.compile(r"=|\b(?:(?<!in )total|average|therefore|thus|so|sum|altogether|equals)\b")
_TOTAL = re.compile(r"\bin (?:total|all)\b")
# Words that imply a number without naming it.
_IMPLIED = re.compile(
    r"\b(?:quarterly|monthly|weekly|daily|yearly|annual\w*|bi\w+ly|couple|pair|both|duo|trio|quartet"
    r"|quintet|single|double|triple|half|several|few)\b"
)
_DENIED = re.compile(r"(?:\bnot|n't|\bnever)(?: \w+)?$")
_BOUND = re.compile(
    r"(?:\b(?:more|less|fewer|greater|higher|lower) than|\b(?:over|under|at least|at most|up to"
    r"|nearly|almost))\s?[$€£]?$"
)
_NONE = re.compile(
    r"\b(?:no|not any|none|never|zero|nobody|nothing|has not|hasn't|have not|haven't|did not)\b"
)


def judge_number(gold: str, question: Question, reply: Reply) -> Judgement | None:
    """A verdict where `gold` is a number, or holds one that the question asks for, else None."""
    text = read(gold)
    every = quantities(text.folded)
    if not every:
        return None
    spans = [(quantity.start, quantity.end) for quantity in every]
    pure = new_words(text, spans, question) <= (3 if question.counts else 0)
    if not pure and not question.counts:
        return None
    new = [quantity for quantity in every if not _repeats(quantity, question.numbers)]
    echo = not new
    if echo and not pure:
        return None
    wanted = _wanted(list(new or every), text, question)
    if not wanted:
        return None
    if len(wanted) > 1:
        return _several(gold, wanted, question, reply)
    return _weigh_number(wanted[0], echo, gold, question, reply)


def _repeats(quantity: Quantity, others: tuple[Quantity, ...]) -> bool:
    return any(abs(quantity.value - other.value) < 1e-9 for other in others)


def _wanted(new: list[Quantity], text: Text, question: Question) -> list[Quantity]:
    """The quantity that answers; several where the gold is a bare list of them."""
    if len(new) == 1 or _hedged(new[0], new[:2], text):
        return new
    inside = [span.span() for span in _PAREN.finditer(text.folded)]
    outer = [q for q in new if not any(a <= q.start < b for a, b in inside)] or new
    if len(outer) == 1:
        return outer
    counted = [q for q in outer if _counts(q, text, question)]
    spans = [(quantity.start, quantity.end) for quantity in outer]
    listed = all(b[0] - a[1] <= 6 for a, b in zip(spans, spans[1:], strict=False))
    bare = new_words(text, spans, question) <= 1 and not any(q.yearlike for q in outer)
    if listed and bare and len(counted) != 1:
        return outer
    plain = [q for q in outer if not q.yearlike]
    return (counted or plain or outer)[:1]


def _counts(quantity: Quantity, text: Text, question: Question) -> bool:
    """Whether what the question counts follows the number within four words."""
    after = [token for token in text.tokens if token.start >= quantity.end][:4]
    return any(stem(token.text) in question.counted for token in after)


def _candidates(wanted: Quantity, question: Question, text: Text, echo: bool) -> list[Quantity]:
    found = [q for q in quantities(text.folded) if echo or not _repeats(q, question.numbers)]
    dated = [date for date in dates(text.folded) if date.month is not None]
    found = [q for q in found if not any(date.start <= q.start < date.end for date in dated)]
    if len(found) > 1:  # "never mind, it is seven"
        found = [q for q in found if q.value or text.folded[q.start].isdigit()]
    plain = [q for q in found if not q.yearlike or wanted.yearlike]
    return plain or [q for q in found if len(found) == 1]


def _primary(found: list[Quantity], text: Text, question: Question, wanted: Quantity) -> Quantity:
    """The one of `found` that the reply gives as its answer."""
    counted = [q for q in found if _counts(q, text, question)]
    total = _TOTAL.search(text.folded)
    if total and any(q.end <= total.start() for q in found):
        return [q for q in found if q.end <= total.start()][-1]
    marks = list(_RESULT.finditer(text.folded))
    if marks:
        after = [q for q in found if q.start >= marks[-1].start()]
        if after:
            return after[-1] if marks[-1].group() == "=" else after[0]
    if counted:
        return counted[0]
    same = [q for q in found if wanted.unit and q.kind == wanted.kind]
    return (same or found)[0]


def _weigh_number(
    wanted: Quantity, echo: bool, gold: str, question: Question, reply: Reply
) -> Judgement:
    outer = _candidates(wanted, question, reply.outer, echo)
    every = _candidates(wanted, question, reply.text, echo)
    if not every:
        return _no_number(wanted, question, reply)
    matches = [compare(wanted, q) for q in every]
    if Match.YES not in matches:
        if Match.MAYBE in matches:
            return unscored("gives a number that is close")
        return wrong("gives another number")
    if wanted.digits <= 2 and wanted.step == 1 and len(reply.items) > max(1, wanted.value):
        return unscored("lists more than it counts")
    text = reply.outer if outer else reply.text
    primary = _primary(outer or every, text, question, wanted)
    if _hedged(primary, outer or every, text):
        return wrong("gives a range or a choice")
    if compare(wanted, primary) is not Match.YES:
        beside = _same_in_parentheses(primary, wanted, every)
        return (
            correct("gives the number in another unit")
            if beside
            else unscored("gives the number among others")
        )
    lead = text.folded[: primary.start].rstrip()
    if _DENIED.search(lead):
        return wrong("denies the number")
    if _BOUND.search(lead) and not wanted.approximate and wanted.value < 1000:
        return unscored("gives a bound")
    if echo and not reply.short:
        return unscored("the number may be an echo of the question")
    if off_topic(gold, question, reply):
        return unscored("the number is about something else")
    if several(primary, outer or every, question, text) and not (
        _RESULT.search(text.folded) or _TOTAL.search(text.folded)
    ):
        return unscored("gives one number among others")
    why = number_doubt(wanted, primary, question, reply, text)
    return unscored(why) if why else correct("gives the number")


def _same_in_parentheses(primary: Quantity, wanted: Quantity, every: list[Quantity]) -> bool:
    """Whether one of two numbers of another unit, the other's conversion, is the wanted one."""
    return len(every) == 2 and primary.unit != wanted.unit and bool(primary.unit)


def _hedged(primary: Quantity, found: list[Quantity], text: Text) -> bool:
    for other in found:
        if other.value == primary.value or other is primary:
            continue
        first, second = sorted((primary, other), key=lambda q: q.start)
        between = text.folded[first.end : second.start]
        if re.match(r"^\s*(?:-|to|or)\s*[$€£]?$", between):
            return True
        if between.strip() == "and" and _BETWEEN.search(text.folded[: first.start].rstrip()):
            return True
    return False


def _no_number(wanted: Quantity, question: Question, reply: Reply) -> Judgement:
    if wanted.value == 0 and _NONE.search(reply.text.folded):
        return correct("says that there is none")
    if wanted.value <= 20 and (not reply.short or _IMPLIED.search(reply.text.folded)):
        return unscored("gives no number, but may enumerate")
    new = [word for word in reply.text.words if not question.echoes(word)]
    return wrong("gives no number") if new or reply.short else unscored("gives no number")


def _score(gold: str) -> bool:
    """Whether the order of two numbers tells: "3-1"."""
    return bool(re.fullmatch(r"\W*\d+\s*[-:]\s*\d+\W*", read(gold).folded))


def _several(gold: str, wanted: list[Quantity], question: Question, reply: Reply) -> Judgement:
    """A verdict on a gold of two or more numbers: all must be there, and no other."""
    said = [q for q in quantities(reply.outer.folded) if not _repeats(q, question.numbers)]
    if not any(q.yearlike for q in wanted):
        said = [q for q in said if not q.yearlike]
    said = said or list(quantities(reply.text.folded))
    if (
        len(wanted) == 2
        and _score(gold)
        and [q.value for q in said] == [q.value for q in reversed(wanted)]
    ):
        return unscored("gives the numbers in the other order")
    found = cue(reply.text.folded, question)
    if found:
        return unscored(f"says {found!r} of the numbers")
    best = [max((_number_rank(one, q) for q in said), default=0) for one in wanted]
    converted = len({q.kind for q in wanted}) < len(wanted) and len({q.unit for q in wanted}) > 1
    if converted and max(best) == 2:
        return correct("gives the number in one of its units")
    if min(best) == 0:
        return wrong("lacks a number")
    if min(best) == 1:
        return unscored("gives numbers that are close")
    if any(max(_number_rank(gold, q) for gold in wanted) == 0 for q in said):
        return unscored("gives further numbers")
    return correct("gives every number")


def _number_rank(gold: Quantity, said: Quantity) -> int:
    return {Match.YES: 2, Match.MAYBE: 1, Match.NO: 0}[compare(gold, said)]
