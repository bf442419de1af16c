"""Questions about people of film: their birthdays, the films they were in or made."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from models.kg.english.compose import Listed, Value
from models.kg.english.movie.compose import Age, Filmography, Involved, Named, Year
from models.kg.english.movie.things import Seen, Thing
from models.kg.english.movie.words import (
    BIRTH,
    COUNTS,
    FILM,
    GENRES,
    JOBS,
    KIND,
    ORDINALS,
    PERSON,
    PLAYED,
    is_polar,
    unexplained,
)
from models.kg.english.question import Asked
from models.kg.english.reading import Reading
from models.kg.language.printer import quoted

_ACT = (
    r"act(?:ed|s|ing)?|appear(?:ed|s|ing|ance|ances)?|star(?:red|s|ring)?|play(?:ed|s|ing)?|cast"
    r"|perform(?:ed|s)?|featur(?:ed|ing|es?)|feature|portray(?:ed)?|been in|was in|were in|(?:is|be|are)"
    r" in|roles?|filmography"
)
_DIRECT = r"direct(?:ed|s|ing|ion|or|orial)?|helm(?:ed)?|film ?maker|behind the camera"
_MAKE = (
    r"involved|production|worked|participat\w+|contribut\w+|part of|credits?|associated|made|make"
)
_ORDERS: tuple[tuple[str, str, bool], ...] = (
    (r"latest|most recent(?:ly)?|newest|last|recent", "release_date", True),
    (r"first|earliest|oldest|debut(?:ed|s)?", "release_date", False),
    (
        r"highest grossing|most successful|top grossing|biggest|(?:most|highest|greatest|top) "
        r"(?:\w+ )?(?:money|box office|revenue|earning|gross\w*)|grossed the most|earned the most"
        r"|made the most|best selling|most profitable|box office",
        "revenue",
        True,
    ),
    (r"lowest grossing|least successful|lowest (?:\w+ )?(?:revenue|box office)", "revenue", False),
    (
        r"(?:highest|best|top) rat\w*|highest (?:\w+ )?(?:rating|score)|best reviewed",
        "rating",
        True,
    ),
    (r"(?:lowest|worst) rat\w*|lowest (?:\w+ )?(?:rating|score)", "rating", False),
    (r"most expensive|(?:highest|biggest|largest) budget", "budget", True),
    (r"cheapest|least expensive|(?:lowest|smallest) budget", "budget", False),
    (r"longest", "length", True),
    (r"shortest", "length", False),
)
_SAID = frozenset(
    """
    latest most recent recently newest last first earliest oldest highest lowest biggest top best
    worst between during before after since until from more than grossing successful profitable
    selling earning least expensive cheapest longest shortest largest smallest greatest second third
    rated budget and released both together
    """.split()
)


@dataclass(frozen=True, slots=True)
class _Years:
    """A time by years: from `first` to `last`, either open; `asked` are its words."""

    first: int | None = None
    last: int | None = None

    @property
    def conditions(self) -> list[str]:
        if self.first is not None and self.first == self.last:
            return [f"eq(year, {self.first})"]
        found = [f"ge(year, {self.first})"] if self.first is not None else []
        return found + ([f"le(year, {self.last})"] if self.last is not None else [])


_Y = r"((?:19|20)\d\d)"


def years_of(rest: Asked) -> _Years | None:
    """The years that films came out in; None where a time is not understood."""
    for pattern, first, last in (
        (rf"(?:between|from) {_Y} (?:and|to|until|till|through) {_Y}", 0, 0),
        (rf"{_Y} (?:and|to|through|until) {_Y}", 0, 0),
        (rf"(?:since|from) {_Y}(?: on(?:wards?)?)?", 0, None),
        (rf"(?:before|prior to|until) {_Y}", None, -1),
        (rf"after {_Y}", 1, None),
        (rf"{_Y}", 0, 0),
    ):
        match = rest.match(pattern)
        if match:
            found = [int(group) for group in match.groups()]
            if len(re.findall(_Y, rest.plain)) != len(found):
                return None
            return _Years(
                None if first is None else found[0] + first,
                None if last is None else found[-1] + last,
            )
    decade = rest.match(r"(?P<decade>(?:19|20)\d0)s")
    if decade:
        return _Years(int(decade["decade"]), int(decade["decade"]) + 9)
    ago = rest.match(r"(?P<which>last|this|previous) year")
    if ago and rest.at is not None:
        year = rest.at.year - (ago["which"] != "this")
        return _Years(year, year)
    return None if rest.match(r"years?|decades?|months?|\d+") and rest.match(r"\d+") else _Years()


def read(seen: Seen) -> Iterator[Reading]:
    """The readings of a question about people, and perhaps a film."""
    if not seen.people:
        return
    if len(seen.people) == 1 and not seen.films:
        yield from _birthday(seen, seen.people[0])
        yield from _with_role(seen, seen.people[0])
        yield from _films(seen, seen.people)
    elif not seen.films:
        if not seen.rest.match(r"who|whose|older|younger|elder|more|fewer"):
            yield from _films(seen, seen.people)
    elif len(seen.people) == 1 and len(seen.films) == 1:
        yield from _together(seen, seen.people[0], seen.films[0])
    elif len(seen.people) == 1 and len(seen.films) == 2:
        yield from _involved(seen, seen.people[0])


def _fits(seen: Seen, allowed: Collection[str], most: int = 1) -> bool:
    count = unexplained(seen.rest, {*allowed, *seen.year_words})
    return count is not None and count <= most


def _birthday(seen: Seen, person: Thing) -> Iterator[Reading]:
    rest = seen.rest
    if rest.match(r"how old|age|what age") and rest.at and not seen.years:
        if _fits(seen, ("today", "now")) and not rest.match(r"when|was|at the time|did|than"):
            program = f'ALL get_person({person.text})["birthday"]'
            yield Reading(program, Age(rest.at.date().isoformat()))
        return
    if not rest.match(BIRTH) or rest.match(r"where|place|city|country") or seen.years:
        return
    if not _fits(seen, ("first",)) or is_polar(rest):
        return
    year = rest.match(r"(?:what|which|birth|the) year|year of birth") and not rest.match(
        r"dates?|day"
    )
    program = f'ALL get_person({person.text})["birthday"]'
    yield Reading(program, Year() if year else Value())


def about(seen: Seen, person: Thing) -> Iterator[Reading]:
    """The readings of what is asked about a person that the question describes."""
    yield from _birthday(seen, person)


def _part(rest: Asked, person: str) -> list[tuple[str, tuple[str, ...]]]:
    """The lists of credits that are meant, each with its conditions."""
    crew = ("crew", ())
    direct = ("crew", ('eq(job, "Director")',))
    if rest.match(_DIRECT) and not rest.match(rf"director {PERSON}"):
        return [direct]
    for pattern, jobs in JOBS:
        if rest.match(pattern) and jobs != ("Director",) and not rest.match(r"involved|production"):
            return [("crew", (f"eq(job, {quoted(job)})",)) for job in jobs]
    if rest.match(_MAKE):
        return [("cast", ()), crew]
    if rest.match(_ACT):
        return [("cast", ())]
    if rest.match(rf"{PERSON} (?:\w+ )?{KIND}|{KIND} (?:\w+ )?(?:by|of) (?:\w+ )?{PERSON}"):
        return (
            [direct, ("cast", ())] if rest.match(rf"by (?:\w+ )?{PERSON}") else [("cast", ()), crew]
        )
    if rest.match(rf"in (?:\w+ )?{PERSON}|{PERSON} (?:\w+ )?in"):
        return [("cast", ())]
    return []


def _films(seen: Seen, people: Sequence[Thing]) -> Iterator[Reading]:
    rest = seen.rest
    if not rest.match(KIND) and not rest.match(rf"{_ACT}|{_DIRECT}"):
        return
    if rest.match(r"who|whom|whose|character|why|where") or rest.match("oscars?|awards?"):
        return
    years = years_of(rest)
    parts = _part(rest, PERSON)
    if years is None or not parts:
        return
    genre = next((GENRES[g] for g in GENRES if rest.match(g)), None)
    if rest.match("feature films?"):
        genre = None
    order = next(((key, down) for pattern, key, down in _ORDERS if rest.match(pattern)), None)
    counts = [int(m) for m in re.findall(r"\b(\d{1,2})\b", rest.plain)]
    counts += [COUNTS[w.text] for w in rest.words if w.text in COUNTS and w.text != "one"]
    most = counts[0] if counts else None
    said = {*_SAID, *map(str, counts), *(f"{y // 10 * 10}s" for y in seen.years), *_genre_words()}
    said |= {f"{y}s" for y in range(1900, 2030, 10)}
    if not _fits(seen, said):
        return
    text = people[0].text if len(people) == 1 else f"[{', '.join(p.text for p in people)}]"
    programs = [_credits(part, text, (*where, *years.conditions)) for part, where in parts]
    answer = _asked(rest, genre, order, most)
    if answer is None:
        return
    if len(parts) == 2 and parts[0][0] != parts[1][0] and parts[0][1]:
        for program in programs:  # films directed, else films acted in
            yield Reading(program, answer)
    else:
        yield Reading("; ".join(programs), answer)


def _genre_words() -> set[str]:
    return {word for name in GENRES for word in name.split()}


def _credits(part: str, people: str, where: Sequence[str]) -> str:
    conditions = f", [{', '.join(where)}]" if where else ""
    return f'ALL get_movie_person_{part}(None, {people}{conditions})["movie_name"]'


def _asked(
    rest: Asked, genre: str | None, order: tuple[str, bool] | None, most: int | None
) -> Filmography | None:
    """What is asked of the films."""
    now = rest.at.date().isoformat() if rest.at else None
    lead = rest.match(
        r"(?:lead|leading|main|title|starring) (?:role|actor|actress|character|part)s?"
    )
    films = Filmography(genre=genre, lead=lead is not None)
    if is_polar(rest):
        return None if order else replace(films, how="any")
    if order is None:
        if rest.match(r"how many|number of|count"):
            if not rest.match(_DIRECT):
                return None  # the KG may lack films that a person is in
            return replace(films, how="count", until=now)
        if rest.match(r"(?:total|combined|average|sum)"):
            return None
        if rest.match(rf"when|how much|how long|{'|'.join(ORDINALS)}"):
            return None
        return replace(films, most=most)
    key, down = order
    films = replace(films, sort=key, descending=down, until=now, place=1)
    if rest.match(r"how many|how much|how long|who") or rest.match(r"second|third"):
        return None
    if rest.match(r"when|what year|which year|release date"):
        return replace(films, key="release_date") if key == "release_date" else None
    if most is not None:
        return replace(films, place=None, most=most)
    return films


def _with_role(seen: Seen, person: Thing) -> Iterator[Reading]:
    """The films in which a person plays a role, which may be named as a film is."""
    rest = seen.rest
    match = rest.match(
        rf"(?:which|what|in which|name) (?:\w+ )?{KIND} (?:\w+ ){{0,2}}?{PERSON} (?:{PLAYED}) "
        rf"(?:(?:the|a|an|role|part|character|of|as) )*(?P<role>.+?)(?: in)?"
    )
    match = match and rest.match(match.re.pattern[2:-2] + "$")
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


def _together(seen: Seen, person: Thing, film: Thing) -> Iterator[Reading]:
    """A person and a film: the role, whether the person is in it, films before it."""
    rest = seen.rest
    credited = 'get_movie_person_{part}({film}, None{where})["name"]'
    readings = list(_with_role(seen, person))
    if readings:
        yield from readings
        return
    if rest.match(r"before|prior to|after|since"):
        yield from _before(seen, person, film)
        return
    if not _fits(seen, ("first",)):
        return
    if is_polar(rest):
        parts = _part(rest, PERSON) or [("cast", ())]
        for part, where in parts:
            more = f", [{', '.join(where)}]" if where else ""
            program = "ALL " + credited.format(part=part, film=film.text, where=more)
            settles = part == "crew" and bool(where)
            yield Reading(program, Named(person.name) if settles else _OnlyYes(person.name))
    elif rest.match(
        rf"(?:what|which|who|name)(?: \w+)*? (?:{PLAYED}|roles?|characters?|parts?)|roles?"
    ):
        program = f'ALL get_movie_person_cast({film.text}, {person.text})["character"]'
        yield Reading(program, Listed())
    elif rest.match(r"(?:what|which)(?: \w+)*? (?:jobs?|did|do)") and rest.match(
        "jobs?|crew|work"
    ):
        program = f'ALL get_movie_person_crew({film.text}, {person.text})["job"]'
        yield Reading(program, Listed())


@dataclass(frozen=True, slots=True)
class _OnlyYes(Named):
    """A cast may be known in part: a name that is missing there proves nothing."""

    def __call__(self, outcomes: Sequence[object]) -> str | None:
        return "yes" if Named.__call__(self, outcomes) == "yes" else None  # type: ignore[arg-type]


def _before(seen: Seen, person: Thing, film: Thing) -> Iterator[Reading]:
    """Whether a person was in or made any film before another one came out."""
    rest = seen.rest
    match = rest.match(
        rf"{PERSON} (?P<what>.+?) (?P<when>before|prior to|after|since) (?:\w+ ){{0,6}}?{FILM}"
    )
    if (
        match is None
        or not is_polar(rest)
        or not rest.match(r"any|other|another|a")
        or not _fits(seen, ("before", "prior", "after", "since", "any", "other", "another"))
    ):
        return
    parts = _part(rest, PERSON)
    if not parts:
        return
    sign = "lt" if match["when"] in ("before", "prior to") else "gt"
    year = f'get_movie({film.text})["year"]'
    programs = [
        _credits(part, person.text, (*where, f"{sign}(year, {year})")) for part, where in parts
    ]
    yield Reading("; ".join(programs), Filmography("any"))


def _involved(seen: Seen, person: Thing) -> Iterator[Reading]:
    """Whether a person worked on a film before or after another one."""
    rest = seen.rest
    when = rest.match(
        rf"{FILM} (?:\w+ ){{0,3}}?(?P<when>before|prior to|earlier than|ahead of|after|following"
        rf"|later than) (?:\w+ ){{0,4}}?{FILM}"
    )
    said = {"before", "prior", "earlier", "ahead", "after", "following", "later"}
    if when is None or not is_polar(rest) or not _fits(seen, said):
        return
    parts = [part for part in _part(rest, PERSON) if part[1]]
    if len(parts) != 1:
        return
    where = f", [{', '.join(parts[0][1])}]"
    sign = -1 if when["when"] in ("before", "prior to", "earlier than", "ahead of") else 1
    first, second = seen.films
    program = "; ".join(
        (
            f'ALL get_movie_person_{parts[0][0]}({first.text}, None{where})["name"]',
            f'ALL get_movie({first.text})["release_date"]',
            f'ALL get_movie({second.text})["release_date"]',
        )
    )
    yield Reading(program, Involved(person.name, sign))
