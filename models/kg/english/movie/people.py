"""Questions about people of film: their birthdays and ages, and what they did on one film."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from models.kg.english.compose import Listed, Value
from models.kg.english.movie.compose import Named
from models.kg.english.movie.credits import Filmography
from models.kg.english.movie.dates import Age, AgeThen, InTime, Involved, Year
from models.kg.english.movie.filmography import credits, parts_of, read_films, with_role
from models.kg.english.movie.keys import BIRTH, PLAYED, RELEASED
from models.kg.english.movie.things import Seen, Thing
from models.kg.english.movie.words import FILM, PERSON, is_polar, unexplained
from models.kg.english.reading import Reading


def read(seen: Seen) -> Iterator[Reading]:
    """The readings of a question about people, and perhaps a film."""
    if not seen.people:
        return
    if len(seen.people) == 1 and not seen.films:
        yield from _birthday(seen, seen.people[0])
        yield from with_role(seen, seen.people[0])
        yield from read_films(seen, seen.people)
    elif not seen.films:
        if not seen.rest.match(r"who|whose|older|younger|elder|more|fewer"):
            yield from read_films(seen, seen.people)
    elif len(seen.people) == 1 and len(seen.films) == 1:
        yield from _together(seen, seen.people[0], seen.films[0])
    elif len(seen.people) == 1 and len(seen.films) == 2:
        yield from _involved(seen, seen.people[0])


_THEN = r"when|was|at the time|did|than"


def _fits(seen: Seen, allowed: Collection[str], most: int = 1) -> bool:
    count = unexplained(seen.rest, {*allowed, *seen.year_words})
    return count is not None and count <= most


def _birthday(seen: Seen, person: Thing) -> Iterator[Reading]:
    rest = seen.rest
    program = f'ALL get_person({person.text})["birthday"]'
    if rest.match(r"how old|age|what age"):
        now = rest.at if not seen.years else None
        if now and _fits(seen, ("today", "now")) and not rest.match(_THEN):
            yield Reading(program, Age(now.date().isoformat()))
        return
    if not rest.match(BIRTH) or rest.match(r"where|place|city|country"):
        return
    if is_polar(rest):
        yield from _born_in(seen, program)
    elif not seen.years and _fits(seen, ("first",)):
        year = rest.match(r"(?:what|which|birth|the) year|year of birth")
        yield Reading(program, Year() if year and not rest.match(r"dates?|day") else Value())


def _born_in(seen: Seen, program: str) -> Iterator[Reading]:
    """Whether someone was born in a year, before or after it."""
    when = seen.rest.match(r"(?P<when>before|after|in) (?:the year )?(?P<year>(?:19|20)\d\d)$")
    if when and len(seen.years) == 1 and _fits(seen, ("before", "after")):
        sign = {"before": -1, "after": 1}.get(when["when"], 0)
        yield Reading(program, InTime(int(when["year"]), sign))


def about(seen: Seen, person: Thing) -> Iterator[Reading]:
    """The readings of what is asked about a person that the question describes."""
    yield from _birthday(seen, person)


def _together(seen: Seen, person: Thing, film: Thing) -> Iterator[Reading]:
    """A person and a film: the role, whether the person is in it, films before it."""
    rest = seen.rest
    credited = 'get_movie_person_{part}({film}, None{where})["name"]'
    readings = list(with_role(seen, person))
    if readings:
        yield from readings
        return
    if rest.match(r"how old|what age|age of"):
        if rest.match(r"when|at the time") and rest.match(RELEASED) and _fits(seen, ()):
            born = f'ALL get_person({person.text})["birthday"]'
            yield Reading(
                f'{born}; ALL get_movie({film.text})["release_date"]', AgeThen(exact=True)
            )
        return
    if rest.match(r"before|prior to|after|since"):
        yield from _before(seen, person, film)
        return
    if not _fits(seen, ("first",)):
        return
    if is_polar(rest):
        parts = parts_of(rest) or [("cast", ())]
        for part, where in parts:
            more = f", [{', '.join(where)}]" if where else ""
            program = "ALL " + credited.format(part=part, film=film.text, where=more)
            settles = part == "crew" and bool(where)
            yield Reading(program, Named(person.name) if settles else _OnlyYes(person.name))
    elif rest.match(
        rf"(?:what|which|who|name)(?: \w+)*? (?:{PLAYED}|roles?|characters?|parts?)|roles?"
        r"|as (?:who|whom|what)\b"
    ):
        program = f'ALL get_movie_person_cast({film.text}, {person.text})["character"]'
        yield Reading(program, Listed())
    elif rest.match(r"(?:what|which)(?: \w+)*? (?:jobs?|did|do)") and rest.match("jobs?|crew|work"):
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
    parts = parts_of(rest)
    if not parts:
        return
    sign = "lt" if match["when"] in ("before", "prior to") else "gt"
    year = f'get_movie({film.text})["year"]'
    programs = [
        credits(part, person.text, (*where, f"{sign}(year, {year})")) for part, where in parts
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
    parts = [part for part in parts_of(rest) if part[1]]
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
