"""Questions about anything that has an encyclopedia's page: its infobox, and safe words of its summary.

The words of a question, its names taken out, are matched with the keys of their infoboxes
(`keys.py`); two names with a word of comparison are compared (`compare.py`); one value
may name the page that is really asked about ("the capital of …"); and a few plain sentences of the
summary are read where the infobox is silent (`said.py`).
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from models.kg.english.names import Names
from models.kg.english.open.compare import comparisons
from models.kg.english.open.compose import Age, Count, Day, Degree, Quantity, Text
from models.kg.english.open.hops import hops
from models.kg.english.open.keys import Asking, askings
from models.kg.english.open.picks import CountOf, Picked, part_of, picking
from models.kg.english.open.polar import choices, polar
from models.kg.english.open.premises import premises
from models.kg.english.open.rows import row_of
from models.kg.english.open.said import said
from models.kg.english.open.subjects import Subject, explained, plain_rest, subjects
from models.kg.english.open.times import times
from models.kg.english.open.values import day
from models.kg.english.open.ways import Form, Kind, form_of
from models.kg.english.question import Asked
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted

_DEGREES = (
    (r"\bb\.?\s?(?:s|sc|a)\b\.?|\bbachelor\w*|\bundergraduate\b", r"\bB\.?\s?(?:S|Sc|A|F\.?A)|Bachelor"),
    (r"\bm\.?\s?(?:s|sc|a)\b\.?|\bmaster'?s?\b|\bmba\b", r"\bM\.?\s?(?:S|Sc|A|B\.?A|F\.?A|Eng)\b|Master"),
    (r"\bph\.?\s?d\b|\bdoctorate\b|\bdoctoral\b", r"\bPh\.?\s?D|Doctor of|D\.?Phil|doctorate"),
    (r"\bj\.?d\b|\bjuris doctor\b|\blaw degree\b|\bll\.?b\b", r"\bJ\.?D\b|Juris|LL\.?B"),
    (r"\bm\.d\b|\bmedical degree\b", r"\bM\.?D\b|Medicine"),
)  # fmt: skip
_MEASURES = (
    "height high tall elevation altitude length long size area big large deep wide far heavy"
)
_STUDIES = (
    "get got receive received earn earned obtain obtained m s b a ph d phd j master bachelor doctorate"
    " degree sc law from juris doctor complete completed study studied attend attended"
)
_YEAR = re.compile(r"\b(?:in|during|as of|by) (?:the )?(?:year )?(\d{4})\b")
_UNITS = {"feet": "ft", "foot": "ft", "ft": "ft", "meters": "m", "metres": "m", "miles": "mi",
          "kilometers": "km", "kilometres": "km", "km": "km", "square miles": "sq mi",
          "square kilometers": "km2", "square kilometres": "km2", "acres": "acres"}  # fmt: skip
_ALL_FLOORS = r"(?:above and (?:also )?(?:below|under)|including|both|under ?ground and)"
_BELOW = r"\b(?:below ground|underground|basements?|below the ground|beneath)\b"
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
_POLAR = re.compile(r"(?:is|was|are|were|does|did|do|has|have|had)\b")


def read(asked: Asked, names: Names) -> list[Reading]:
    found = subjects(asked, names)
    readings = list(comparisons(asked, found))
    for each in sorted(found, key=lambda s: -len(s.span)):
        rest = plain_rest(asked, [each.span])
        readings += premises(rest, each, asked.at)
        readings += of_one(asked, rest, each, _call(each.name))
    for hop in hops(asked, found, names):
        readings += of_one(asked, hop.rest, hop.subject, hop.call)
    return readings


def of_one(asked: Asked, rest: str, about: Subject, call: str) -> Iterator[Reading]:
    """The readings of a question about one entity; `call`: the program that fetches it."""
    yield from times(asked, rest, about, call)
    yield from choices(rest, about, call)
    yield from polar(rest, about, call)
    if form_of(rest) is Form.AGE:
        return
    if _POLAR.match(rest) and not re.search(r"\b(?:who|what|when|where|which|how)\b", rest):
        return
    most: int | None = None
    for asking in askings(rest, about.facts):
        if most is not None and len(asking.explained) < most:
            break
        reading = _reading(asked, rest, about, asking, call)
        if reading:
            most = len(asking.explained)
            yield reading
    yield from said(rest, about, call)


def _reading(asked: Asked, rest: str, about: Subject, asking: Asking, call: str) -> Reading | None:
    """What asks for one key, where that and what picks among its values explain the question."""
    told = asking.explained | _told_besides(rest, asking)
    row = row_of(rest, asking.key, told, about.facts)
    if row:
        asking = replace(asking, key=row.key)
        told |= row.told
        rest = _YEAR.sub(" ", rest) if any(word.isdigit() for word in row.told) else rest
    value = about.facts[asking.key]
    composer = _composer(asked, rest, about, asking)
    picked = picking(rest, asking.key, value)
    part = part_of(rest, told, value) if asking.kind is Kind.COUNT else None
    if picked and explained(
        _YEAR.sub("", rest) if picked.year else rest, told | picked.told, [about]
    ):
        composer = Picked(picked, composer)
    elif part and "floor" not in asking.key and explained(rest, told | {part}, [about]):
        composer = CountOf(part)
    elif not explained(_without_known_year(rest, about, asking), told, [about]):
        return None
    return Reading(_value(call, asking.key), composer)


def _without_known_year(rest: str, about: Subject, asking: Asking) -> str:
    """A question without the year that its answer is of, as the page says."""
    year = _YEAR.search(rest)
    stem = asking.key.split("_")[0]
    known = [str(about.facts[asking.key])] + [
        str(value)
        for key, value in about.facts.items()
        if key.startswith(stem) and key.endswith(("as_of", "year"))
    ]
    of_year = year and asking.kind is not Kind.DATE and any(year[1] in text for text in known)
    return _YEAR.sub(" ", rest) if of_year else rest


def _call(name: str) -> str:
    return f"get_open({quoted(name)})"


def _value(call: str, key: str) -> str:
    return f"ALL {call}[{quoted(key)}]"


def _composer(asked: Asked, rest: str, about: Subject, asking: Asking) -> Compose:
    if asking.kind is Kind.DATE and re.search(r"\bhow (?:many years|long) ago\b", rest):
        return Age(asked.at.date() if asked.at else None, exact=asking.key == "birth_date")
    degree = next((told for cue, told in _DEGREES if re.search(cue, asked.text.lower())), None)
    if asking.key in ("alma_mater", "education") and degree:
        return Degree(degree)
    if asking.kind is Kind.COUNT:
        floors = "floor" in asking.key or "stor" in asking.key
        below = bool(floors and re.search(_BELOW, rest))
        total = below and bool(re.search(_ALL_FLOORS, rest))
        return Count(of_floors=floors, total=total, below=below and not total)
    dated = any(day(value) for value in _listed(about.facts.get(asking.key)))
    if asking.kind is Kind.DATE or (form_of(rest) is Form.WHEN and dated):
        return Day(year=bool(re.search(r"\b(?:what|which) year\b", rest)))
    if asking.kind is Kind.NUMBER:
        unit = re.search(rf"\b(?:in|many|of) ({'|'.join(_UNITS)})\b", rest)
        return Quantity(asking.key, _UNITS[unit[1]] if unit else "")
    number = _numeral(rest, asking)
    return Text(_NUMBERS[number] if number else None)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _numeral(rest: str, asking: Asking) -> str | None:
    """How many members of a list a question asks for: "the two languages"."""
    match = re.search(rf"\b({'|'.join(_NUMBERS)})\b", rest)
    return match[1] if match and asking.kind is Kind.TEXT else None


def _told_besides(rest: str, asking: Asking) -> frozenset[str]:
    """Words that say how the value is wanted: its unit, its degree, which floors."""
    told = ""
    if asking.kind is Kind.NUMBER:
        told = f"{_MEASURES} {' '.join(_UNITS)}"
    elif asking.kind is Kind.DATE:
        told = "first initial initially original originally"
    elif asking.kind is Kind.TEXT and _numeral(rest, asking):
        told = f"primary main top major most common first {_numeral(rest, asking)}"
    if asking.key in ("alma_mater", "education"):
        told += f" {_STUDIES}"
    if "floor" in asking.key:
        told += " above below ground both including floors underground basement levels"
    return frozenset(told.split())
