"""Films, the people in them, and a year's Oscars."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from models.kg.baseline.protocol import Fact, Growing, Lookup, facts_of
from models.kg.fetch.protocol import ask, search
from utils.crag_api import Call
from utils.text import FUNCTION_WORDS, words

MOVIE_FACTS = (
    "release_date director crew cast budget revenue rating length genres original_language"
    " original_title oscars"
).split()
PERSON_FACTS = ("birthday", "acted_in", "directed", "oscars")
_USUAL = ("release_date", "director", "cast", "genres", "length", "rating")
_PLAIN = ("release_date", "budget", "revenue", "rating", "length", "original_language",
          "original_title")  # fmt: skip
_FILMS = 3  # with the same title
_CREDITS = 30  # films per person
_NO_CATEGORY = {"best", "award", "awards", "oscar", "oscars"}  # words in every category
_OSCARS = range(1990, 2022)  # the API rejects other years


def tree(lookup: Lookup) -> Growing:
    """Facts by the kind of lookup: a film, a person, or a year."""
    if lookup.kind == "year":
        return (yield from _ceremony(lookup))
    if lookup.kind == "person":
        return (yield from _person(lookup))
    return (yield from _movie(lookup))


def _movie(lookup: Lookup) -> Growing:
    found = yield from search(
        "/movie/get_movie_info", lookup.name, lambda hit: hit.get("title") or ""
    )
    year = lookup.year
    of_year = [film for film in found if year and str(film.get("release_date"))[:4] == year]
    wanted = lookup.wanted or _USUAL
    return [fact for film in (of_year or found)[:_FILMS] for fact in _film(film, wanted)]


def _film(film: Mapping[str, Any], wanted: Sequence[str]) -> Iterator[Fact]:
    title = f"{film.get('title')} ({str(film.get('release_date') or '?')[:4]})"
    crew = film.get("crew") or []
    values: dict[str, Any] = {key: film.get(key) for key in _PLAIN}
    values |= {
        "director": [one["name"] for one in crew if one.get("job") == "Director"],
        "crew": [f"{one['name']} ({one.get('job')})" for one in crew],
        "cast": [_part(one) for one in film.get("cast") or []],
        "genres": [genre.get("name") for genre in film.get("genres") or []],
        "oscars": list(map(_award, film.get("oscar_awards") or [])),
    }
    for money in ("budget", "revenue"):
        values[money] = values[money] or None  # the KG writes 0 for unknown amounts
    yield from facts_of(title, [(_spoken(name), values.get(name)) for name in wanted])


def _part(one: Mapping[str, Any]) -> str:
    return f"{one['name']} as {one['character']}" if one.get("character") else str(one["name"])


def _person(lookup: Lookup) -> Growing:
    people = yield from search(
        "/movie/get_person_info", lookup.name, lambda hit: hit.get("name") or ""
    )
    facts: list[Fact] = []
    for person in people[:1]:
        name, wanted = str(person["name"]), lookup.wanted or PERSON_FACTS
        for what in wanted:
            if what == "birthday":
                facts += facts_of(name, [("birthday", person.get("birthday"))])
            elif what == "oscars":
                awards = list(map(_award, person.get("oscar_awards") or []))
                facts += facts_of(name, [("oscars", awards)])
            else:
                ids = person.get("acted_movies" if what == "acted_in" else "directed_movies")
                films = yield from _titles(ids or [], lookup.year)
                facts += facts_of(name, [(_spoken(what), films)])
    return facts


def _titles(ids: Sequence[int], year: str | None) -> Any:
    """Titles of films by their ids, with their years; only of the requested year, if any."""
    films = yield [Call("/movie/get_movie_info_by_id", {"query": one}) for one in ids[:_CREDITS]]
    known = [(film["title"], str(film.get("release_date") or "?")[:4]) for film in films if film]
    return [f"{title} ({came})" for title, came in known if year in (None, came)]


def _ceremony(lookup: Lookup) -> Growing:
    """The winners of a year's Oscars; categories that share words with the lookup come first."""
    year = lookup.year
    if year is None or int(year) not in _OSCARS:
        return []
    info = (yield from ask("/movie/get_year_info", query=year)) or {}
    awards = info.get("oscar_awards") or []
    asked = set(words(lookup.name)) - FUNCTION_WORDS - _NO_CATEGORY

    def shared(award: Mapping[str, Any]) -> int:
        said = f"{award.get('category')} {award.get('name')} {award.get('film')}"
        return len(asked & set(words(said)))

    chosen = [award for award in awards if award.get("winner") or shared(award)]
    chosen.sort(key=lambda award: (-shared(award), not award.get("winner")))
    return [Fact(f"Oscars of {year}", _state(award), _who(award)) for award in chosen]


def _award(award: Mapping[str, Any]) -> str:
    return f"{_state(award)}: {_who(award)} ({award.get('year_ceremony')})"


def _state(award: Mapping[str, Any]) -> str:
    return f"{award.get('category')}, {'won' if award.get('winner') else 'nominated'}"


def _who(award: Mapping[str, Any]) -> str:
    return f"{award.get('name')}, for {award.get('film')}"


def _spoken(name: str) -> str:
    return name.replace("_", " ")
