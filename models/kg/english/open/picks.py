"""Conditions that pick some of a key's values: a year, a region, a campus, "first", "major"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.kg.english.reading import Compose
from models.kg.execute import Outcome
from models.records import INVALID
from utils.text import FUNCTION_WORDS, fold, words

_RANGE = re.compile(r"(\d{4})(?:\s?[–-]\s?(\d{4}|present))?")
_YEAR = re.compile(r"\b(?:in|during|as of|by) (?:the )?(?:year )?(\d{4})\b")
# As a question names a region -> as the tables of releases do.
_REGIONS = {
    "us": "(?:US|NA)", "u s": "(?:US|NA)", "usa": "(?:US|NA)", "united states": "(?:US|NA)",
    "america": "(?:US|NA)", "north america": "NA", "japan": "JP", "europe": "(?:EU|PAL)",
    "uk": "(?:UK|EU)", "australia": "(?:AU|PAL)", "china": "CN", "korea": "KR",
    "india": "(?:IN|India)",
}  # fmt: skip
_ORDINALS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3,
             "last": -1, "latest": -1, "current": -1, "present": -1, "most recent": -1}  # fmt: skip
_ORDERED = frozenset(("spouse", "spouses", "vicepresident", "partner"))


@dataclass(frozen=True, slots=True)
class Picking:
    """What of a key's values a question wants: those that match a pattern, that hold in a year, or
    the one at a place; `told`: its words that say so."""

    told: frozenset[str]
    pattern: str = ""
    year: int | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Picked:
    """What `then` makes of the values that are picked; nothing where none is."""

    picking: Picking
    then: Compose

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        values = [str(value) for value in outcomes[-1].values]
        if self.picking.year is not None:
            chosen = [value for value in values if _holds(value, self.picking.year)]
            if not chosen:
                early = [_begins(value) for value in values]
                known = [year for year in early if year]
                never = len(known) == len(values) and self.picking.year < min(known, default=0)
                return INVALID if never else None
        elif self.picking.place is not None:
            place = self.picking.place
            chosen = values[place : place + 1 or None] if place < len(values) else []
        else:
            chosen = [value for value in values if re.search(self.picking.pattern, value)]
        if not chosen:
            return None
        return self.then([*outcomes[:-1], replace(outcomes[-1], values=tuple(chosen))])


@dataclass(frozen=True, slots=True)
class CountOf:
    """The number that a value gives for a part: "8 (4 major, 4 minor)"."""

    part: str

    def __call__(self, outcomes: Sequence[Outcome]) -> str | None:
        text = " ".join(str(value) for value in outcomes[-1].values)
        found = set(re.findall(rf"(\d[\d,]*)(?: [\w-]+)? ({self.part})\b", text, re.I))
        numbers = {number for number, _ in found}
        return next(iter(numbers)) if len(numbers) == 1 else None


def picking(rest: str, key: str, value: object) -> Picking | None:
    """What of the values of a key `rest` wants, beyond the key itself; None where nothing."""
    values = [str(each) for each in (value if isinstance(value, list) else [value])]
    year = _YEAR.search(rest)
    if year and any(re.search(r"\(\d{4}", each) for each in values) and key in _ORDERED:
        return Picking(frozenset((year[1],)), year=int(year[1]))
    if key in _ORDERED:
        match = re.search(rf"\b({'|'.join(_ORDINALS)})\b", rest)
        if match:
            return Picking(frozenset(match[1].split()), place=_ORDINALS[match[1]])
    return _by_words(rest, values) if len(values) > 1 else None


def _by_words(rest: str, values: Sequence[str]) -> Picking | None:
    """Words of the question that only some of several values have."""
    for name, region in _REGIONS.items():
        pattern = rf"\((?:[A-Z/]*/)?{region}\b|\b{region}\b"
        fits = [bool(re.search(pattern, value)) for value in values]
        if re.search(rf"\bin (?:the )?{name}\b", rest) and any(fits) and not all(fits):
            return Picking(frozenset(name.split()), pattern)
    for word in rest.split():
        if word in FUNCTION_WORDS or len(word) < 3:
            continue
        fits = [word in words(value) for value in values]
        if sum(fits) == 1:
            return Picking(frozenset((word,)), rf"(?i)\b{re.escape(word)}\b")
    return None


def part_of(rest: str, told: frozenset[str], value: object) -> str | None:
    """The word of a question for which a value gives a number of its own."""
    values = value if isinstance(value, list) else [value]
    text = fold(" ".join(str(each) for each in values))
    return next(
        (
            word
            for word in rest.split()
            if word not in FUNCTION_WORDS | told and re.search(rf"\d(?: [\w-]+)? {word}\b", text)
        ),
        None,
    )


def _begins(value: str) -> int | None:
    match = re.search(r"\((\d{4})", value)
    return int(match[1]) if match else None


def _holds(value: str, year: int) -> bool:
    match = re.search(r"\(([^()]*)\)$", value)
    span = _RANGE.search(match[1]) if match else None
    if not span:
        return False
    last = span[2] or ""
    return int(span[1]) <= year and (not last.isdigit() or year <= int(last))
