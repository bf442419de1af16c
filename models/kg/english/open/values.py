"""What the plain values of infoboxes say: numbers, dates, counts, members of lists."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dateutil import parser as date_parser

_NUMBER = re.compile(r"(?<![\w.])[-+−–]?\s?\d[\d,]*(?:\.\d+)?")
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "lakh": 1e5,
           "crore": 1e7}  # fmt: skip
_SCALE = re.compile(rf"\s?({'|'.join(_SCALES)})\b", re.I)
_MONTHS = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_DATED = re.compile(
    rf"\b\d{{4}}-\d\d(?:-\d\d)?\b|\b{_MONTHS} \d{{1,2}}, \d{{4}}\b"
    rf"|\b\d{{1,2}} {_MONTHS},? \d{{4}}\b"
    rf"|\b{_MONTHS} \d{{4}}\b|(?<![\d,.])\d{{3,4}}(?![\d,.]\d)(?:\s?(?:BCE?))?"
)
_REMARK = re.compile(r"\s*\([^()]*\)")
_BELOW = r"(?:basements?|below|underground|subterranean|cellars?)"
# A unit as keys and values write it -> one that all lengths, or all areas, are compared in.
_FACTORS = {
    "m": 1.0, "metres": 1.0, "meters": 1.0, "metre": 1.0, "ft": 0.3048, "feet": 0.3048,
    "km": 1000.0, "kilometres": 1000.0, "kilometers": 1000.0, "mi": 1609.344, "miles": 1609.344,
    "cm": 0.01, "yd": 0.9144, "masl": 1.0,
    "km2": 1e6, "sq mi": 2589988.11, "ha": 1e4, "acre": 4046.856, "acres": 4046.856, "m2": 1.0,
    "hectares": 1e4, "sq ft": 0.092903,
}  # fmt: skip
_KEY_UNITS = {"m": "m", "ft": "ft", "km": "km", "mi": "mi", "km2": "km2", "sq_mi": "sq mi",
              "sqmi": "sq mi", "ha": "ha"}  # fmt: skip

# Units that infoboxes leave to the page.
_KNOWN_UNITS = {"temperature": "K", "electrical_capacity": "MW", "thermal_capacity": "MW",
                "annual_generation": "GWh", "mass": "solar masses", "parallax": "mas"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, and its unit as written; "" without one."""

    number: float
    unit: str = ""

    @property
    def comparable(self) -> float:
        """The number in the unit in which all of its kind are compared."""
        return self.number * _FACTORS.get(self.unit, 1.0)


def unit_of(key: str) -> str:
    """The unit that a key names at its end: "elevation_m"."""
    match = re.search(r"_(km2|sq_mi|sqmi|km|mi|ft|ha|m)$", key.lower())
    known = _KNOWN_UNITS.get(re.sub(r"^(?:ps|np)_", "", key.lower()), "")
    return _KEY_UNITS[match[1]] if match else known


def is_date(value: Any) -> bool:
    """Whether a value is nothing but a date."""
    text = str(value[0] if isinstance(value, list) and value else value)
    match = _DATED.match(text)
    return bool(match) and not re.search(r"^\d|[^\W\d_]", text[match.end() if match else 0 :])


def is_amount(value: Any) -> bool:
    """Whether a value is nothing but a date or a number with its unit, and so no name."""
    text = str(value[0] if isinstance(value, list) and value else value)
    match = _NUMBER.match(text)
    return is_date(value) or bool(match) and len(text[match.end() if match else 0 :].split()) <= 1


def figure(value: Any, key: str = "") -> Figure | None:
    """The first number of a value, with what scale and unit follow it."""
    text = str(value).replace("−", "-")
    match = _NUMBER.search(text)
    if not match:
        return None
    number = float(re.sub(r"[,\s+–]", "", match.group()) or 0)
    after = text[match.end() :]
    scale = _SCALE.match(after)
    if scale:
        number *= _SCALES[scale[1].lower()]
        after = after[scale.end() :]
    unit = re.match(r"\s?(sq mi|sq ft|[A-Za-z]+2?)", after)
    named = unit[1] if unit and unit[1] in _FACTORS else ""
    return Figure(number, named or unit_of(key))


def day(value: Any) -> str | None:
    """The first date of a value as ISO writes it, as exact as it is given; None without one."""
    match = _DATED.search(str(value))
    if not match:
        return None
    text = match.group()
    if re.search(r"BC", text):
        return None
    if re.fullmatch(r"\d{4}(?:-\d\d){0,2}", text):
        return text
    if text.isdigit():
        return text.zfill(4)
    try:
        parsed = date_parser.parse(text, default=date_parser.parse("2000-01-01"))
    except (ValueError, OverflowError):
        return None
    exact = re.search(r"\b\d{1,2}\b(?!\d)", re.sub(r"\d{4}", "", text))
    return parsed.date().isoformat()[: 10 if exact else 7]


def years_between(first: str, last: str) -> int | None:
    """Whole years from one ISO date to another; None where they are not exact enough to tell."""
    years = int(last[:4]) - int(first[:4])
    if len(first) == len(last) == 10:
        return years - (last[5:] < first[5:])
    return None


def bare(value: Any) -> str:
    """A member of a list without remarks in brackets, shares and the like."""
    text = _REMARK.sub("", str(value))
    text = re.sub(r":\s*[\d.,]+\s*%.*$|,?\s+only\b.*$", "", text)
    return re.sub(r"^[\d.]+\s*%\s*", "", text).strip(" ,;:")


def members(values: Sequence[Any]) -> list[str]:
    """The members of a list: several values, or one that commas and "and" part."""
    if len(values) != 1:
        return [str(value) for value in values]
    text = str(values[0])
    parts = re.split(r"\s*[,;]\s*(?:and\s+)?(?![^()]*\))|\s+and\s+(?![^()]*\))", text)
    return [part for part in parts if part]


def floors(values: Sequence[Any], *, total: bool, below: bool) -> int | None:
    """How many floors a building has: above the ground, below it, or in all.

    None where the value does not say what is below and that is asked for.
    """
    text = " ".join(str(value) for value in values).replace(",", "")
    under = re.search(rf"(\d+)(?: \w+){{0,2}} {_BELOW}", text)
    if (total or below) and not under:
        return None
    under_count = int(under[1]) if under else 0
    if below:
        return under_count
    rest = text[: under.start()] + text[under.end() :] if under else text
    sums = re.match(r"\D*(\d+(?:\s*\+\s*\d+)*)", rest)
    if not sums:
        return None
    above = sum(int(number) for number in re.findall(r"\d+", sums[1]))
    return above + under_count if total else above


def count(values: Sequence[Any]) -> int | None:
    """How many there are: the number that a value begins with, or the members of a list."""
    if not values:
        return None
    whole = [each for each in map(str, values) if re.search(r"\((?:all|total|overall)\b", each)]
    if len(values) > 1 and len(whole) == 1:
        values = whole  # of several campuses or branches, that of all together
    first = re.match(r"\D{0,4}(\d[\d,]*)\b(?![.%])(?!\s*(?:million|billion))", str(values[0]))
    if first and not re.match(r"\s*[–-]\s*\d", str(values[0])[first.end() :]):
        several = len(values) > 1 or re.match(r":", str(values[0])[first.end() :])
        return None if several and len(values) > 1 else int(first[1].replace(",", ""))
    if re.match(r"none\b|no\b", str(values[0]).lower()):
        return 0
    return len(members(values))
