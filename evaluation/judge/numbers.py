"""Quantities in text, and whether two of them say the same."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache


class Match(Enum):
    """Do two values say the same? MAYBE where a careful reader could take either side."""

    YES = "same"
    MAYBE = "close"
    NO = "different"


_SMALL = {
    w: i
    for i, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
        " fifteen sixteen seventeen eighteen nineteen".split()
    )
}
_TENS = {
    w: 10 * i
    for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_TIMES = {"once": 1, "twice": 2, "thrice": 3, "none": 0, "never": 0, "nil": 0, "dozen": 12}
NUMBER_WORDS = frozenset((*_SMALL, *_TENS, *_TIMES))
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SHORT = {"k": 1e3, "m": 1e6, "mn": 1e6, "mil": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12, "tn": 1e12}

# Unit -> (kind, how many of the kind's base unit). Kinds that differ cannot be compared.
_UNITS: dict[str, tuple[str, float]] = {}
for _kind, _size, _names in (
    ("percent", 1, "% percent percentage pct"),
    ("usd", 1, "$ usd dollar dollars us$ bucks"),
    ("usd", 0.01, "cent cents"),
    ("eur", 1, "€ eur euro euros"),
    ("gbp", 1, "£ gbp pound-sterling"),
    ("jpy", 1, "¥ jpy yen"),
    ("inr", 1, "₹ inr rupee rupees"),
    ("length", 1, "m metre metres meter meters"),
    ("length", 0.01, "cm centimetre centimetres centimeter centimeters"),
    ("length", 0.001, "mm millimetre millimetres millimeter millimeters"),
    ("length", 1000, "km kms kilometre kilometres kilometer kilometers"),
    ("length", 1609.344, "mi mile miles"),
    ("length", 0.9144, "yd yard yards"),
    ("length", 0.3048, "ft foot feet"),
    ("length", 0.0254, "inch inches"),
    ("mass", 1, "kg kgs kilogram kilograms"),
    ("mass", 0.001, "g gram grams"),
    ("mass", 0.45359237, "lb lbs pound pounds"),
    ("mass", 0.028349523, "oz ounce ounces"),
    ("time", 1, "s sec secs second seconds"),
    ("time", 60, "min mins minute minutes"),
    ("time", 3600, "h hr hrs hour hours"),
    ("days", 1, "day days"),
    ("days", 7, "week weeks"),
    ("months", 1, "month months"),
    ("months", 12, "yr yrs year years"),
    ("area", 1, "sqm m2"),
    ("area", 1e6, "sqkm km2"),
    ("area", 2589988.11, "sqmi mi2"),
    ("area", 0.09290304, "sqft ft2"),
    ("area", 4046.8564, "acre acres"),
    ("volume", 1, "l litre litres liter liters"),
    ("volume", 3.785411784, "gal gallon gallons"),
    ("celsius", 1, "°c celsius"),
    ("fahrenheit", 1, "°f fahrenheit"),
):
    _UNITS |= {_name: (_kind, float(_size)) for _name in _names.split()}

_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_WORD = "|".join([*_TENS, *_SMALL, *_TIMES])
_HYPHEN = "time|year|minute|hour|mile|foot|month|day|week|point|inch|fold"
_NUMBER = re.compile(
    rf"(?P<sign>(?<![\w)])-(?=[$€£]?\s?[\d.])|\b(?:minus|negative) )?(?P<money>us\$|[$€£¥₹])?\s?"
    rf"(?:(?P<digits>(?<![\d.,])(?<![^\W\d_])(?:{_DIGITS}))|(?<![\w'])(?P<word>(?:{_WORD})"
    rf"(?:[ -](?:{'|'.join(_SMALL)}))?)(?![\w'])(?!-(?!{_HYPHEN})\w))"
    rf"(?P<ordinal>(?:st|nd|rd|th)\b)?(?P<decade>'?s\b)?"
    r"(?P<half> and a half\b)?"
    rf"(?P<scales>(?:[ -]?(?:{'|'.join(_SCALES)})\b)*)"
    rf"(?:\s?(?P<short>{'|'.join(_SHORT)})\b(?!'))?"
)
_PART = re.compile(r",? ?(?:and )?")
# "a hundred", "half a million": a scale word alone.
_SCALE = re.compile(
    r"(?<![\w-])(?<!few )(?<!many )(?<!several )"
    rf"(?:(?P<half>half) an? |an? )?(?P<scale>{'|'.join(_SCALES)})\b(?! and a half)"
)
_SQUARE = re.compile(r"\s*-?(?:square|sq\.?)[ -](\w+)")
_UNIT = re.compile(
    r"\s*-?(%|(?:k?m|mi|ft)2\b|°\s?[cf]\b|degrees? (?:celsius|fahrenheit|c|f)\b|[a-z]+|[$€£¥₹])"
)
_INCHES = re.compile(r"(\d+)\s?'\s?(\d{1,2})(?:\"|''|\b)")
_COMPOUND = re.compile(
    r"(\d+)[ -]?(feet|foot|ft|hours?|hrs?|h|minutes?|mins?|pounds?|lbs?|years?)\.?,? ?(?:and )?"
    r"(\d{1,2})[ -]?(inches|inch|in|minutes?|mins?|m|seconds?|secs?|s|ounces?|oz|months?)\b"
)
_APPROX = re.compile(
    r"(?:~|\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|over|more than"
    r"|at least|some|circa|c\.|an estimated|estimated(?: at)?|close to|just under|just over"
    r"|up to|under|less than|upwards of))\s*(?:us)?[$€£¥]?\s*$"
)
_LABEL = re.compile(r"\b(?:part|chapter|volume|vol\.?|season|episode|route|no\.|#)\s*$")
_SCALE_OF = re.compile(r"\s?(?:/|out of)\s?(?:5|10|100)\b")
_OUT_OF = re.compile(r"\d\s?(?:/|out of)\s?$")
_SQUARE_UNITS = {"m": "sqm", "k": "sqkm", "f": "sqft"}


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
        return _UNITS[self.unit][0] if self.unit else ""

    @property
    def yearlike(self) -> bool:
        """Whether it can be a year: four plain digits of the last thousand years."""
        plain = not self.unit and not self.scaled and self.step == 1
        return plain and self.end - self.start == 4 and 1000 <= self.value <= 2100


def _exactness(digits: str) -> tuple[float, int]:
    """(worth of the last significant digit, count of significant digits) of plain `digits`."""
    plain = digits.replace(",", "")
    if "." in plain:
        places = len(plain.split(".")[1])
        return 10.0**-places, len(plain.replace(".", "").lstrip("0")) or 1
    kept = plain.rstrip("0")
    zeros = len(plain) - len(kept) if len(plain) > 3 and kept else 0
    # Trailing zeros may be digits or rounding: 37000. Only three or more look like rounding.
    zeros = zeros if zeros >= 3 else 0
    return 10.0**zeros, max(1, len(plain.lstrip("0")) - zeros)


def _word_value(word: str) -> float:
    first, _, second = word.replace("-", " ").partition(" ")
    value = _TENS.get(first, _SMALL.get(first, _TIMES.get(first, 0)))
    return float(value + _SMALL.get(second, 0)) if first in _TENS else float(value)


def _unit_after(text: str, at: int) -> tuple[str, int]:
    """The unit written at `at` and where it ends, or ("", at)."""
    square = _SQUARE.match(text, at)
    if square:
        name = square.group(1)
        key = "sqmi" if name.startswith("mi") else _SQUARE_UNITS.get(name[0], "")
        return (key, square.end()) if key else ("", at)
    found = _UNIT.match(text, at)
    if not found:
        return "", at
    word = found.group(1)
    if word[0] == "°" or word.startswith("degree"):
        return ("°f" if word.rstrip().endswith(("f", "fahrenheit")) else "°c"), found.end()
    return (word, found.end()) if word in _UNITS else ("", at)


def _quantity(found: re.Match[str], text: str) -> Quantity | None:
    if found["ordinal"] or found["decade"] or _LABEL.search(text[: found.start()][-12:]):
        return None
    if found["digits"] in ("5", "10", "100") and _OUT_OF.search(text[: found.start()][-10:]):
        return None
    if found["digits"]:
        value = float(found["digits"].replace(",", ""))
        step, digits = _exactness(found["digits"])
    else:
        value, step, digits = _word_value(found["word"]), 1.0, 2
    if found["half"]:
        value, step = value + 0.5, 0.1
    factor = math.prod(_SCALES[word] for word in re.findall("[a-z]+", found["scales"] or ""))
    unit, end = "", found.end()
    short = found["short"]
    if short and (short != "m" or found["money"]) and (short != "t" or found["money"]):
        factor *= _SHORT[short]
    elif short:  # "12 m" is metres
        end = found.start("short")
        unit, end = _unit_after(text, end)
    if not unit:
        unit, end = _unit_after(text, end)
    if found["money"]:
        unit = "$" if found["money"] == "us$" else found["money"]
    scale = _SCALE_OF.match(text, end)
    end = scale.end() if scale else end
    sign = -1.0 if found["sign"] else 1.0
    return Quantity(
        value=sign * value * factor,
        step=step * factor,
        digits=digits,
        unit=unit,
        approximate=bool(_APPROX.search(text[max(0, found.start() - 24) : found.start()])),
        scaled=factor != 1.0,
        start=found.start() + (len(found.group()) - len(found.group().lstrip())),
        end=end,
    )


@lru_cache(maxsize=8192)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of folded `text`, left to right. Ordinals and decades are none."""
    out: list[Quantity] = []
    taken: list[tuple[int, int]] = []
    for pattern in (_COMPOUND, _INCHES):
        for found in pattern.finditer(text):
            big, small = float(found[1]), float(found[2] if pattern is _INCHES else found[3])
            unit = "inch" if pattern is _INCHES else found[4]
            unit = {"in": "inch", "m": "min"}.get(unit, unit)
            whole = "ft" if pattern is _INCHES else found[2]
            value = big * _UNITS[whole][1] / _UNITS[unit][1] + small
            taken.append(found.span())
            out.append(Quantity(value, 1.0, 3, unit, False, False, *found.span()))
    for found in _NUMBER.finditer(text):
        if any(a <= found.start() < b for a, b in taken):
            continue
        quantity = _quantity(found, text)
        if quantity is not None:
            out.append(quantity)
    out.extend(_scale_words(text, out))
    return tuple(_merged(sorted(out, key=lambda q: q.start), text))


def _merged(found: list[Quantity], text: str) -> Iterator[Quantity]:
    """`found`, a unit and its smaller part made one: "two hours and ten minutes"."""
    before: Quantity | None = None
    for one in found:
        if before is not None:
            size, part = _UNITS.get(before.unit, ("", 0.0)), _UNITS.get(one.unit, ("", 0.0))
            joined = _PART.fullmatch(text[before.end : one.start])
            if size[0] == part[0] in ("time", "length", "mass") and size[1] > part[1] and joined:
                value = before.value * size[1] / part[1] + one.value
                before = Quantity(
                    value, 1.0, 3, one.unit, before.approximate, False, before.start, one.end
                )
                continue
            yield before
        before = one
    if before is not None:
        yield before


def _scale_words(text: str, found: list[Quantity]) -> list[Quantity]:
    """The scale words that no number goes before: "hundred", "half a million"."""
    out: list[Quantity] = []
    for scale in _SCALE.finditer(text):
        if any(q.start < scale.end() and scale.start() < q.end for q in found):
            continue
        value = _SCALES[scale["scale"]] * (0.5 if scale["half"] else 1.0)
        unit, end = _unit_after(text, scale.end())
        out.append(Quantity(value, value, 2, unit, False, True, scale.start(), end))
    return out


def compare(gold: Quantity, other: Quantity) -> Match:
    """Whether `other` says what `gold` says, allowing for rounding and for other units."""
    a, b, converted = gold.value, other.value, False
    if gold.unit and other.unit and gold.unit != other.unit:
        if gold.kind != other.kind:
            return Match.NO
        a, b = a * _UNITS[gold.unit][1], b * _UNITS[other.unit][1]
        converted = _UNITS[gold.unit][1] != _UNITS[other.unit][1]
    if math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12):
        return Match.YES
    if {gold.kind, other.kind} == {"percent", ""} and _share(gold, other):
        return Match.MAYBE
    if a == 0 or b == 0 or not math.isfinite(a * b) or (gold.yearlike and other.yearlike):
        return Match.NO
    if converted:
        return _band(abs(a - b) / abs(a), 0.01, 0.03)
    return _near(gold, other)


def _near(gold: Quantity, other: Quantity) -> Match:
    """Whether two different numbers of one unit are one number, rounded or cut off."""
    apart = abs(gold.value - other.value)
    off = apart / abs(gold.value)
    if gold.scaled != other.scaled and _scale_left_out(gold, other):
        return Match.MAYBE
    approximate = gold.approximate or other.approximate
    coarse, fine = sorted((gold, other), key=lambda quantity: quantity.step, reverse=True)
    if coarse.step > fine.step:
        if apart <= 0.5000001 * coarse.step:
            return _band(off, 0.01 if coarse.digits >= 3 or approximate else 0.0, 0.05)
        if off <= 0.005 and (gold.scaled or other.scaled):
            return Match.MAYBE  # cut off rather than rounded
    return _band(off, 0.01, 0.05) if approximate else Match.NO


def _share(a: Quantity, b: Quantity) -> bool:
    """Whether one is the other as a share of one: 62% and 0.62."""
    percent, plain = (a, b) if a.kind == "percent" else (b, a)
    return math.isclose(percent.value, 100 * plain.value, rel_tol=1e-6)


def _band(off: float, same: float, close: float) -> Match:
    if off <= same:
        return Match.YES
    return Match.MAYBE if off <= close else Match.NO


def _scale_left_out(a: Quantity, b: Quantity) -> bool:
    """Whether one has a scale word and the other the same number without: "1.2 billion", "1.2"."""
    big, small = (a, b) if a.scaled else (b, a)
    ratio = abs(big.value / small.value)
    return abs(small.value) < 1e4 and any(
        math.isclose(ratio, scale, rel_tol=0.005) for scale in (1e3, 1e6, 1e9, 1e12)
    )
