"""Questions about the films that people were in or made: lists, counts, the first, the best."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from models.kg.english.movie.credits import Filmography
from models.kg.english.movie.keys import COUNTS, GENRES, JOBS, ORDINALS, PLAYED
from models.kg.english.movie.things import Seen, Thing
from models.kg.english.movie.words import FILM, KIND, PERSON, is_polar, unexplained
from models.kg.english.movie.years import years_of
from models.kg.english.reading import Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked

_ACT = (
    r"act(?:ed|s|ing)?|appear(?:ed|s|ing|ance|ances)?|(?:co ?)?star(?:red|s|ring)?"
    r"|play(?:ed|s|ing)?"
    r"|cast|perform(?:ed|s)?|featur(?:ed|ing|es?)|portray(?:ed)?|been in|was in|were in"
    r"|(?:is|be|are) in|roles?|filmography|(?:with|of|starring) (?:\w+ )?xperson"
)
_DIRECT = (
    r"direct(?:ed|s|ing|ion|or|orial)?|helm(?:ed)?|film ?maker|behind the camera"
    r"|in the director chair|at the helm"
)
_MAKE = (
    r"involved|production|work(?:ed|s)?|participat\w+|contribut\w+|part of|credits?|credited"
    r"|associated|made|make|had a hand in"
)
_HIGH = r"(?:highest|best|top|biggest|most|greatest)"
_LOW = r"(?:lowest|worst|least|smallest)"
_MONEY = (
    r"(?:gross\w*|earn\w*|box office\w*|revenues?|money|successful|profitable|selling|lucrative)"
)
# How the films are put in order: the key, and whether the greatest comes first.
_ORDERS: tuple[tuple[str, str, bool], ...] = (
    (r"latest|most recent(?:ly)?|newest|last|recent|final", "release_date", True),
    (
        r"first|earliest|oldest|debut(?:ed|s)?|(?:start|began|beg[iu]n|launch|kick)\w* (?:off )?"
        r"(?:\w+ ){0,2}?career",
        "release_date",
        False,
    ),
    (r"most expensive|(?:highest|biggest|largest) budget", "budget", True),
    (r"cheapest|least expensive|(?:lowest|smallest) budget", "budget", False),
    (
        rf"{_HIGH} (?:\w+ ){{0,4}}?{_MONEY}|biggest (?:hits?|blockbusters?)|{_MONEY} the most"
        r"|made the most|(?:gross|earn|ma[dk]e|rak|pull|brought|took)\w* (?:\w+ )?(?:the )?most"
        r"|box office",
        "revenue",
        True,
    ),
    (rf"{_LOW} (?:\w+ ){{0,4}}?{_MONEY}|biggest flop|{_MONEY} the least", "revenue", False),
    (
        rf"{_HIGH} (?:\w+ )?(?:rat\w*|scor\w*|review\w*)|best (?:received|critically)",
        "rating",
        True,
    ),
    (rf"{_LOW} (?:\w+ )?(?:rat\w*|scor\w*|review\w*)", "rating", False),
    (r"longest", "length", True),
    (r"shortest", "length", False),
)
# What puts films in an order of which the KG knows nothing.
_OTHER_ORDERS = (
    r"best|greatest|most|least|top|biggest|highest|lowest|worst|popular|famous|favou?rite"
    r"|iconic|breakthrough|breakout|notable|known for"
)
_SAID = frozenset(
    """
    latest most recent recently newest last first earliest oldest highest lowest biggest top
    best worst between during before after since until from more than grossing successful
    profitable selling earning least expensive cheapest longest shortest largest smallest
    greatest second third fourth fifth rated budget and released both together lucrative hits
    later earlier or onwards onward any ever
    """.split()
)


def _fits(seen: Seen, allowed: Collection[str]) -> bool:
    count = unexplained(seen.rest, {*allowed, *seen.year_words})
    return count is not None and count <= 1


def parts_of(rest: Asked) -> list[tuple[str, tuple[str, ...]]]:
    """The lists of credits that are meant, each with its conditions."""
    crew: tuple[str, tuple[str, ...]] = ("crew", ())
    direct = ("crew", ('eq(job, "Director")',))
    if rest.match(_DIRECT) and not rest.match(rf"director {PERSON}"):
        return [direct]
    for pattern, jobs in JOBS:
        if rest.match(pattern) and jobs != ("Director",) and not rest.match("involved|production"):
            return [("crew", (f"eq(job, {quoted(job)})",)) for job in jobs]
    if rest.match(_MAKE):
        return [("cast", ()), crew]
    if rest.match(_ACT):
        return [("cast", ())]
    if rest.match(rf"by (?:\w+ ){{0,2}}?{PERSON}"):
        return [direct, ("cast", ())]
    if rest.match(rf"{PERSON} (?:\w+ ){{0,3}}?{KIND}"):
        return [("cast", ()), crew]
    return [("cast", ())] if rest.match(rf"in (?:\w+ )?{PERSON}|{PERSON} (?:\w+ )?in") else []


def read_films(seen: Seen, people: Sequence[Thing]) -> Iterator[Reading]:
    """The readings of a question about the films of one person, or those of several together."""
    rest = seen.rest
    if not rest.match(KIND) and not rest.match(rf"{_ACT}|{_DIRECT}"):
        return
    if rest.match(r"who|whom|whose|character|why|where|oscars?|awards?|age|old"):
        return
    years, parts = years_of(rest), parts_of(rest)
    if years is None or not parts:
        return
    counts = _counts(rest)
    said = {*_SAID, *map(str, counts), *(word for name in GENRES for word in name.split())}
    said |= {
        word.text for word in rest.words if re.fullmatch(r"(?:(?:19|20)\d|[3-9])0s", word.text)
    }
    if not _fits(seen, said):
        return
    answer = _asked(rest, counts[0] if counts else None, len(people))
    if answer is None:
        return
    text = people[0].text if len(people) == 1 else f"[{', '.join(p.text for p in people)}]"
    programs = [credits(part, text, (*where, *years.conditions)) for part, where in parts]
    if answer.how == "any" and years.conditions and parts_of(rest)[0][1] and len(parts) == 1:
        programs.insert(0, credits(parts[0][0], text, parts[0][1]))
        answer = replace(answer, how="settled")
    if len(parts) > 1 and parts[0][0] != parts[1][0] and parts[0][1]:
        for program in programs:  # films directed, else films acted in
            yield Reading(program, answer)
    else:
        yield Reading("; ".join(programs), answer)


def _counts(rest: Asked) -> list[int]:
    """How many films are asked for, as the question says it."""
    found = [int(number) for number in re.findall(r"\b(\d{1,2})\b", rest.plain)]
    return found + [COUNTS[w.text] for w in rest.words if w.text in COUNTS and w.text != "one"]


def credits(part: str, people: str, where: Sequence[str]) -> str:
    """A call for the films of people."""
    conditions = f", [{', '.join(where)}]" if where else ""
    return f'ALL get_movie_person_{part}(None, {people}{conditions})["movie_name"]'


def order_of(rest: Asked) -> tuple[str, bool] | None:
    """The key by which films are put in order, and whether the greatest comes first."""
    return next(((key, down) for pattern, key, down in _ORDERS if rest.match(pattern)), None)


def _asked(rest: Asked, most: int | None, people: int) -> Filmography | None:
    """What is asked of the films; None where that is not understood."""
    order = order_of(rest)
    lead = rest.match(
        r"(?:lead|leading|main|title|starring) (?:role|actor|actress|character|part)s?"
    )
    films = Filmography(genre=_genre(rest), lead=lead is not None)
    if is_polar(rest):
        return None if order else replace(films, how="any")
    place = next((ORDINALS[w.text] for w in rest.words if w.text in ORDINALS), None)
    if order is None and place is not None and most is None:
        return _nth(films, rest, place)
    if order is not None:
        debut = order == ("release_date", False) and people == 1
        return _placed(replace(films, alone=debut), rest, order, most)
    now = rest.at.date().isoformat() if rest.at else None
    if rest.match(rf"(?:combined|average|sum)|{_OTHER_ORDERS}"):
        return None
    if rest.match(r"how many|number of|count|total"):
        # the KG may lack films that a person is in
        known = people > 1 or rest.match(_DIRECT)
        return replace(films, how="count", until=now) if known else None
    if rest.match(rf"when|how much|how long|{'|'.join(ORDINALS)}"):
        return None
    single = rest.match(
        r"(?:the|a|an|what|which|what was the name of the) (?:\w+ )??(?:film|movie)"
    )
    return replace(films, most=most, single=single is not None and most is None)


def _placed(
    films: Filmography, rest: Asked, order: tuple[str, bool], most: int | None
) -> Filmography | None:
    key, down = order
    now = rest.at.date().isoformat() if rest.at else None
    films = replace(films, sort=key, descending=down, until=now, place=1)
    films = replace(films, features=key == "release_date")
    attribute = _attribute_of_one(rest)
    if attribute is not None:
        template = "${:,}" if attribute in ("budget", "revenue") else "{}"
        return replace(films, key=attribute, template=template) if most is None else None
    if rest.match(r"how many|how much|how long|who|second|third"):
        return None
    if rest.match(r"when|what year|which year|release date"):
        return replace(films, key="release_date") if key == "release_date" else None
    return replace(films, place=None, most=most) if most is not None else films


def _nth(films: Filmography, rest: Asked, place: int) -> Filmography | None:
    """The film at a place of those that came out, the first at 1."""
    if rest.match(r"how many|how much|how long|who"):
        return None
    now = rest.at.date().isoformat() if rest.at else None
    when = rest.match(r"when|what year|which year|release date") is not None
    key = "release_date" if when else films.key
    return replace(films, key=key, sort="release_date", until=now, place=place, features=True)


def _attribute_of_one(rest: Asked) -> str | None:
    """The attribute that is asked of a film that is told by its place: "the budget of the last"."""
    noun = r"(?: \w+){0,3}? (?:of|for|from|did|does|has|have|is|was)"
    if rest.match(r"how much") and rest.match(
        r"(?:gross|earn|ma[dk]e|rake|bring|pull|take)(?: in)?$"
    ):
        return "revenue"
    for key, pattern in (
        ("revenue", r"box office|revenues?|gross|earnings|takings"),
        ("budget", r"budget|production cost"),
        ("length", r"runtime|running time|length|duration"),
        ("genres", r"genres?"),
        ("rating", r"rating|score"),
    ):
        if rest.match(rf"(?<!highest )(?<!lowest )(?<!most )(?:{pattern}){noun}"):
            return key
    return None


def _genre(rest: Asked) -> str | None:
    if rest.match("feature films?"):
        return None
    return next((GENRES[name] for name in GENRES if rest.match(name)), None)


_SMALL = r"(?:(?:the|a|an|role|part|character|of|as) )*"


def with_role(seen: Seen, person: Thing) -> Iterator[Reading]:
    """The films in which a person plays a role, which may be named as a film is."""
    rest = seen.rest
    match = re.search(
        rf"\b(?:which|what|in which|name) (?:\w+ )?{KIND} (?:\w+ ){{0,2}}?{PERSON} (?:{PLAYED}) "
        rf"{_SMALL}(?P<role>.+?)(?: in)?$",
        rest.plain,
    )
    if match is None or re.search(r"\d|\b(?:lead|main|leading|title|role|part)\b", match["role"]):
        return
    role = match["role"]
    if FILM in role.split():
        if role != FILM or not seen.films:
            return
        role = seen.films[0].name
    if len(role.split()) > 4 or not _fits(seen, role.split()):
        return
    program = f'ALL get_movie_person_cast(None, {person.text})["movie_name"]'
    yield Reading(program, Filmography(role=role))
