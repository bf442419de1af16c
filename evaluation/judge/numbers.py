"""Answers that are a number: quantities in text, and whether they say the same."""

import math
import re
from dataclasses import dataclass
from functools import cache, lru_cache

from evaluation.judge.lexicon import judge_lexicon
from evaluation.judge.normalize import Text, tokenize
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import JudgedQuestion
from evaluation.judge.values import Agreement, StatedValue, new_words, weigh

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = (
    {word: i for i, word in enumerate(_SMALL)}
    | {word: 10 * i for i, word in enumerate(_TENS, 2)}
    | {f"{a}-{b}": 10 * i + k for i, a in enumerate(_TENS, 2) for k, b in enumerate(_SMALL[:10])}
    | {"once": 1, "twice": 2, "thrice": 3, "none": 0, "never": 0, "nil": 0, "dozen": 12, "a": 1}
)
_LARGE = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SCALES = _LARGE | {"k": 1e3, "m": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12}
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_WORD = "|".join(sorted(_VALUES, key=len, reverse=True)).removesuffix("|a").replace("-", "[ -]")
_SCALE = f"(?:{'|'.join(_LARGE)})"
_HYPHEN = "time|year|minute|hour|mile|foot|month|day|week|point|inch|fold"
_NUMBER = re.compile(
    rf"(?P<sign>(?<![\w)])-(?=[$€£]?\s?[\d.])|\b(?:minus|negative) )?(?P<money>us\$|[$€£¥₹])?\s?"
    rf"(?P<first>(?<![\d.,])(?<![^\W\d_])(?:{_DIGITS})|(?<![\w'])(?:{_WORD})(?![\w'])"
    rf"(?!-(?!{_HYPHEN})\w)|(?<!\w)a(?= {_SCALE}\b))"
    rf"(?P<ordinal>(?:st|nd|rd|th)\b|'?s\b)?"
    rf"(?P<rest>(?:[ -]?{_SCALE}\b(?:[ -](?:and )?(?:{_WORD})\b)?)*"
    rf"(?:m\b|\s?(?:k|b|t|mn|bn)\b(?!'))?)"  # "12m" is millions, "12 m" metres
)
# "6'2\"", "two hours and ten minutes", "9:12": how many of the smaller unit, which names the
# group, the larger one is.
_PARTS = {"inch": 12, "min": 60, "s": 60}
_COMPOUND = re.compile(
    rf"(?<![\d.:])(?P<large>\d+|\b(?:{_WORD}))[ -]?"
    r"(?:(?P<inch>'|ft|foot|feet)|(?P<min>h|hrs?|hours?)|(?P<s>:(?=\d)|m|min(?:ute)?s?))"
    rf"[ ,-]*(?:and )?(?P<small>\d+|(?:{_WORD})\b)"
    r"(?:\"|'{1,2}|:(?P<third>\d\d)|\s?(?:in|inch(?:es)?|m|min(?:ute)?s?|s|sec(?:ond)?s?)\b|(?!\d))"
)
_UNIT = re.compile(
    r"\s*-?(%|(?:k?m|mi|ft)2\b|°\s?[cf]\b|[$€£¥₹]|(?:degrees? |(?:square|sq\.?)[ -])?[a-z]+)"
)
_NONE = re.compile(
    r"\b(?:no|not any|none|never|zero|nobody|nothing|has not|hasn't|have not|haven't|did not)\b"
)
_IMPLIED = re.compile(r"\b(?:\w+ly|annual|both|few|several)\b")  # "quarterly"


@dataclass(frozen=True, slots=True)
class Quantity(StatedValue):
    """A number as written: `step` is the worth of its last significant digit."""

    value: float
    step: float
    digits: int
    unit: str

    @property
    def kind(self) -> str:
        """What its unit measures; units of different kinds cannot be compared."""
        return _units()[self.unit][0]

    @property
    def factor(self) -> float:
        """How many base units of its kind its unit is; 1 without a unit."""
        return _units()[self.unit][1]

    @property
    def yearlike(self) -> bool:
        """Whether it can be a year: four plain digits of the last thousand years."""
        return self.end - self.start == 4 and 1000 <= self.value <= 2100


@cache
def _units() -> dict[str, tuple[str, float]]:
    """Unit -> (kind, how many of the kind's base unit); "" is no unit, of no kind."""
    return {"": ("", 1.0)} | {
        name: (kind, float(size))
        for kind, rows in judge_lexicon().units.items()
        for size, names in rows.items()
        for name in names.split()
    }


@lru_cache(maxsize=8192)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of folded `text`, left to right. Ordinals and decades are none."""
    out = [_compound(found) for found in _COMPOUND.finditer(text)]
    for found in _NUMBER.finditer(text):
        if not found["ordinal"] and not any(q.start < found.end("first") <= q.end for q in out):
            out.append(_number(found, text))
    return tuple(sorted(out, key=lambda q: q.start))


def _value(written: str) -> float:
    """The value of digits or of a word."""
    word = _VALUES.get(written.replace(" ", "-"))
    return float(written.replace(",", "")) if word is None else float(word)


def _compound(found: re.Match[str]) -> Quantity:
    unit = next(unit for unit in _PARTS if found[unit])
    value = _PARTS[unit] * _value(found["large"]) + _value(found["small"])
    value += float(found["third"] or 0) / 60  # "14:00:30"
    return Quantity(value, 1.0, 3, unit, start=found.start(), end=found.end())


def _number(found: re.Match[str], text: str) -> Quantity:
    first = found["first"]
    total, value = 0.0, _value(first)
    step, digits = _exactness(first) if first[-1].isdigit() else (1.0, 2)
    for word in re.findall("[a-z]+", found["rest"]):
        if word not in _SCALES:
            value, step = value + _VALUES.get(word, 0), 1.0
        elif word == "hundred":
            value, step = value * 100, step * 100
        else:
            total, value, step = total + value * _SCALES[word], 0.0, step * _SCALES[word]
    unit, end = _unit_after(text, found.end())
    if found["money"]:
        unit = found["money"].removeprefix("us")
    start = found.start() + len(found.group()) - len(found.group().lstrip())
    value = (-1.0 if found["sign"] else 1.0) * (total + value)
    return Quantity(value, step, digits, unit, start=start, end=end)


def _exactness(digits: str) -> tuple[float, int]:
    """(worth of the last significant digit, count of significant digits) of plain `digits`."""
    whole, _, decimals = digits.replace(",", "").partition(".")
    if decimals:
        return 10.0 ** -len(decimals), len((whole + decimals).lstrip("0"))
    # Trailing zeros may be digits or rounding: 37000. Only three or more look like rounding.
    zeros = len(whole) - len(whole.rstrip("0"))
    zeros = zeros if zeros >= 3 else 0
    return 10.0**zeros, len(whole.lstrip("0")) - zeros


def _unit_after(text: str, at: int) -> tuple[str, int]:
    """The unit written at `at` and where it ends, or ("", at)."""
    found = _UNIT.match(text, at)
    word = re.sub(r"^degrees? |^°\s?", "°", found[1]) if found else ""
    word = re.sub(r"^(?:square|sq\.?)[ -]", "sq", word)
    return (word, found.end()) if found and word in _units() else ("", at)


def compare(gold: Quantity, other: Quantity) -> Agreement:
    """Whether `other` says what `gold` says, allowing for rounding and for other units."""
    a, b, converted = gold.value, other.value, False
    if gold.unit and other.unit and gold.unit != other.unit:
        if gold.kind != other.kind:
            return Agreement.NO
        a, b = a * gold.factor, b * other.factor
        converted = gold.factor != other.factor
    if math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12):
        return Agreement.YES
    if a == 0 or (gold.yearlike and other.yearlike):
        return Agreement.NO
    off = abs(a - b) / abs(a)
    if converted:
        return _band(off, 0.01, 0.03)
    coarse, fine = sorted((gold, other), key=lambda quantity: quantity.step, reverse=True)
    if coarse.step > fine.step:
        if abs(a - b) <= 0.5000001 * coarse.step:  # rounded
            return _band(off, 0.01 if coarse.digits >= 3 else 0.0, 0.05)
        return _band(off, 0.0, 0.005)  # cut off rather than rounded
    return Agreement.NO


def _band(off: float, same: float, close: float) -> Agreement:
    if off <= same:
        return Agreement.YES
    return Agreement.MAYBE if off <= close else Agreement.NO


# -- the verdict --------------------------------------------------------------------------------


def judge_number(gold: str, question: JudgedQuestion, reply: Text) -> Judgement | None:
    """A verdict where `gold` is a number, or holds one that the question asks for, else None."""
    text = tokenize(gold)
    every = quantities(text.folded)
    pure = new_words(text, every, question) <= (3 if question.counts else 0)
    if not every or not (pure or question.counts):
        return None
    new = [quantity for quantity in every if not _asked(quantity, question)]
    if not new and not pure:
        return None
    wanted = new or list(every)
    if new_words(text, wanted, question) > 1 or any(q.yearlike for q in wanted):
        wanted = ([q for q in wanted if not q.yearlike] or wanted)[:1]
    said = _said(wanted, not new, question, reply)
    if wanted[0].value == 0 and not any(q.value for q in said) and _NONE.search(reply.folded):
        return correct("says that there is none")
    if not said:
        listed = wanted[0].value <= 20 and not reply.short
        if listed or _IMPLIED.search(reply.folded):
            return unscored("gives no number, but may imply one")
        return wrong("gives no number")
    if len(wanted) > 1 and [q.value for q in said] == [q.value for q in reversed(wanted)]:
        return unscored("gives the numbers in the other order")
    if all(_unit_is_other(wanted[0], q, question) for q in said):
        return unscored("gives the number in a unit that nobody asked for")
    return weigh(wanted, said, compare, "numbers", question, reply)


def _asked(quantity: Quantity, question: JudgedQuestion) -> bool:
    """Whether the number stands in the question."""
    return any(abs(quantity.value - q.value) < 1e-9 for q in quantities(question.text.folded))


def _said(
    wanted: list[Quantity], echo: bool, question: JudgedQuestion, text: Text
) -> list[Quantity]:
    """The numbers of a reply that may answer: none of the question, years only for a year."""
    found = [q for q in quantities(text.folded) if echo or not _asked(q, question)]
    years = any(q.yearlike for q in wanted)
    return [q for q in found if not q.yearlike or years] or found


def _unit_is_other(wanted: Quantity, said: Quantity, question: JudgedQuestion) -> bool:
    """Whether a number has a unit that neither the gold nor the question names."""
    hints = judge_lexicon().hints.get(said.kind)
    return not wanted.unit and hints is not None and not any(map(question.asks, hints.split()))
