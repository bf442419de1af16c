"""Quantities in text, and whether two of them say the same."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from evaluation.judge.dates import Agreement
from evaluation.judge.normalize import table

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
    def factor(self) -> float:
        """How many base units of its kind its unit is; 1 without a unit."""
        return _units()[self.unit][1] if self.unit else 1.0

    @property
    def base(self) -> float:
        """The value in the base unit of its kind."""
        return self.value * self.factor

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
            if joined and same and before.factor > one.factor:
                value = (before.base + one.base) / one.factor
                before = replace(one, value=value, step=1.0, digits=3, start=before.start)
                continue
            yield before
        before = one
    if before is not None:
        yield before


def compare(gold: Quantity, other: Quantity) -> Agreement:
    """Whether `other` says what `gold` says, allowing for rounding and for other units."""
    a, b, converted = gold.value, other.value, False
    if gold.unit and other.unit and gold.unit != other.unit:
        if gold.kind != other.kind:
            return Agreement.NO
        a, b = gold.base, other.base
        converted = gold.factor != other.factor
    if math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12):
        return Agreement.YES
    if a == 0 or b == 0 or not math.isfinite(a * b) or (gold.yearlike and other.yearlike):
        return Agreement.NO
    if converted:
        return _band(abs(a - b) / abs(a), 0.01, 0.03)
    return _near(gold, other)


def _near(gold: Quantity, other: Quantity) -> Agreement:
    """Whether two different numbers of one unit are one number, rounded or cut off."""
    apart = abs(gold.value - other.value)
    off = apart / abs(gold.value)
    approximate = gold.approximate or other.approximate
    coarse, fine = sorted((gold, other), key=lambda quantity: quantity.step, reverse=True)
    if coarse.step > fine.step:
        if apart <= 0.5000001 * coarse.step:
            return _band(off, 0.01 if coarse.digits >= 3 or approximate else 0.0, 0.05)
        if off <= 0.005 and (gold.scaled or other.scaled):
            return Agreement.MAYBE  # cut off rather than rounded
    return _band(off, 0.01, 0.05) if approximate else Agreement.NO


def _band(off: float, same: float, close: float) -> Agreement:
    if off <= same:
        return Agreement.YES
    return Agreement.MAYBE if off <= close else Agreement.NO
