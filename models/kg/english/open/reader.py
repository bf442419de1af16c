"""Questions about anything that has an encyclopedia's page: infobox, and words of its summary.

The words of a question, its names taken out, are matched with the keys of their infoboxes
(`keys.py`); two names with a word of comparison are compared (`compare.py`); one value
may name the page that is really asked about ("the capital of …"); and a few plain sentences of the
summary are read where the infobox is silent (`said.py`).
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from models.kg.english.names import Names
from models.kg.english.open.compare import compares, comparisons
from models.kg.english.open.compose import Age, By, Count, Day, Degree, Quantity, Text, WithRole
from models.kg.english.open.features import features
from models.kg.english.open.hops import hops, within
from models.kg.english.open.keys import Asking, askings, canonical, first_key
from models.kg.english.open.picks import CountOf, Picked, part_of, picking
from models.kg.english.open.polar import choices, polar
from models.kg.english.open.premises import premises
from models.kg.english.open.rows import row_of
from models.kg.english.open.rulers import Ruler, rulers
from models.kg.english.open.said import said
from models.kg.english.open.subjects import Subject, explained, plain_rest, subjects
from models.kg.english.open.times import times
from models.kg.english.open.values import day
from models.kg.english.open.ways import Form, Kind, form_of
from models.kg.english.open.years import YEAR, of_year
from models.kg.english.reading import Compose, Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked

_DEGREES = (
    (r"\bb\.?\s?(?:s|sc|a)\b\.?|\bbachelor\w*|\bundergraduate\b", r"\bB\.?\s?(?:S|Sc|A|F\.?A)"
                                                                  r"|Bachelor"),
    (r"\bm\.?\s?(?:s|sc|a)\b\.?|\bmaster'?s?\b|\bmba\b", r"\bM\.?\s?(?:S|Sc|A|B\.?A|F\.?A|Eng)\b"
                                                         r"|Master"),
    (r"\bph\.?\s?d\b|\bdoctorate\b|\bdoctoral\b", r"\bPh\.?\s?D|Doctor of|D\.?Phil|doctorate"),
    (r"\bj\.?d\b|\bjuris doctor\b|\blaw (?:degree|school)\b|\bll\.?b\b"
     r"|\bstud(?:y|ied|ying) law\b|\btrain(?:ed)? as a lawyer\b", r"\bJ\.?D\b|Juris|LL\.?B"),
    (r"\bm\.d\b|\bmedical (?:degree|school)\b|\bstud(?:y|ied) medicine\b", r"\bM\.?D\b|Medicine"),
)  # fmt: skip
_MEASURES = (
    "height high tall elevation altitude length long size area big large deep wide far heavy"
    " vertical extent"
)
_STUDIES = (
    "get got receive received earn earned obtain obtained m s b a ph d phd j master bachelor"
    " doctorate"
    " degree sc law from juris doctor complete completed study studied attend attended"
)
# Keys whose values seldom change: of a year that lies not long back, what holds now is told.
_LASTING = frozenset(
    """
    capital seat largestcity largest_city country_largest_city currency continent
    official_languages officiallangs anthem location country
    """.split()
)
_LATELY = 30  # years
_UNITS = {"feet": "ft", "foot": "ft", "ft": "ft", "meters": "m", "metres": "m", "miles": "mi",
          "kilometers": "km", "kilometres": "km", "km": "km", "square miles": "sq mi",
          "square kilometers": "km2", "square kilometres": "km2", "acres": "acres"}  # fmt: skip
_ALL_FLOORS = r"(?:above and (?:also )?(?:below|under)|including|both|under ?ground and)"
_BELOW = r"\b(?:below ground|underground|basements?|below the ground|beneath)\b"
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
# Keys that name one person, whom a page may link under another name than it shows.
_MAKERS = frozenset("founded_by founder built_by builder commissioned_by patron client".split())
_PEOPLE = ("key_people", "keypeople", "key_person", "leadership", "leaders")
# How a question asks for a role -> how a list of people gives it in brackets.
_ROLES = (
    (
        r"ceo|chief executive(?: officer)?|boss|in charge|(?:at )?the helm|heads?|runs?|running",
        r"CEO|chief executive(?: officer)?",
    ),
    (r"cfo|chief financial officer", r"CFO|chief financial officer"),
    (r"coo|chief operating officer", r"COO|chief operating officer"),
    (r"cto|chief technology officer", r"CTO|chief technology officer"),
    (
        r"chair(?:man|woman|person)?(?: of the board)?",
        r"chair(?:man|woman|person)?|executive chair\w*",
    ),
    (r"president", r"president"),
    (r"managing director", r"managing director|MD"),
    (r"editor(?: in chief)?", r"editor(?:[- ]in[- ]chief)?"),
    (r"founders?|founded", r"(?:co-?)?founder"),
)
_TWO_THINGS = re.compile(r"\band (?:by |in |for )?(?:when|where|who|whom|how|what|which|why)\b")
_POLAR = re.compile(r"(?:is|was|are|were|does|did|do|has|have|had)\b")


def read(asked: Asked, names: Names) -> list[Reading]:
    """The readings of a question; none of entities that bear one name where several answer it."""
    found = subjects(asked, names)
    readings = list(comparisons(asked, found))
    if compares(plain_rest(asked, list({each.span for each in found}))):
        return readings
    for hop in hops(asked, found, names):
        readings += of_one(asked, hop.rest, hop.subject, hop.call)
    for span in sorted({each.span for each in found}, key=lambda span: -len(span)):
        rest = plain_rest(asked, [span])
        alike = [each for each in found if each.span == span]
        several = [list(_of_named(asked, rest, each)) for each in alike]
        answering = [each for each in several if each]
        if len(answering) == 1 or len({each.shown for each in alike}) > 1:
            readings += [reading for each in answering for reading in each]
    return readings


def _of_named(asked: Asked, rest: str, about: Subject) -> Iterator[Reading]:
    yield from premises(rest, about, asked.at)
    yield from of_one(asked, rest, about, _call(about.name))


def of_one(asked: Asked, rest: str, about: Subject, call: str) -> Iterator[Reading]:
    """The readings of a question about one entity; `call`: the program that fetches it."""
    if _TWO_THINGS.search(rest):
        return
    inner = within(rest)
    if not inner:
        yield from rulers(rest, about, call)
        yield from times(asked, rest, about, call)
        yield from choices(rest, about, call)
        yield from polar(rest, about, call)
        yield from features(rest, about, call)
    if form_of(rest) is Form.AGE:
        return
    if _POLAR.match(rest) and not re.search(r"\b(?:who|what|when|where|which|how)\b", rest):
        return
    most: int | None = None
    for asking in askings(rest, about.facts):
        if most is not None and len(asking.explained) < most:
            break
        if not all(asking.explained & phrase for phrase in inner):
            continue
        reading = _reading(asked, rest, about, asking, call)
        if reading:
            most = len(asking.explained)
            yield reading
    if not inner:
        yield from roles(rest, about, call)
        if most is None or form_of(rest) is not Form.COUNT:  # the infobox knows the number better
            yield from said(rest, about, call)


def roles(rest: str, about: Subject, call: str) -> Iterator[Reading]:
    """ "who is the ceo of xx": the one of an organisation's people with that role in brackets."""
    key = first_key(about.facts, _PEOPLE)
    for cue, role in _ROLES if key else ():
        match = re.search(rf"\b(?:{cue})\b", rest)
        if key and match and explained(rest, frozenset(match.group().split()), [about]):
            yield Reading(_value(call, key), WithRole(role))
            return


def _reading(asked: Asked, rest: str, about: Subject, asking: Asking, call: str) -> Reading | None:
    """What asks for one key, where that and what picks among its values explain the question."""
    told = asking.explained | _told_besides(rest, asking)
    row = row_of(rest, asking.key, told, about.facts)
    if row:
        asking = replace(asking, key=row.key)
        told |= row.told
        rest = YEAR.sub(" ", rest) if any(word.isdigit() for word in row.told) else rest
    value = about.facts[asking.key]
    composer = _composer(asked, rest, about, asking)
    picked = picking(rest, asking.key, value)
    part = part_of(rest, told, value) if asking.kind is Kind.COUNT else None
    if picked and explained(
        YEAR.sub("", rest) if picked.year else rest, told | picked.told, [about]
    ):
        composer = Picked(picked, composer)
    elif part and "floor" not in asking.key and explained(rest, told | {part}, [about]):
        composer = CountOf(part)
    elif not explained(_without_known_year(asked, rest, about, asking), told, [about]):
        return None
    return Reading(_value(call, asking.key), composer)


def _without_known_year(asked: Asked, rest: str, about: Subject, asking: Asking) -> str:
    """A question without the year that its answer is of, as the page says."""
    year = YEAR.search(rest)
    lately = asked.at.year - _LATELY if asked.at else 0
    if year and canonical(asking.key) in _LASTING and lately <= int(year[1]) <= lately + _LATELY:
        return YEAR.sub(" ", rest)
    known = year and asking.kind is not Kind.DATE and of_year(about.facts, asking.key, year[1])
    return YEAR.sub(" ", rest) if known else rest


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
    value = about.facts.get(asking.key)
    if form_of(rest) is Form.WHO and asking.key == "first_ascent":
        return By()
    if form_of(rest) is Form.WHO and isinstance(value, str) and asking.key in _MAKERS:
        return Ruler(about.summary)
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
