"""Questions about the films of a series, as far as their titles tell which these are."""

import re
from collections.abc import Iterator, Sequence

from models.kg.english.compose import Listed, Value
from models.kg.english.movie.compose import Player, Union
from models.kg.english.movie.films import composed, key_of
from models.kg.english.movie.keys import COUNTS, ORDINALS, PLAYED
from models.kg.english.movie.words import KIND, unexplained
from models.kg.english.names import MOVIES, Names
from models.kg.english.reading import Reading
from models.kg.language.printer import quoted
from models.kg.linking.question import Asked
from utils.text import words

_SERIES = (
    r"(?:franchise|(?:film |movie )?series|saga|(?:tri|tetra|quadri|penta|duo)logy|collection"
    r"|film universe)"
)
# A name never holds these, which stand around it.
_AROUND = (
    r"(?:which|what|who|all|every|each|in|from|are|is|part|films?|movies?|titles?|names?|list|tell"
    r"|me|belong|make|up|entire|whole|complete|original|famous|popular)"
)
_NAME = rf"(?P<name>(?:(?!{_AROUND}\b|{_SERIES})\S+ ){{1,7}})"
_LEAST = 2  # films that make a series
_PARTS = re.compile(r"\b(?:part|chapter|episode|vol|volume)\b|\b\d{1,2}\b|\b[ivx]{2,4}\b")
_SAID = frozenset(
    """
    franchise series saga trilogy tetralogy quadrilogy pentalogy duology universe collection
    first second third fourth fifth sixth seventh eighth last latest order chronological far
    three four five six
    """.split()
)
_SIZES = (("duology", 2), ("trilogy", 3), ("tetralogy|quadrilogy", 4), ("pentalogy", 5))
_WHOLE = 40  # minutes; what is shorter is no film of a series


def read(asked: Asked, names: Names) -> Iterator[Reading]:
    """The readings of a question about a series."""
    ordinal = "|".join(ORDINALS)
    placed = asked.match(
        rf"(?P<place>{ordinal}|last|latest) (?:\w+ (?:of|in) )?(?:the )?"
        rf"(?P<name>(?:(?!the\b|{_AROUND}\b)\S+ ){{1,4}}?){KIND}"
    )
    if placed:
        yield from _placed(asked, names, placed)
    elif asked.match(_SERIES):
        yield from _listed(asked, names)
        yield from _player(asked, names)


def _named(asked: Asked) -> Iterator[str]:
    """What the name of the series may be, the likeliest first."""
    before = re.search(rf"\b{_NAME}(?:{KIND} )?{_SERIES}\b", asked.plain)
    after = re.search(rf"\b{_SERIES} (?:of|called|named) (?P<name>.+)$", asked.plain)
    for match in (before, after):
        if match is None:
            continue
        name = re.sub(r"^(?:(?:of|the|a) )+", "", match["name"].strip())
        yield name
        if " of " in name:
            yield re.sub(r"^(?:the )+", "", name.rpartition(" of ")[2])


def _films(names: Names, name: str) -> list[dict[str, object]]:
    """The films of a series by the order in which they came out; none where that is not sure.

    They have its name at the beginning or the end of their titles, and were shown for money.
    """
    wanted = words(name)
    if not wanted:
        return []
    queries = [name, f"the {name}", f"{name} 2", f"{name} 3", f"{name} part"]
    replies = names.call_many([(MOVIES.endpoint, query) for query in queries])
    every = [hit for reply in replies for hit in reply or [] if isinstance(hit, dict)]
    hits = {str(hit.get("id")): hit for hit in every}
    films = [hit for hit in hits.values() if _belongs(wanted, words(str(hit.get("title"))))]
    films = [film for film in films if film.get("revenue") and film.get("release_date")]
    films = [film for film in films if not (0 < (film.get("length") or 0) < _WHOLE)]
    films.sort(key=lambda film: str(film["release_date"]))
    titles = [" ".join(words(str(film["title"]))) for film in films]
    return films if len(set(titles)) == len(titles) and _no_gap(titles) else []


def _belongs(wanted: Sequence[str], title: Sequence[str]) -> bool:
    core = list(title[1:]) if title[:1] == ["the"] else list(title)
    length = len(wanted)
    return core[:length] == list(wanted) or (len(core) == length + 1 and core[1:] == list(wanted))


def _no_gap(titles: Sequence[str]) -> bool:
    """Whether those that bear a number are where that number says."""
    for place, title in enumerate(titles, start=1):
        numbers = re.findall(r"\b(\d{1,2})\b", title)
        if len(numbers) == 1 and int(numbers[0]) not in (place, place - 1):
            return False
    return True


def _listed(asked: Asked, names: Names) -> Iterator[Reading]:
    if not asked.match(r"names?|list|titles?|which|what|how many|number of") or asked.match(
        r"who|when|where|most|least|highest|lowest|best|first|last|director|budget|gross\w*"
        r"|actors?|characters?|long|much"
    ):
        return
    found = ((name, _films(names, name)) for name in _named(asked) if _explained(asked, name))
    films = next((films for _, films in found if len(films) >= _LEAST), [])
    size = next((size for word, size in _SIZES if asked.match(word)), None)
    counts = [COUNTS[word.text] for word in asked.words if word.text in COUNTS]
    if not films or any(count != len(films) for count in [*([size] if size else []), *counts]):
        return
    titles = "; ".join(_get(film, "title") for film in films)
    yield Reading(titles, Union(count=asked.match(r"how many|number of") is not None))


def _player(asked: Asked, names: Names) -> Iterator[Reading]:
    """Who plays a role in a series: in the first of its films that has it."""
    role = asked.match(
        rf"(?:{PLAYED}) (?:(?:the|role|part|character|of|as) )*(?P<role>(?:\w+ ){{1,4}}?)in"
    )
    if role is None or not asked.match("who|whom|which act\\w+|what act\\w+"):
        return
    for name in _named(asked):
        said = f"{name} {role['role']}"
        for film in _films(names, name) if _explained(asked, said) else []:
            program = f'ALL get_movie_person_cast({quoted(str(film["title"]))}, None)["name"]'
            yield Reading(program, Player(role["role"].strip()))


def _placed(asked: Asked, names: Names, match: re.Match[str]) -> Iterator[Reading]:
    name = match["name"].strip()
    if not _explained(asked, name):
        return
    films = _films(names, name)
    place = ORDINALS.get(match["place"], 0)
    if len(films) < max(_LEAST, place):
        return
    film = films[place - 1]
    rest = Asked.of(asked.plain.replace(match.group(), "xfilm"), asked.at)
    key = key_of(rest)
    if key is not None:
        known = f", gt({key}, 0)" if key in ("budget", "revenue", "length") else ""
        yield Reading(_get(film, key, known), composed(key, rest))
    elif rest.match(r"direct\w*"):
        yield Reading(
            f'ALL get_movie_person_crew({quoted(str(film["title"]))}, None, eq(job, "Director"))'
            '["name"]',
            Listed(),
        )
    elif rest.match(r"(?:what|which|name|title)") and not rest.match(r"who|how|where|why"):
        yield Reading(_get(film, "title"), Value())


def _get(film: dict[str, object], key: str, known: str = "") -> str:
    return f"ALL get_movie({quoted(str(film['title']))}{known})[{quoted(key)}]"


def _explained(asked: Asked, name: str) -> bool:
    count = unexplained(asked, {*_SAID, *name.split()})
    return count is not None and count <= 1
