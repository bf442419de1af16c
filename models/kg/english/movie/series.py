"""Questions about the films of a series, as far as their titles tell which these are."""

import re
from collections.abc import Iterator, Sequence

from models.kg.english.compose import Listed, Value
from models.kg.english.movie.compose import Union
from models.kg.english.movie.films import composed, key_of
from models.kg.english.movie.words import COUNTS, KIND, ORDINALS, unexplained
from models.kg.english.names import MOVIES, Names
from models.kg.english.question import Asked
from models.kg.english.reading import Reading
from models.kg.language.printer import quoted
from utils.text import words

_SERIES = (
    r"(?:franchise|series|saga|trilogy|tetralogy|quadrilogy|film series|movie series|collection)"
)
_NAME = r"(?:the )?(?P<name>(?:(?!the\b|which\b|what\b|all\b|of\b)\S+ ){1,4}?)"
_LEAST = 2  # films that make a series
_PARTS = re.compile(r"\b(?:part|chapter|episode|vol|volume)\b|\b\d{1,2}\b|\b[ivx]{2,4}\b")
_SAID = frozenset(
    """
    franchise series saga trilogy tetralogy quadrilogy collection first second third fourth fifth
    sixth seventh eighth last latest order chronological far three four five six
    """.split()
)
_WHOLE = 40  # minutes; what is shorter is no film of a series


def read(asked: Asked, names: Names) -> Iterator[Reading]:
    """The readings of a question about a series."""
    listed = asked.match(rf"{_NAME}(?:{KIND} )?{_SERIES}") or asked.match(
        rf"{_SERIES} (?:of|called|named) {_NAME.replace('}}?)', '}})')}"
    )
    ordinal = "|".join(ORDINALS)
    placed = asked.match(rf"(?P<place>{ordinal}|last|latest) (?:\w+ (?:of|in) )?{_NAME}{KIND}")
    if placed:
        yield from _placed(asked, names, placed)
    elif listed:
        yield from _listed(asked, names, listed)


def _films(names: Names, name: str) -> list[dict[str, object]]:
    """The films of a series by the order in which they came out; none where that is not sure.

    They have its name at the beginning or the end of their titles, and were shown for money.
    """
    wanted = words(name)
    if not wanted:
        return []
    queries = [name, f"the {name}", f"{name} 2", f"{name} 3", f"{name} part"]
    hits = {str(hit.get("id")): hit for query in queries for _, hit in names.search(MOVIES, query)}
    films = [hit for hit in hits.values() if _belongs(wanted, words(str(hit["title"])))]
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


def _listed(asked: Asked, names: Names, match: re.Match[str]) -> Iterator[Reading]:
    if not asked.match(r"names?|list|titles?|which|what") or asked.match(
        r"who|when|how|where|most|least|highest|lowest|best|first|last|director|budget|gross\w*"
        r"|actors?|characters?"
    ):
        return
    name = match["name"].strip()
    if not _explained(asked, name):
        return
    films = _films(names, name)
    counts = [COUNTS[word.text] for word in asked.words if word.text in COUNTS]
    if (
        len(films) < _LEAST
        or (asked.match("trilogy") and len(films) != 3)
        or (counts and counts[0] != len(films))
    ):
        return
    yield Reading("; ".join(_get(film, "title") for film in films), Union())


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
