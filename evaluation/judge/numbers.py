"""Answers that are a number, with unit and direction: "$2.5 billion", "down 3%", "45", "3rd"."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from evaluation.judge.answer_type import AnswerType, Unread
from evaluation.judge.doubts import LIST_MARK, Doubt, answers_again, doubt_value, sentence_at
from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.options import compares
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.text import Text
from models.english.dates import dates
from models.english.quantities import Quantity, quantities
from models.english.quantity_words import (
    MONEY_KINDS,
    ORDINAL_WORDS,
    UNITS_IN_ANSWERS,
    UnitKind,
    any_of,
)

# Relative differences up to which two numbers are the same, and up to which they are close.
_CONVERTED = (0.01, 0.05)
_ROUNDED = (0.0, 0.1)
_ROUNDED_TO_THREE_DIGITS = (0.01, 0.05)
_CUT_OFF = (0.0, 0.005)
_CENT = 0.01  # the step of gold amounts with decimals
_FEWEST_NAMES = 3  # capitals of a reply that is about others than the question
_SUM = 1000  # a number of sales as large as this may be money
_HALF = 0.5000001  # of the last significant digit: by so much rounding changes a number
_MOST_NEW_WORDS = 3  # beside a number that a question asks for
_DIRECTION_REACH = 3  # words between a value and the word that says which way it changed
_RANK = re.compile(
    rf"\b(?P<digits>\d+)(?:st|nd|rd|th)\b|\b(?P<word>{any_of(ORDINAL_WORDS)})\b"
    r"|(?:#|\b(?:number|no\.|rank|position) )(?P<number>\d+)\b"
)
_ASKS_RANK = re.compile(r"\b(?:rank(?:ed|ing)?|position|place|pick|chart)\b")
_ASKS_SUM = re.compile(
    r"\b(?:combined|total|altogether|difference|sum|averaged?|together|between)\b"
)
_DEFINITE = re.compile(r"\b(?:the|these|those|both|all|first|last|past|next|top) $")
_MOST_DEFINITE = 20  # of "the two films"
_MULTIPLE = re.compile(r"[ -](?:times|fold|x)\b(?= (?:as|the|more|higher|larger|bigger))")
_LISTED_NUMBERS = re.compile(r"(?:[\s,;&$€£%]|\band\b|\d[\d,.]*)+")
_ONE_OF = re.compile(r"one of (?:the|her|his|its|their)\b")
_OUT_OF = re.compile(r"\b(?:out )?of (?:the )?$")
_SPREAD = re.compile(r"\s*(?:-|to|or|through|and)\s*(?:about |around )?[$€£]?\s?")
_OVER = re.compile(r"\b(?:over|more than|at least|above) \W?$")
_UNDER = re.compile(r"\b(?:under|fewer than|less than|at most|below|up to|no more than) \W?$")
# What says how often, for whom or for how long an amount is: "$5 a month".
_RATE = re.compile(
    r"[\w\s]{0,12}?\b(?:per|an?|each|every|/) ?"
    r"(second|minute|hour|day|week|month|quarter|year|person|share|capita|unit)\b"
)
_UNIT_SYMBOL = re.compile(r"\s?([a-z]{1,3})\b")  # one that is in no table of units
_CURRENCY = re.compile(
    r"\b(?:(canad|austral|hong kong|new zealand|singapor|taiwan|mexic|argentin|dan|norw|swed|swiss)"
    r"\w* )?(dollar|peso|kron|franc|ruble|rouble|won|yuan|baht|lira|rand|zloty)\w*"
)
_FOREIGN_DOLLAR = re.compile(r"\b(\w{1,2})d-$")  # "A$", as `text.plain` writes it
_ASKS_LABEL = re.compile(r"\b(?:version|section|chapter|code|pin|postcode|zip|how often)\b")
_CLOCK = re.compile(r"\d:\d\d")
_BOUND = re.compile(
    r"\b(?:before|after|under|between|less than|fewer than) \W?(?!(?:19|20)\d\d\b)\d"
)
_PART_NAME = re.compile(r"\b(?:game|week|round|part|chapter|season|episode|volume|phase|stage) $")
_NONE = re.compile(r"\b(?:no|not any|none|never|zero)\b")
_SEASON = re.compile(r"\b(?:19|20)\d\d-\d\d\b")
_PARTS = {"half": 50.0, "quarter": 25.0}  # in percent


class Sameness(IntEnum):
    """Whether two values say the same; MAYBE where a careful reader could take either side."""

    NO = 0
    MAYBE = 1
    YES = 2


@dataclass(frozen=True, slots=True)
class Amount:
    """A quantity, and which way something changed by it: "up", "down" or "" where no word says so.

    `bound`: "over" or "under" where a word before it says that it is one.
    `per`, `symbol`, `currency`: what stands behind it, such as "day", "gb" and "canad dollar"; two
    amounts of which these differ are not compared.
    `wanted_direction`: that of the change that the question asks for. `alone`: no other number of
    the text may be the gold's, or give it by addition.
    """

    quantity: Quantity
    direction: str = ""
    wanted_direction: str = ""
    bound: str = ""
    per: str = ""
    symbol: str = ""
    currency: str = ""
    alone: bool = False


Amounts = tuple[Amount, ...]


def compare(gold: Amount, other: Amount) -> Sameness:
    """Whether `other` says what `gold` says, allowing for rounding and for other units."""
    if gold.direction and other.direction and gold.direction != other.direction:
        return Sameness.NO
    same_size = compare_quantities(gold.quantity, other.quantity)
    for one, two in (
        (gold.bound, other.bound),
        (gold.per, other.per),
        (gold.symbol, other.symbol),
        (gold.currency, other.currency),
    ):
        if one and two and one != two:
            return min(same_size, Sameness.MAYBE)
    if gold.direction == other.direction or "down" not in (gold.direction, other.direction):
        return same_size
    if (gold.direction or other.direction) == gold.wanted_direction:
        return same_size
    return min(same_size, Sameness.MAYBE)


def compare_quantities(gold: Quantity, other: Quantity) -> Sameness:
    """Whether two quantities are the same but for their signs, allowing for rounding and units."""
    if gold.unit and other.unit and gold.kind != other.kind:
        return Sameness.NO
    for part, whole in ((gold, other), (other, gold)):
        if whole.kind is UnitKind.PERCENT and not part.unit and abs(part.value) <= 1:
            same = math.isclose(100 * part.value, whole.value, rel_tol=1e-9)
            return Sameness.YES if same else Sameness.MAYBE
    gold_value = abs(gold.value)
    other_value = abs(other.value)
    is_converted = False
    if gold.unit and other.unit or other.kind in MONEY_KINDS:
        gold_value *= gold.factor
        other_value *= other.factor
        is_converted = gold.factor != other.factor
    if math.isclose(gold_value, other_value, rel_tol=1e-9, abs_tol=1e-12):
        return Sameness.YES
    if gold_value == 0:
        return Sameness.NO
    difference = abs(gold_value - other_value)
    relative = difference / gold_value
    if is_converted:
        return _sameness(relative, _CONVERTED)
    if gold.step == other.step:
        return Sameness.NO
    coarse = gold if gold.step > other.step else other
    if difference > _HALF * coarse.step:
        return _sameness(relative, _CUT_OFF)
    if coarse is gold and gold.kind in MONEY_KINDS and gold.step == _CENT:
        return Sameness.YES  # amounts are given to the cent, whatever the KG has
    return _sameness(relative, _ROUNDED_TO_THREE_DIGITS if coarse.digits >= 3 else _ROUNDED)


def _sameness(relative: float, bounds: tuple[float, float]) -> Sameness:
    """The agreement of two numbers by their relative difference."""
    same, close = bounds
    if relative <= same:
        return Sameness.YES
    return Sameness.MAYBE if relative <= close else Sameness.NO


def read_gold(gold: Text, question: JudgedQuestion) -> Amounts | None:
    """The numbers that a gold answer states: it is nothing else, or the question asks for one."""
    every = _amounts(gold, question)
    if not every or _MULTIPLE.search(gold.folded) or _BOUND.search(gold.folded):
        return None
    if _ASKS_LABEL.search(question.text.folded) or _CLOCK.search(gold.folded):
        return None
    is_bare = _count_new_words(gold, every, question) <= (_MOST_NEW_WORDS if question.counts else 0)
    may_be_title = every[0].quantity.yearlike or gold.folded.isalpha()  # "1917", "none"
    if not question.counts and (not is_bare or may_be_title):
        return None
    new = [amount for amount in every if not _in_question(amount, question)]
    wanted = _of_asked_unit(new or (every if is_bare else []), question)
    if len(wanted) > 1:
        wanted = [amount for amount in wanted if not amount.quantity.yearlike] or wanted
    different = _different(wanted)
    if len(different) > 1 and not _LISTED_NUMBERS.fullmatch(gold.folded):
        return None
    return tuple(different) or None


def _different(amounts: Sequence[Amount]) -> list[Amount]:
    """The amounts without those that say again what one before them says."""
    different: list[Amount] = []
    for amount in amounts:
        if not any(compare(other, amount) is Sameness.YES for other in different):
            different.append(amount)
    return different


def _count_new_words(text: Text, amounts: Sequence[Amount], question: JudgedQuestion) -> int:
    """How many words of `text` beside its numbers are new to the question."""
    spans = [(amount.quantity.start, amount.quantity.end) for amount in amounts]
    return sum(
        not question.echoes(token.text)
        and token.text not in judge_lexicon().directions
        and not any(start <= token.start < end for start, end in spans)
        for token in text.tokens
    )


def read_reply(reply: Text, question: JudgedQuestion, gold: Amounts) -> Amounts | Unread:
    """The one number of its kind in the first sentence of a reply that has any."""
    reason = _other_form(reply, question)
    if reason:
        return Unread(reason)
    wanted = gold[0]
    amounts = _amounts_of_kind(wanted, question, reply)
    new = _new_amounts(amounts, wanted, question, reply)
    if not new and amounts:
        return Unread("gives no number but the question's")
    if not new:
        return _without_number(wanted, gold, reply)
    first, last = sentence_at(new[0].quantity.start, reply)
    if _speaks_of_others(first, last, question, reply):
        return Unread("speaks of something else")
    if len(gold) > 1:
        return tuple(new)
    in_sentence = _different([each for each in new if first <= each.quantity.start < last])
    if len(in_sentence) > 1:
        return _range_of_two(in_sentence, reply)
    return _single(in_sentence[0], new, wanted, question, reply)


def _other_form(reply: Text, question: JudgedQuestion) -> Doubt:
    """What a reply gives in another form than a plain number."""
    if _MULTIPLE.search(reply.folded):
        return "gives a multiple"
    if compares(reply, question) is False:
        return "compares the other way"
    if _CLOCK.search(reply.folded):
        return "gives a time"
    return None


def _amounts_of_kind(wanted: Amount, question: JudgedQuestion, reply: Text) -> list[Amount]:
    """The numbers of a reply that may answer; no counts of things ("19 wins") where one has the
    gold's unit."""
    amounts = [
        amount
        for amount in _amounts(reply, question)
        if _may_answer(amount.quantity, wanted.quantity, question, reply)
    ]
    kind = wanted.quantity.kind
    if kind and any(amount.quantity.kind == kind for amount in amounts):
        return [amount for amount in amounts if not _counts_things(amount.quantity, reply)]
    return amounts


def _new_amounts(
    amounts: list[Amount], wanted: Amount, question: JudgedQuestion, reply: Text
) -> list[Amount]:
    """The numbers that do not stand in the question; all of them if the gold's does, or if the
    reply has no other words."""
    is_bare = len(reply.tokens) == len(amounts)
    if is_bare or _in_question(wanted, question):
        return amounts
    return [amount for amount in amounts if not _in_question(amount, question)]


def _single(
    amount: Amount, new: Sequence[Amount], wanted: Amount, question: JudgedQuestion, reply: Text
) -> Amounts | Unread:
    """The only number of a sentence as the answer, unless there is a reason to doubt it."""
    reason = _doubt(amount, new, wanted, question, reply)
    if reason:
        return Unread(reason)
    alone = _is_alone(amount, new, wanted, question, reply)
    return (replace(amount, alone=alone),)


def _is_alone(
    amount: Amount, new: Sequence[Amount], wanted: Amount, question: JudgedQuestion, reply: Text
) -> bool:
    """Whether no other number of a reply may be the gold's, or give it by addition."""
    if any(compare(wanted, other) for other in _amounts(reply, question)):
        return False
    if len(new) == 1 or not _ASKS_SUM.search(question.text.folded):
        return True
    first, last = sentence_at(amount.quantity.start, reply)
    return _ASKS_SUM.search(reply.folded, first, last) is not None


def _speaks_of_others(first: int, last: int, question: JudgedQuestion, reply: Text) -> bool:
    """Whether a sentence has names, of which none is the question's, or says nothing of it."""
    content = [token for token in reply.between(first, last) if not token.stop]
    names = [token for token in content if token.capital]
    is_of_others = not any(question.has(token.text) for token in content)
    if len(names) < _FEWEST_NAMES:
        return len(names) > 1 and len(content) > _FEWEST_NAMES and is_of_others
    return not any(question.has(token.text) for token in names)


def _without_number(wanted: Amount, gold: Amounts, reply: Text) -> Amounts | Unread:
    """What a reply says that has no number of the gold's kind: none, or a half."""
    if wanted.quantity.value == 0 and _NONE.search(reply.folded):
        return gold
    is_percent = wanted.quantity.kind is UnitKind.PERCENT
    if is_percent and any(_PARTS.get(word) == wanted.quantity.value for word in reply.words):
        return gold
    return Unread("gives no such number")


def _range_of_two(amounts: Sequence[Amount], reply: Text) -> Amounts | Unread:
    """Two numbers that are a range or a choice, of which none is the answer."""
    first = amounts[0].quantity
    second = amounts[1].quantity
    between = reply.folded[first.end : second.start]
    lead = reply.folded[: first.start].rstrip(" $€£")
    is_range = _SPREAD.fullmatch(between) and (" and" not in between or lead.endswith("between"))
    if len(amounts) == 2 and is_range:
        return tuple(amounts)
    return Unread("gives several numbers")


def _doubt(
    amount: Amount, new: Sequence[Amount], wanted: Amount, question: JudgedQuestion, reply: Text
) -> Doubt:
    """The reason to doubt that a reply gives `amount` as its answer."""
    quantity = amount.quantity
    listed = len(LIST_MARK.findall(reply.folded))
    is_asked_count = listed > 1 and question.how_many and listed != quantity.value
    if is_asked_count and wanted.quantity.value in (listed, quantity.value):
        return "lists another number of them"
    span = (quantity.start, quantity.end)
    _, last = sentence_at(quantity.start, reply)
    later = {other.quantity.start for other in new if other.quantity.start >= last}
    return (
        answers_again(span, question, reply, lambda token: token.start in later)
        or _counts_other_things(quantity, wanted, question, reply)
        or doubt_value(
            span, question, reply, bounded=bool(wanted.bound) or _is_beyond(amount, wanted)
        )
    )


def _is_beyond(amount: Amount, wanted: Amount) -> bool:
    """Whether a bound excludes the gold's number: "over 6,400" for 223."""
    if compare_quantities(wanted.quantity, amount.quantity) is not Sameness.NO:
        return False
    is_larger = abs(amount.quantity.value) > abs(wanted.quantity.value)
    return (amount.bound == "over" and is_larger) or (amount.bound == "under" and not is_larger)


def _counts_other_things(
    quantity: Quantity, wanted: Amount, question: JudgedQuestion, reply: Text
) -> Doubt:
    """The word behind a number that says what it counts, if the question does not ask for that."""
    behind = reply.behind(quantity.end)
    if behind is None or reply.folded[quantity.end : behind.start].strip("- "):
        return None
    if behind.stop or (behind.text in judge_lexicon().counted and not wanted.quantity.unit):
        return None
    if not wanted.quantity.unit or quantity.unit:
        following = [token.text for token in reply.tokens if token.start > behind.start][:1]
        if any(map(question.has, following)):
            return None
        if question.has(behind.text) or behind.capital or behind.text in judge_lexicon().counted:
            return None
    return f"counts {behind.text!r}"


def _counts_things(quantity: Quantity, reply: Text) -> bool:
    """Whether a number has no unit and stands before what it counts: "19 wins"."""
    if quantity.unit:
        return False
    behind = reply.behind(quantity.end)
    if behind is None or behind.stop or behind.text == "point":
        return False
    return not reply.folded[quantity.end : behind.start].strip()


def _may_answer(
    quantity: Quantity, wanted: Quantity, question: JudgedQuestion, reply: Text
) -> bool:
    """Whether a number of a reply is of the gold's kind, and no year, name or part of a date."""
    return (
        _is_of_kind(quantity, wanted, question)
        and not _is_another_year(quantity, wanted)
        and not _is_part_of_a_name(quantity, question, reply)
    )


def _is_of_kind(quantity: Quantity, wanted: Quantity, question: JudgedQuestion) -> bool:
    """Whether a number has no unit, one of the gold's kind, or where the gold has none, one that
    the question asks for. All money is of one kind."""
    if quantity.kind is None:
        return True
    if wanted.kind is None:
        return _is_asked(quantity, question)
    return quantity.kind is wanted.kind or {quantity.kind, wanted.kind} <= MONEY_KINDS


def _is_another_year(quantity: Quantity, wanted: Quantity) -> bool:
    """Whether a number looks like a year, and the gold's does not."""
    return quantity.yearlike and not quantity.unit and not wanted.yearlike


def _is_asked(quantity: Quantity, question: JudgedQuestion) -> bool:
    """Whether the question asks for a number in the unit of `quantity`, or names it."""
    hints = judge_lexicon().hints.get(quantity.kind or "", frozenset())
    if not any(word in hints for word in question.text.words):
        return False
    if quantity.kind in MONEY_KINDS or quantity.kind is UnitKind.PERCENT:
        return not question.how_many or quantity.value >= _SUM
    sizes = [
        UNITS_IN_ANSWERS[word][1].size
        for word in question.text.words
        if word in UNITS_IN_ANSWERS and UNITS_IN_ANSWERS[word][0] is quantity.kind
    ]
    if quantity.unit in ("years", "year") and {"old", "age"} & set(question.text.words):
        return True
    return quantity.factor in sizes


def _is_part_of_a_name(quantity: Quantity, question: JudgedQuestion, reply: Text) -> bool:
    """Whether a bare number belongs to a name or a title, or says again of how many things one
    speaks: "Route 20", "36Kr", "the two films"."""
    if quantity.unit:
        return False
    return (
        _is_part_of_a_word(quantity, reply)
        or _is_in_quotes(quantity, reply)
        or _is_definite(quantity, reply)
        or _is_in_a_name(quantity, question, reply)
    )


def _is_part_of_a_word(quantity: Quantity, reply: Text) -> bool:
    """Whether letters join a number: "catch-22", "36kr"."""
    is_joined = re.search(r"[a-z]-$", reply.folded[: quantity.start]) is not None
    return is_joined or reply.folded[quantity.end : quantity.end + 1].isalpha()


def _is_in_quotes(quantity: Quantity, reply: Text) -> bool:
    """Whether a quotation mark is open before a number."""
    return reply.folded.count('"', 0, quantity.start) % 2 == 1


def _is_definite(quantity: Quantity, reply: Text) -> bool:
    """Whether a small number says of how many known things one speaks: "the two films"."""
    if quantity.value > _MOST_DEFINITE or _RANK.match(reply.folded, quantity.start):
        return False
    return _DEFINITE.search(reply.folded[: quantity.start]) is not None


def _is_in_a_name(quantity: Quantity, question: JudgedQuestion, reply: Text) -> bool:
    """Whether a number begins or ends a name: "One World Trade Center", "game 7", "Route 20"."""
    if _begins_a_name(quantity, reply):
        begins_sentence = sentence_at(quantity.start, reply)[0] == quantity.start
        return not (begins_sentence and question.how_many)
    return _numbers_a_part(quantity, question, reply) or _ends_a_name(quantity, reply)


def _begins_a_name(quantity: Quantity, reply: Text) -> bool:
    """Whether a number and the word behind it have capitals."""
    token = reply.behind(quantity.start)
    if token is None or token.start != quantity.start or not token.capital:
        return False
    after = reply.behind(quantity.end)
    return after is not None and after.capital


def _numbers_a_part(quantity: Quantity, question: JudgedQuestion, reply: Text) -> bool:
    """Whether a number says which part of something is meant, other than a part that the question
    is about: "game 7"."""
    lead = reply.folded[: quantity.start]
    return _PART_NAME.search(lead) is not None and not question.has(lead.split()[-1])


def _ends_a_name(quantity: Quantity, reply: Text) -> bool:
    """Whether digits stand behind a word with a capital, and no word behind them: "Route 20"."""
    if not reply.folded[quantity.start].isdigit():
        return False
    if re.match(r" [a-z]", reply.folded[quantity.end :]):
        return False
    before = [token for token in reply.tokens if token.end <= quantity.start]
    if len(before) < 2 or reply.folded[before[-1].end : quantity.start] != " ":
        return False  # a capital may also begin the text
    return before[-1].capital and not before[-1].stop


def _amounts(text: Text, question: JudgedQuestion) -> list[Amount]:
    """The quantities of a text outside of its dates; its ranks if the question asks for one."""
    candidates = list(quantities(text.folded))
    if _ASKS_RANK.search(question.text.folded):
        candidates = list(_ranks(text.folded)) or candidates
    spans = [(date.start, date.end) for date in dates(text.folded) if date.month is not None]
    spans += [match.span() for match in _SEASON.finditer(text.folded)]
    direction = _direction_of(question.text.words)
    amounts: list[Amount] = []
    for quantity in candidates:
        if any(start <= quantity.start < end for start, end in spans):
            continue
        if amounts and _OUT_OF.search(text.folded[: quantity.start]):
            continue  # "2 out of 5"
        if _ONE_OF.match(text.folded, quantity.start):
            continue
        amounts.append(_amount(quantity, text, direction))
    return amounts


def _amount(quantity: Quantity, text: Text, wanted_direction: str) -> Amount:
    """A quantity of a text with what stands around it."""
    rate = _RATE.match(text.folded, quantity.end)
    symbol = None if quantity.unit else _UNIT_SYMBOL.match(text.folded, quantity.end)
    is_symbol = symbol is not None and symbol[1] not in judge_lexicon().stop
    return Amount(
        quantity,
        direction=_direction(quantity, text),
        wanted_direction=wanted_direction,
        bound=_bound(text.folded[: quantity.start]),
        per=rate[1] if rate else "",
        symbol=symbol[1] if symbol and is_symbol else "",
        currency=_currency(quantity, text),
    )


def _bound(before: str) -> str:
    """Whether the words before a number make it a bound: "over", "under" or ""."""
    if _OVER.search(before):
        return "over"
    return "under" if _UNDER.search(before) else ""


def _currency(quantity: Quantity, text: Text) -> str:
    """The currency of an amount, as the text calls it; empty where it names none."""
    foreign = _FOREIGN_DOLLAR.search(text.folded[: quantity.start])
    if foreign:
        return f"{foreign[1]} dollar"
    named = _CURRENCY.search(text.folded, max(0, quantity.end - 8), quantity.end + 25)
    if named and (named[1] or named[2] != "dollar"):
        return f"{named[1] or ''} {named[2]}".strip()
    return "dollar" if quantity.kind is UnitKind.USD else ""


def _ranks(folded: str) -> list[Quantity]:
    """The ordinals of a text as numbers."""
    ranks = []
    for match in _RANK.finditer(folded):
        word = match["word"]
        value = ORDINAL_WORDS[word] if word else int(match["digits"] or match["number"])
        ranks.append(
            Quantity(value=value, step=1, digits=2, unit="", start=match.start(), end=match.end())
        )
    return ranks


def _direction(quantity: Quantity, text: Text) -> str:
    """Which way a value changed, by its sign or by the words around it."""
    if quantity.value < 0:
        return "down"
    before = [token.text for token in text.tokens if token.end <= quantity.start]
    after = [token.text for token in text.tokens if token.start >= quantity.end]
    return _direction_of([*before[-_DIRECTION_REACH:], *after[:1]])


def _direction_of(words: Sequence[str]) -> str:
    directions = judge_lexicon().directions
    ways = {directions[word] for word in words if word in directions}
    return ways.pop() if len(ways) == 1 else ""


def _in_question(amount: Amount, question: JudgedQuestion) -> bool:
    """Whether the number stands in the question."""
    value = amount.quantity.value
    in_question = quantities(question.text.folded)
    return any(math.isclose(value, other.value, rel_tol=1e-9) for other in in_question)


def _of_asked_unit(amounts: Sequence[Amount], question: JudgedQuestion) -> list[Amount]:
    """The amounts in a unit that the question asks for, if any has one; else all."""
    fitting = []
    for amount in amounts:
        hints = judge_lexicon().hints.get(amount.quantity.kind or "", frozenset())
        if any(word in hints for word in question.text.words):
            fitting.append(amount)
    return fitting or list(amounts)


def equal(gold: Amounts, reply: Amounts) -> bool:
    """Whether the reply gives the gold's numbers, in the same order."""
    if len(gold) != len(reply):
        return False
    return all(compare(*pair) is Sameness.YES for pair in zip(gold, reply, strict=True))


def contradicts(gold: Amounts, reply: Amounts) -> bool:
    """Whether the reply gives another number of that kind, or a range or choice in its place."""
    if len(gold) == len(reply) == 1:
        return reply[0].alone and compare(gold[0], reply[0]) is Sameness.NO
    if len(gold) == 1:
        return True
    return any(all(compare(one, other) is Sameness.NO for other in reply) for one in gold)


NUMBER = AnswerType("number", read_gold, read_reply, equal, contradicts)
