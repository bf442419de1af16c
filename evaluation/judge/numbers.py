"""Answers that are a number."""

import re
from dataclasses import replace

from evaluation.judge.dates import Agreement, dates, new_words
from evaluation.judge.doubts import cue, doubt_value
from evaluation.judge.normalize import Text, read, table, words
from evaluation.judge.polar import same_order
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.quantities import Quantity, compare, quantities
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.reply import Reply

_BRIEF = 8  # words of a gold that is a number and hardly more
_CURRENCIES = ("usd", "eur", "gbp", "jpy", "inr")
_CLOCK = re.compile(r"\d:\d\d")
_SCORE = re.compile(r"\W*\d+\s*(?:[-:/]|-?(?:for|to)-?)\s*\d+\W*")
_HOW_MANY = re.compile(r"\bhow many (?!times)")
_RESULT = re.compile(r"=|\b(?:(?<!in )total|average|therefore|thus|so|sum|altogether|equals)\b")
# Words that imply a number without naming it.
_IMPLIED = re.compile(
    r"\b(?:quarterly|monthly|weekly|daily|yearly|annual\w*|bi\w+ly|couple|pair|both|duo|trio|quartet"
    r"|quintet|single|double|triple|half|several|few)\b"
)
_NONE = re.compile(
    r"\b(?:no|not any|none|never|zero|nobody|nothing|has not|hasn't|have not|haven't|did not)\b"
)


def judge_number(gold: str, question: JudgedQuestion, reply: Reply) -> Judgement | None:
    """A verdict where `gold` is a number, or holds one that the question asks for, else None."""
    text = read(gold)
    every = quantities(text.folded)
    spans = [(quantity.start, quantity.end) for quantity in every]
    pure = new_words(text, spans, question) <= (3 if question.counts else 0)
    if not every or not (pure or question.counts):
        return None
    new = [quantity for quantity in every if not _asked(quantity, question)]
    if not new and not pure:
        return None
    wanted = _wanted(new or list(every), text, question)
    if len(wanted) > 1:
        return _weigh_several(gold, wanted, question, reply)
    return _weigh(text, wanted[0], not new, question, reply)


def _asked(quantity: Quantity, question: JudgedQuestion) -> bool:
    """Whether the number stands in the question."""
    return any(abs(quantity.value - q.value) < 1e-9 for q in quantities(question.text.folded))


def _wanted(new: list[Quantity], text: Text, question: JudgedQuestion) -> list[Quantity]:
    """The quantity that answers; several where the gold is a bare list of them."""
    if _ranged(new[0], new[:2], text):
        return new
    spans = [(quantity.start, quantity.end) for quantity in new]
    if new_words(text, spans, question) <= 1 and not any(q.yearlike for q in new):
        return new
    return ([q for q in new if not q.yearlike] or new)[:1]


def _candidates(
    wanted: Quantity, question: JudgedQuestion, text: Text, echo: bool
) -> list[Quantity]:
    """The numbers of a reply that may answer: none of the question, and no part of a date."""
    dated = [date for date in dates(text.folded) if date.month is not None]
    found = [
        q
        for q in quantities(text.folded)
        if (echo or not _asked(q, question)) and not any(d.start <= q.start < d.end for d in dated)
    ]
    if len(found) > 1:  # "never mind, it is seven"
        found = [q for q in found if q.value or text.folded[q.start].isdigit()]
    if wanted.kind != "length":  # "5.8m" is a number of millions
        found = [_in_millions(q) if q.unit == "m" else q for q in found]
    plain = [q for q in found if not q.yearlike or wanted.yearlike]
    return plain or (found if len(found) == 1 else [])


def _is_loss(text: Text) -> bool:
    """Whether a text speaks of a loss or writes a minus sign."""
    minus = any(q.value < 0 for q in quantities(text.folded))
    return minus or not words("signs", "minus").isdisjoint(text.words)


def _in_millions(q: Quantity) -> Quantity:
    return replace(q, value=q.value * 1e6, step=q.step * 1e6, unit="", scaled=True)


def _primary(found: list[Quantity], text: Text, wanted: Quantity) -> Quantity:
    """The one of `found` that the reply gives as its answer."""
    marks = list(_RESULT.finditer(text.folded))
    after = [q for q in found if marks and q.start >= marks[-1].start()]
    if after:
        return after[-1] if marks[-1].group() == "=" else after[0]
    same = [q for q in found if wanted.unit and q.kind == wanted.kind]
    return (same or found)[0]


def _weigh(
    gold: Text, wanted: Quantity, echo: bool, question: JudgedQuestion, reply: Reply
) -> Judgement:
    every = _candidates(wanted, question, reply.text, echo)
    outer = _candidates(wanted, question, reply.outer, echo)
    if not every:
        return _no_number(wanted, question, reply)
    opposite = any(abs(q.value) == abs(wanted.value) != 0 for q in every)
    if (
        opposite
        and len(gold.tokens) <= _BRIEF
        and _is_loss(gold) != _is_loss(reply.text)
        and not _is_loss(question.text)
    ):
        return unscored("the sign is unclear")
    match = max(compare(wanted, q) for q in every)
    if match is Agreement.MAYBE:
        return unscored("gives a number that is close")
    if match is Agreement.NO:
        clock = wanted.kind == "time" and _CLOCK.search(reply.text.folded)
        return unscored("gives a clock's time") if clock else wrong("gives another number")
    text, found = (reply.outer, outer) if outer else (reply.text, every)
    primary = _primary(found, text, wanted)
    if _ranged(primary, found, text):
        return wrong("gives a range or a choice")
    if compare(wanted, primary) is not Agreement.YES:
        return unscored("gives the number among others")
    others = any(q.value != primary.value and q.kind == primary.kind for q in found)
    if others and not _RESULT.search(text.folded):
        return unscored("gives one number among others")
    why = _doubt(wanted, primary, question, reply)
    return unscored(why) if why else correct("gives the number")


def _doubt(wanted: Quantity, said: Quantity, question: JudgedQuestion, reply: Reply) -> str:
    """Why the number may not be the answer although it is the wanted one, or ""."""
    if wanted.value == 0 or wanted.approximate:
        return ""
    mentions = [q for q in quantities(reply.text.folded) if q.value == said.value]
    if all(_unit_is_other(wanted, q, question, reply.text) for q in mentions or [said]):
        return "gives the number in a unit that nobody asked for"
    if not same_order(question.text.folded, reply.text.folded):
        return "compares the other way round"
    exact = wanted.value < 1000 or wanted.digits > 4
    kind = "numbers" if exact else "large"
    return doubt_value([(q.start, q.end) for q in mentions], kind, question, reply)


def _unit_is_other(wanted: Quantity, said: Quantity, question: JudgedQuestion, text: Text) -> bool:
    """Whether a number has a unit nobody asked for, or counts things and has none of the gold's."""
    if wanted.unit and not said.unit and wanted.kind not in _CURRENCIES:
        behind = [token for token in text.tokens if token.start >= said.end][:1]
        adjacent = bool(behind) and text.folded[said.end : behind[0].start] in (" ", "-")
        return adjacent and not behind[0].stop
    if wanted.unit:
        return False
    if said.kind in _CURRENCIES:  # "3.15 cents", and two dollars to "how many"
        return said.factor != 1 or bool(_HOW_MANY.search(question.text.folded))
    hints = table()["hints"].get(said.kind)
    return hints is not None and not any(map(question.asks, hints.split()))


def _ranged(primary: Quantity, found: list[Quantity], text: Text) -> bool:
    """Whether the number is one end of a range or one of a choice."""
    for other in found:
        first, second = sorted((primary, other), key=lambda q: q.start)
        between = text.folded[first.end : second.start]
        if other.value != primary.value and re.fullmatch(r"\s*(?:-|to|or)\s*[$€£]?", between):
            return True
    return False


def _no_number(wanted: Quantity, question: JudgedQuestion, reply: Reply) -> Judgement:
    if wanted.value == 0 and _NONE.search(reply.text.folded):
        return correct("says that there is none")
    if wanted.value <= 20 and (not reply.short or _IMPLIED.search(reply.text.folded)):
        return unscored("gives no number, but may enumerate")
    if f"{wanted.value:g}" in reply.text.words:
        return unscored("gives the number as a label")
    return wrong("gives no number")


def _weigh_several(
    gold: str, wanted: list[Quantity], question: JudgedQuestion, reply: Reply
) -> Judgement:
    """A verdict on a gold of two or more numbers: all must be there, and no other."""
    said = [q for q in quantities(reply.outer.folded) if not _asked(q, question)]
    if not any(q.yearlike for q in wanted):
        said = [q for q in said if not q.yearlike]
    said = said or list(quantities(reply.text.folded))
    score = _SCORE.fullmatch(read(gold).folded)
    if score and [q.value for q in said] == [q.value for q in reversed(wanted)]:
        return unscored("gives the numbers in the other order")
    found = cue(reply.text.folded, question)
    if found:
        return unscored(f"says {found!r} of the numbers")
    best = [max((compare(one, q) for q in said), default=Agreement.NO) for one in wanted]
    if Agreement.NO in best:
        clock = _CLOCK.search(read(gold).folded) or _CLOCK.search(reply.text.folded)
        return unscored("gives a clock's time") if clock else wrong("lacks a number")
    if _names_exchanged(read(gold), reply.text):
        return unscored("gives the numbers of other names")
    if Agreement.MAYBE in best or any(
        all(compare(one, q) is Agreement.NO for one in wanted) for q in said
    ):
        return unscored("gives numbers that are close, or further ones")
    return correct("gives every number")


def _names_exchanged(gold: Text, said: Text) -> bool:
    """Whether the words of the gold stand in another order: "a 3, b 1" and "b 3, a 1"."""
    shared = [
        t.text for t in gold.tokens if not t.stop and t.text.isalpha() and t.text in said.words
    ]
    places = [said.words.index(word) for word in dict.fromkeys(shared)]
    return places != sorted(places)
