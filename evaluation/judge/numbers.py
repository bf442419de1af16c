"""Answers that are a number: quantities in text, and whether they say the same."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from evaluation.judge.dates import Match, dates, new_words
from evaluation.judge.doubts import cue, doubt_value
from evaluation.judge.normalize import Text, read, stem, table, words
from evaluation.judge.polar import same_order
from evaluation.judge.protocol import Judgement, correct, unscored, wrong
from evaluation.judge.question import Question
from evaluation.judge.reply import Reply

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = (
    {word: i for i, word in enumerate(_SMALL)}
    | {word: 10 * i for i, word in enumerate(_TENS, 2)}
    | {f"{a}-{b}": 10 * i + k for i, a in enumerate(_TENS, 2) for k, b in enumerate(_SMALL[:10])}
    | {"once": 1, "twice": 2, "thrice": 3, "none": 0, "never": 0, "nil": 0, "dozen": 12}
)
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SHORT = {"k": 1e3, "m": 1e6, "mn": 1e6, "mil": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12, "tn": 1e12}
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_WORD = "|".join(sorted(_VALUES, key=len, reverse=True)).replace("-", "[ -]")
_HYPHEN = "time|year|minute|hour|mile|foot|month|day|week|point|inch|fold"
_NUMBER = re.compile(
    rf"(?P<sign>(?<![\w)])-(?=[$€£]?\s?[\d.])|\b(?:minus|negative) )?(?P<money>us\$|[$€£¥₹])?\s?"
    rf"(?:(?P<digits>(?<![\d.,])(?<![^\W\d_])(?:{_DIGITS}))|(?<![\w'])(?P<word>{_WORD})"
    rf"(?![\w'])(?!-(?!{_HYPHEN})\w))"
    rf"(?P<ordinal>(?:st|nd|rd|th)\b|'?s\b)?(?P<half> and a half\b)?"
    rf"(?P<scales>(?:[ -]?(?:{'|'.join(_SCALES)})\b)*)"
    rf"(?:\s?(?P<short>{'|'.join(_SHORT)})\b(?!'))?"
)
# "a hundred", "half a million": a scale word alone.
_SCALE = re.compile(
    r"(?<![\w-])(?<!few )(?<!many )(?<!several )"
    rf"(?:(?P<half>half) an? |an? )?(?P<scale>{'|'.join(_SCALES)})\b(?! and a half)"
)
_SQUARE = re.compile(r"\s*-?(?:square|sq\.?)[ -](\w+)")
_UNIT = re.compile(r"\s*-?(%|(?:k?m|mi|ft)2\b|°\s?[cf]\b|(?:degrees? )?[a-z]+|[$€£¥₹])")
_CLOCK = re.compile(r"\d:\d\d")
_BRIEF = 8  # words of a gold that is a number and hardly more
_CURRENCIES = ("usd", "eur", "gbp", "jpy", "inr")
_PART_OF = {"h": "min", "hr": "min", "ft": "inch", "feet": "inch", "foot": "inch"}  # "2h 10m"
_INCHES = re.compile(r"(\d+)\s?'\s?(\d{1,2})(?:\"|''|\b)")
_APPROX = re.compile(
    r"(?:~|\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|over|more than"
    r"|at least|some|circa|c\.|an estimated|estimated(?: at)?|close to|just under|just over"
    r"|up to|under|less than|upwards of))\s*(?:us)?[$€£¥]?\s*$"
)
_LABEL = re.compile(
    r"\b(?:part|chapter|volume|vol\.?|season|episode|route|no\.|#)\s*$|\d\s?(?:/|out of)\s?$"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written: `step` is the worth of its last significant digit."""

    value: float
    step: float
    digits: int
    unit: str
    approximate: bool
    scaled: bool
    start: int
    end: int

    @property
    def kind(self) -> str:
        """What its unit measures; units of different kinds cannot be compared."""
        return _units()[self.unit][0] if self.unit else ""

    @property
    def base(self) -> float:
        """The value in the base unit of its kind."""
        return self.value * (_units()[self.unit][1] if self.unit else 1.0)

    @property
    def yearlike(self) -> bool:
        """Whether it can be a year: four plain digits of the last thousand years."""
        plain = not self.unit and not self.scaled and self.step == 1
        return plain and self.end - self.start == 4 and 1000 <= self.value <= 2100


@cache
def _units() -> dict[str, tuple[str, float]]:
    """Unit -> (kind, how many of the kind's base unit)."""
    return {
        name: (kind, float(size))
        for kind, rows in table()["units"].items()
        for size, names in rows.items()
        for name in names.split()
    }


# -- reading ------------------------------------------------------------------------------------


@lru_cache(maxsize=8192)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of folded `text`, left to right. Ordinals, decades and labels are none."""
    out = [
        Quantity(12 * float(m[1]) + float(m[2]), 1.0, 3, "inch", False, False, *m.span())
        for m in _INCHES.finditer(text)
    ]
    for pattern, reader in ((_NUMBER, _number), (_SCALE, _scale)):
        for found in pattern.finditer(text):
            one = reader(found, text)
            if one and not any(q.start < one.end and one.start < q.end for q in out):
                out.append(one)
    return tuple(_merged(sorted(out, key=lambda q: q.start), text))


def _number(found: re.Match[str], text: str) -> Quantity | None:
    if found["ordinal"] or _LABEL.search(text[: found.start()][-12:]):
        return None
    if found["digits"]:
        value = float(found["digits"].replace(",", ""))
        step, digits = _exactness(found["digits"])
    else:
        value, step, digits = float(_VALUES[found["word"].replace(" ", "-")]), 1.0, 2
    if found["half"]:
        value, step = value + 0.5, 0.1
    factor = math.prod(_SCALES[word] for word in re.findall("[a-z]+", found["scales"] or ""))
    end, short = found.end(), found["short"]
    if short and (short != "m" or found["money"]):
        factor *= _SHORT[short]
    elif short:  # "12 m" is metres
        end = found.start("short")
    unit, end = _unit_after(text, end)
    if found["money"]:
        unit = found["money"].removeprefix("us")
    start = found.start() + len(found.group()) - len(found.group().lstrip())
    scale = re.compile(r"\s?(?:/|out of)\s?(?:5|10|100)\b").match(text, end)
    return Quantity(
        value=(-1.0 if found["sign"] else 1.0) * value * factor,
        step=step * factor,
        digits=digits,
        unit=unit,
        approximate=bool(_APPROX.search(text[max(0, start - 24) : start])),
        scaled=factor != 1.0,
        start=start,
        end=scale.end() if scale else end,
    )


def _scale(found: re.Match[str], text: str) -> Quantity:
    value = _SCALES[found["scale"]] * (0.5 if found["half"] else 1.0)
    unit, end = _unit_after(text, found.end())
    return Quantity(value, value, 2, unit, False, True, found.start(), end)


def _exactness(digits: str) -> tuple[float, int]:
    """(worth of the last significant digit, count of significant digits) of plain `digits`."""
    plain = digits.replace(",", "")
    if "." in plain:
        return 10.0 ** -len(plain.split(".")[1]), len(plain.replace(".", "").lstrip("0")) or 1
    # Trailing zeros may be digits or rounding: 37000. Only three or more look like rounding.
    zeros = len(plain) - len(plain.rstrip("0"))
    zeros = zeros if 3 <= zeros < len(plain) else 0
    return 10.0**zeros, max(1, len(plain.lstrip("0")) - zeros)


def _unit_after(text: str, at: int) -> tuple[str, int]:
    """The unit written at `at` and where it ends, or ("", at)."""
    square = _SQUARE.match(text, at)
    if square:
        name = square[1]
        key = "mi2" if name.startswith("mi") else {"m": "m2", "k": "km2", "f": "ft2"}.get(name[0])
        return (key, square.end()) if key else ("", at)
    found = _UNIT.match(text, at)
    word = re.sub(r"^degrees? |^°\s?", "°", found[1]) if found else ""
    return (word, found.end()) if found and word in _units() else ("", at)


def _merged(found: list[Quantity], text: str) -> Iterator[Quantity]:
    """`found`, a unit and its smaller part made one: "two hours and ten minutes"."""
    before: Quantity | None = None
    for one in found:
        if before is not None:
            joined = re.fullmatch(r",? ?(?:and )?", text[before.end : one.start])
            spelled = re.fullmatch(r" (?:and )?", text[before.end : one.start])
            units = one.value / one.step  # "two hundred and seventy-five million"
            written = text[before.start].isalpha() and text[one.start].isalpha()
            if spelled and written and before.scaled and units < 100:
                value = (before.value + units) * one.step
                before = replace(one, value=value, start=before.start)
                continue
            part = _PART_OF.get(before.unit) if joined and one.unit in ("", "m") else None
            one = replace(one, unit=part) if part else one
            same = before.kind == one.kind and one.kind in ("time", "length", "mass")
            if joined and same and _units()[before.unit][1] > _units()[one.unit][1]:
                value = (before.base + one.base) / _units()[one.unit][1]
                before = replace(one, value=value, step=1.0, digits=3, start=before.start)
                continue
            yield before
        before = one
    if before is not None:
        yield before


# -- comparing ----------------------------------------------------------------------------------


def compare(gold: Quantity, other: Quantity) -> Match:
    """Whether `other` says what `gold` says, allowing for rounding and for other units."""
    a, b, converted = gold.value, other.value, False
    if gold.unit and other.unit and gold.unit != other.unit:
        if gold.kind != other.kind:
            return Match.NO
        a, b = gold.base, other.base
        converted = _units()[gold.unit][1] != _units()[other.unit][1]
    if math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12):
        return Match.YES
    if a == 0 or b == 0 or not math.isfinite(a * b) or (gold.yearlike and other.yearlike):
        return Match.NO
    if converted:
        return _band(abs(a - b) / abs(a), 0.01, 0.03)
    return _near(gold, other)


def _near(gold: Quantity, other: Quantity) -> Match:
    """Whether two different numbers of one unit are one number, rounded or cut off."""
    apart = abs(gold.value - other.value)
    off = apart / abs(gold.value)
    approximate = gold.approximate or other.approximate
    coarse, fine = sorted((gold, other), key=lambda quantity: quantity.step, reverse=True)
    if coarse.step > fine.step:
        if apart <= 0.5000001 * coarse.step:
            return _band(off, 0.01 if coarse.digits >= 3 or approximate else 0.0, 0.05)
        if off <= 0.005 and (gold.scaled or other.scaled):
            return Match.MAYBE  # cut off rather than rounded
    return _band(off, 0.01, 0.05) if approximate else Match.NO


def _band(off: float, same: float, close: float) -> Match:
    if off <= same:
        return Match.YES
    return Match.MAYBE if off <= close else Match.NO


# -- the verdict --------------------------------------------------------------------------------

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


def judge_number(gold: str, question: Question, reply: Reply) -> Judgement | None:
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


def _asked(quantity: Quantity, question: Question) -> bool:
    """Whether the number stands in the question."""
    return any(abs(quantity.value - q.value) < 1e-9 for q in quantities(question.text.folded))


def _wanted(new: list[Quantity], text: Text, question: Question) -> list[Quantity]:
    """The quantity that answers; several where the gold is a bare list of them."""
    if len(new) == 1 or _ranged(new[0], new[:2], text):
        return new
    spans = [(quantity.start, quantity.end) for quantity in new]
    if new_words(text, spans, question) <= 1 and not any(q.yearlike for q in new):
        return new
    return ([q for q in new if not q.yearlike] or new)[:1]


def _candidates(wanted: Quantity, question: Question, text: Text, echo: bool) -> list[Quantity]:
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


def _weigh(gold: Text, wanted: Quantity, echo: bool, question: Question, reply: Reply) -> Judgement:
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
    if match is Match.MAYBE:
        return unscored("gives a number that is close")
    if match is Match.NO:
        clock = wanted.kind == "time" and _CLOCK.search(reply.text.folded)
        return unscored("gives a clock's time") if clock else wrong("gives another number")
    text, found = (reply.outer, outer) if outer else (reply.text, every)
    primary = _primary(found, text, wanted)
    if _ranged(primary, found, text):
        return wrong("gives a range or a choice")
    if compare(wanted, primary) is not Match.YES:
        if len(every) == 2 and primary.unit and primary.unit != wanted.unit:
            return correct("gives the number in another unit")
        return unscored("gives the number among others")
    if echo and not reply.short:
        return unscored("the number may be of something else")
    others = any(q.value != primary.value and q.kind == primary.kind for q in found)
    if others and not _RESULT.search(text.folded):
        return unscored("gives one number among others")
    why = _doubt(wanted, primary, question, reply)
    return unscored(why) if why else correct("gives the number")


def _doubt(wanted: Quantity, said: Quantity, question: Question, reply: Reply) -> str:
    """Why the number may not be the answer although it is the wanted one, or ""."""
    if wanted.value == 0 or wanted.approximate:
        return ""
    mentions = [q for q in quantities(reply.text.folded) if q.value == said.value]
    if all(_unit_is_other(wanted, q, question, reply.text) for q in mentions or [said]):
        return "gives the number in a unit that nobody asked for"
    if not same_order(question.text.folded, reply.text.folded):
        return "compares the other way round"
    if mentions and all(_counts_other(q, question, reply.text) for q in mentions):
        return "counts something else"
    exact = wanted.value < 1000 or wanted.digits > 4
    kind = "numbers" if exact else "large"
    return doubt_value([(q.start, q.end) for q in mentions], kind, question, reply)


def _unit_is_other(wanted: Quantity, said: Quantity, question: Question, text: Text) -> bool:
    """Whether a number has a unit nobody asked for, or counts things and has none of the gold's."""
    if wanted.unit and not said.unit and wanted.kind not in _CURRENCIES:
        behind = [token for token in text.tokens if token.start >= said.end][:1]
        adjacent = bool(behind) and text.folded[said.end : behind[0].start] in (" ", "-")
        return adjacent and not behind[0].stop
    hints = table()["hints"].get(said.kind)
    return not wanted.unit and hints is not None and not any(map(question.asks, hints.split()))


def _counts_other(said: Quantity, question: Question, text: Text) -> bool:
    """Whether "11 league titles" answers how many seasons lay between two league titles."""
    asked = _HOW_MANY.search(question.text.folded)
    if not asked:
        return False
    wanted = set(map(stem, _noun(question.text, asked.end())))
    behind = _noun(text, said.end)
    return (
        bool(behind) and all(map(question.echoes, behind)) and not wanted & set(map(stem, behind))
    )


def _noun(text: Text, start: int) -> list[str]:
    """The words from the offset `start` to the first plural or stop word, such as "home runs"."""
    out: list[str] = []
    for token in text.tokens:
        if token.start < start or (token.stop and not out):
            continue
        if token.stop:
            break
        out.append(token.text)
        if token.text.endswith("s"):
            break
    return out


def _ranged(primary: Quantity, found: list[Quantity], text: Text) -> bool:
    """Whether the number is one end of a range or one of a choice."""
    for other in found:
        first, second = sorted((primary, other), key=lambda q: q.start)
        between = text.folded[first.end : second.start]
        if other.value != primary.value and re.fullmatch(r"\s*(?:-|to|or)\s*[$€£]?", between):
            return True
    return False


def _no_number(wanted: Quantity, question: Question, reply: Reply) -> Judgement:
    if wanted.value == 0 and _NONE.search(reply.text.folded):
        return correct("says that there is none")
    if wanted.value <= 20 and (not reply.short or _IMPLIED.search(reply.text.folded)):
        return unscored("gives no number, but may enumerate")
    new = not all(map(question.echoes, reply.text.words))
    return wrong("gives no number") if new or reply.short else unscored("gives no number")


def _weigh_several(
    gold: str, wanted: list[Quantity], question: Question, reply: Reply
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
    best = [max((compare(one, q) for q in said), default=Match.NO) for one in wanted]
    if Match.NO in best:
        return wrong("lacks a number")
    if _names_exchanged(read(gold), reply.text):
        return unscored("gives the numbers of other names")
    if Match.MAYBE in best or any(all(compare(one, q) is Match.NO for one in wanted) for q in said):
        return unscored("gives numbers that are close, or further ones")
    return correct("gives every number")


def _names_exchanged(gold: Text, said: Text) -> bool:
    """Whether the words of the gold stand in another order: "a 3, b 1" and "b 3, a 1"."""
    shared = [
        t.text for t in gold.tokens if not t.stop and t.text.isalpha() and t.text in said.words
    ]
    places = [said.words.index(word) for word in dict.fromkeys(shared)]
    return places != sorted(places)
