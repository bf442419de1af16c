"""Questions about the people of one film: who played a role, who made it, who leads its cast."""

import re
from collections.abc import Collection, Iterator

from models.kg.english.movie.compose import Credited, Leads, Player, Players
from models.kg.english.movie.keys import CAST, COUNTS, JOBS, PLAYED
from models.kg.english.movie.things import Seen, Thing
from models.kg.english.movie.words import FILM, PERSON, unexplained
from models.kg.english.reading import Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked
from utils.text import stem

_IN = r"(?:in|for|from|on|of)"
_CALLED = (
    r"(?:(?:the|(?:19|20)\d\d|film|movie|motion picture|picture|flick|called|titled|original"
    r"|named) )*"
)
_OF_THE_ROLE = r"(?:(?:the|a|an|role|roles|part|parts|character|characters|of|as|named|called) )*"
_WHO = r"(?:who|whom|which (?:\w+ )?(?:actor|actress|performer|star)|what (?:actor|actress))"
_NAMESAKE = (
    r"(?:(?:of|with|by|that has|bearing|sharing) )?(?:the |that )?same (?:name|title)"
    r"|eponymous|namesake|self titled|titular"
)
# Where the role stands that a question asks the player of.
_ROLES = tuple(
    re.compile(rf"\b{pattern}")
    for pattern in (
        rf"(?:{PLAYED}) {_OF_THE_ROLE}(?P<role>(?!{FILM}|by\b).+?)"
        rf" (?:(?:character|role|part) )?{_IN} {_CALLED}{FILM}\b",
        rf"{FILM}\b(?: \w+)*? {_WHO}(?: \w+)*? (?:{PLAYED}) {_OF_THE_ROLE}(?P<role>.+)$",
        rf"(?:the )?(?:role|part|character) of (?P<role>(?!{FILM}).+?)"
        rf" {_IN} {_CALLED}{FILM}\b",
        rf"(?:is|was|were|are) (?:the )?(?P<role>(?!{FILM})\w+(?: \w+){{0,3}}?) "
        rf"(?:played|portrayed|voiced) by(?: whom)? {_IN} {_CALLED}{FILM}\b",
        rf"(?:role|part|character) of (?P<role>(?!{FILM}).+?) (?:is|was|were|are|being) "
        r"(?:played|portrayed|voiced|performed|taken)",
        rf"{FILM} (?:is|was) (?:the )?(?:role|part|character)?(?: of)? ?(?P<role>.+?) "
        r"(?:played|portrayed|voiced|performed) by",
        rf"(?:bring|brings|brought|breathed life into) {_OF_THE_ROLE}(?P<role>(?!{FILM}).+?)"
        rf"(?: to life)? {_IN} {_CALLED}{FILM}\b",
        rf"(?:(?:is|was|are|were) )?(?:the )?(?:voice|actor|actress|star|man|woman|person|performer"
        r"|player|people)(?:s|es)?"
        rf"(?: \w+)?? (?:of|behind|as) (?P<role>(?!{FILM}).+?) {_IN} {_CALLED}{FILM}\b",
    )
)
_NO_NAME = (
    r"main|lead|leading|leads|title|titular|principal|central|protagonists?|roles?|parts?"
    r"|characters?|villain|hero|heroine|antagonist|what|which|who|movie|film"
)
_MAIN = r"(?:main|lead|leading|principal|central|primary|key|title|titular)"
_LONGEST_ROLE = 5  # words


def about(seen: Seen, film: Thing, year: int | None) -> Iterator[Reading]:
    """The readings of what is asked about the people of a film."""
    yield from _role(seen, film, year)
    yield from _namesake(seen, film, year)
    yield from _crew(seen, film, year)
    yield from _cast(seen, film, year)


def people_of(part: str, film: Thing, year: int | None = None, *more: str) -> str:
    """A call for the names in a film's cast or crew."""
    conditions = [f"eq(year, {year})"] if year else []
    conditions += more
    where = f", [{', '.join(conditions)}]" if conditions else ""
    return f'ALL get_movie_person_{part}({film.text}, None{where})["name"]'


def _fits(seen: Seen, year: int | None, allowed: Collection[str] = ()) -> bool:
    count = unexplained(seen.rest, {*allowed, *([str(year)] if year else [])})
    return count is not None and count <= 1


def _role(seen: Seen, film: Thing, year: int | None) -> Iterator[Reading]:
    """Who plays a role, which stands after the verb or in apposition to it."""
    match = next((m for m in (p.search(seen.rest.plain) for p in _ROLES) if m), None)
    if match is None:
        return
    role = re.sub(
        r"(?: (?:is|was|were|are))? (?:played|portrayed|voiced)(?: by)?$", "", match["role"]
    )
    if re.search(rf"\b(?:{_NO_NAME}|{PERSON}|or)\b", role):
        return
    roles = _each_role(seen, role, match.start("role"))
    if len(roles) > 1:
        said = role.split()
        if all(len(each.split()) <= _LONGEST_ROLE for each in roles) and _fits(seen, year, said):
            yield Reading(people_of("cast", film, year), Players(roles))
        return
    if len(role.split()) <= _LONGEST_ROLE and _fits(seen, year, role.split()):
        last = role.split()[-1]
        plural = last.endswith("s") and stem(last) != last and seen.rest.match(rf"the {role}")
        yield Reading(people_of("cast", film, year), Player(role, plural is not None))


def _each_role(seen: Seen, role: str, start: int) -> tuple[str, ...]:
    """The roles that stand one after another, with "and" or a comma between them."""
    first = seen.rest.plain[:start].count(" ")
    roles: list[list[str]] = [[]]
    for word in seen.rest.words[first : first + len(role.split())]:
        if word.text in ("and", "&"):
            roles.append([])
            continue
        roles[-1].append(word.text)
        if seen.rest.text[word.start : word.end].endswith(","):
            roles.append([])
    return tuple(" ".join(each) for each in roles if each)


def _namesake(seen: Seen, film: Thing, year: int | None) -> Iterator[Reading]:
    """Who plays the role that the film is named after; else its first one, where that is asked."""
    rest = seen.rest
    same = rest.match(rf"(?:{PLAYED}) {_OF_THE_ROLE}{FILM}\b.*(?:{_NAMESAKE})")
    title = rest.match(r"(?:title|titular|eponymous) (?:role|part|character|hero|heroine)s?")
    if (same or title) and rest.match("who|whom|which|what|name") and _fits(seen, year, ["same"]):
        program = people_of("cast", film, year)
        yield Reading(program, Player(film.name))
        if title and rest.match(rf"{PLAYED}|actor|actress"):
            yield Reading(program, Leads(1))


def _crew(seen: Seen, film: Thing, year: int | None) -> Iterator[Reading]:
    rest = seen.rest
    for pattern, jobs in JOBS:
        match = rest.match(pattern)
        if match is None:
            continue
        if jobs == ("Producer",) and rest.match(r"company|companies|studios?"):
            return
        numbered = ("second", "first") if jobs[0].startswith(("Second", "First")) else ()
        said = re.findall(r"[a-z]+", pattern) if len(jobs) == 1 else ["original"]
        if _fits(seen, year, {*numbered, *(said if numbered else ())}):
            programs = [people_of("crew", film, year, f"eq(job, {quoted(j)})") for j in jobs]
            yield Reading("; ".join(programs), Credited())
        return
    match = rest.match(
        rf"who (?:is|was|were|are) (?:the )?(?P<job>.+?) (?:of|for|on|in) (?:\w+ )*{FILM}"
    )
    if match and not re.search(rf"{CAST}|\d", match["job"]):
        job = match["job"].removesuffix("s")
        yield Reading(people_of("crew", film, year, f"eq(job, {quoted(job)})"), Credited())


def _cast(seen: Seen, film: Thing, year: int | None) -> Iterator[Reading]:
    rest = seen.rest
    roles = _asks_characters(rest)
    if not (rest.match(CAST) or roles) or rest.match(r"how many|when|where|why"):
        return
    counts = [w.text for w in rest.words if w.text in COUNTS or w.text in map(str, range(2, 11))]
    if not _fits(seen, year, counts):
        return
    ladies = rest.match(r"actress(?:es)?|lady|ladies|women|woman|female|heroine") is not None
    men = rest.match(r"(?:male|leading|lead|main) (?:man|men|male)|male (?:lead|star)s?")
    several = rest.match(
        r"cast|actors|actresses|stars|roles|characters|leads|ladies|men|members|protagonists"
    )
    lead = rf"{_MAIN}|leads?|lady|star(?:s|red|ring)?|protagonist|headlin\w+|top billed"
    if counts:
        most = COUNTS.get(counts[0]) or int(counts[0])
    elif several or not rest.match(lead):
        return  # how many of the cast are meant is not said
    else:
        most = 1
    yield Reading(
        people_of("cast", film, year), Leads(most, 1 if ladies else 2 if men else None, roles)
    )


def _asks_characters(rest: Asked) -> bool:
    """Whether main characters are asked for, rather than who plays them."""
    return (
        rest.match(rf"{_MAIN} (?:\w+ )?characters?|protagonists?|characters? names?") is not None
        and rest.match(rf"{PLAYED}|actors?|actress(?:es)?|stars?|cast|performers?|voices?") is None
    )
