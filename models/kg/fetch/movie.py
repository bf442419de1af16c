"""Rows about films, the people in them, and the Oscars."""

from collections.abc import Generator, Sequence
from typing import Any

from models.kg.fetch.protocol import Arguments, Fetch, Fetched, Function, Row, Source, ask, search
from models.kg.match import THRESHOLD, likeness
from utils.crag_api import Call
from utils.text import words

_YEAR_DIGITS = 4  # a title may be a year, or a smaller number; ids in the KG have more digits
_OSCAR_YEARS = range(1990, 2022)  # the API knows these ceremonies, all of them whole
_People = Generator[Sequence[Call], list[Any], list[Any]]


def _year_of(date: Any) -> str | None:
    return str(date)[:4] if date else None


def movie_row(movie: Row) -> Row:
    """A film's own keys, with its year, and its genres as names."""
    genres = [genre.get("name") for genre in movie.get("genres") or [] if genre.get("name")]
    kept = {key: value for key, value in movie.items() if key not in ("cast", "crew", "genres")}
    return {**kept, "genres": genres, "year": _year_of(movie.get("release_date"))}


def _find_movies(name: str) -> _People:
    """The films of a title; a number is the id of one."""
    if name.isdecimal() and len(name) > _YEAR_DIGITS:
        movie = yield from ask("/movie/get_movie_info_by_id", query=int(name))
        return [movie] if isinstance(movie, dict) else []
    return (yield from search("/movie/get_movie_info", name, lambda hit: hit.get("title") or ""))


def _find_people(name: str) -> _People:
    """The people of a name; a number is the id of one."""
    if name.isdecimal():
        person = yield from ask("/movie/get_person_info_by_id", query=int(name))
        return [person] if isinstance(person, dict) else []
    return (yield from search("/movie/get_person_info", name, lambda hit: hit.get("name") or ""))


def get_movie(arguments: Arguments) -> Fetch:
    """The films of one title."""
    name = arguments.text(0)
    found = (yield from _find_movies(name)) if name else []
    return Fetched(tuple(map(movie_row, found)), tuple(movie["title"] for movie in found))


def get_person(arguments: Arguments) -> Fetch:
    """The film people of one name."""
    name = arguments.text(0)
    found = (yield from _find_people(name)) if name else []
    return Fetched(tuple(found), tuple(person["name"] for person in found))


def _credits(part: str, ids: str) -> Function:
    """Rows of cast or crew: of a film, of a person's films, or of the films of several people.

    `ids`: the keys of a person that name the films; the first of them is of this part itself.
    """

    def fetch(arguments: Arguments) -> Fetch:
        title, people, year = arguments.text(0), arguments.names(1), arguments.text(2)
        found: list[Row] = []
        if title is not None:
            movies = yield from _find_movies(title)
            entities = [movie["title"] for movie in movies]
        elif people:
            found, movies = yield from _movies_of(people, ids)
            entities = [person["name"] for person in found]
        else:
            return Fetched()
        rows = [row for movie in movies for row in _part_rows(movie, part)]
        rows += _unlisted(found, movies, rows, ids.split()[0])
        if people:
            rows = _common(rows, people)
        if year is not None:
            rows = [row for row in rows if row["year"] == year]
        return Fetched(tuple(rows), tuple(entities))

    return fetch


def _movies_of(
    people: Sequence[str], ids: str
) -> Generator[Sequence[Call], list[Any], tuple[list[Row], list[Row]]]:
    """The people, and the films that all of them have in common, fetched side by side."""
    common: list[int] | None = None
    known: list[Row] = []
    for name in people:
        found = yield from _find_people(name)
        if not found:
            return known, []
        known.append(found[0])
        own = [movie for key in ids.split() for movie in found[0].get(key) or []]
        common = own if common is None else [movie for movie in common if movie in own]
    wanted = list(dict.fromkeys(common or []))
    movies = yield [Call("/movie/get_movie_info_by_id", {"query": movie}) for movie in wanted]
    return known, [movie for movie in movies if isinstance(movie, dict)]


def _unlisted(
    people: Sequence[Row], movies: Sequence[Row], rows: Sequence[Row], key: str
) -> list[Row]:
    """A row for each film that a person's record names and whose own list lacks the person."""
    listed = {(row["movie_id"], row.get("name")) for row in rows}
    job = {"job": "Director"} if key == "directed_movies" else {}
    return [
        {"name": person["name"], **job, **_of_movie(movie)}
        for person in people
        for movie in movies
        if movie.get("id") in (person.get(key) or [])
        and (movie.get("id"), person["name"]) not in listed
    ]


def _part_rows(movie: Row, part: str) -> list[Row]:
    of_movie = _of_movie(movie)
    return [{**row, **of_movie} for row in movie.get(part) or []]


def _of_movie(movie: Row) -> Row:
    whole = movie_row(movie)
    kept = "year release_date revenue budget rating length genres original_language".split()
    return {
        "movie_name": movie.get("title"),
        "movie_id": movie.get("id"),
        **{key: whole.get(key) for key in kept},
    }


def _common(rows: list[Row], people: Sequence[str]) -> list[Row]:
    """The rows of one of `people`, of those films that all of them are in."""
    own = [
        [row for row in rows if likeness(name, str(row.get("name") or "")) >= THRESHOLD]
        for name in people
    ]
    films = set.intersection(*({row["movie_name"] for row in each} for each in own))
    return [row for row in own[0] if row["movie_name"] in films]


def get_movie_person_oscar(arguments: Arguments) -> Fetch:
    """Oscar nominations: of a film, of a person, or, where both are open, of a year.

    The year is the third argument, or comes from a condition (see `execute.py`).
    """
    title, person, year = (arguments.text(index) for index in range(3))
    if title is not None:
        movies = yield from _find_movies(title)
        rows, complete = yield from _oscars_of_movies(movies)
        if person:
            rows = [row for row in rows if likeness(person, str(row.get("name"))) >= THRESHOLD]
        return Fetched(
            tuple(map(_oscar_row, rows)), tuple(movie["title"] for movie in movies), complete
        )
    if person is not None:
        people = yield from _find_people(person)
        rows = [row for found in people[:1] for row in found.get("oscar_awards") or []]
        names = tuple(found["name"] for found in people[:1])
        return Fetched(tuple(map(_oscar_row, rows)), names)
    return (yield from _oscars_of(year))


def _oscars_of_movies(
    movies: Sequence[Row],
) -> Generator[Sequence[Call], list[Any], tuple[list[Row], bool]]:
    """The Oscars of the films of a title, and whether these are surely all there are.

    Where a film's own record has none, the ceremonies of the two years after it came out tell.
    """
    rows = [row for movie in movies for row in movie.get("oscar_awards") or []]
    released = {_year_of(movie.get("release_date")) for movie in movies}
    if rows or len(movies) != 1 or None in released:
        return rows, False
    first = int(released.pop() or 0) + 1
    years = [year for year in (first, first + 1) if year in _OSCAR_YEARS]
    ceremonies = yield [Call("/movie/get_year_info", {"query": str(year)}) for year in years]
    awards = [row for one in ceremonies if one for row in one.get("oscar_awards") or []]
    title = words(str(movies[0].get("title")))
    found = [row for row in awards if words(str(row.get("film"))) == title]
    return found, first in _OSCAR_YEARS and bool(awards)


def _oscars_of(year: str | None) -> Fetch:
    if year is None or not year.isdecimal() or int(year) not in _OSCAR_YEARS:
        return Fetched()
    info = yield from ask("/movie/get_year_info", query=year)
    rows = (info or {}).get("oscar_awards") or []
    return Fetched(tuple(map(_oscar_row, rows)), (f"the Oscars of {year}",), complete=bool(rows))


def get_movie_year(arguments: Arguments) -> Fetch:
    """A year's films, by title, and its Oscars."""
    year = arguments.text(0)
    if year is None or not year.isdecimal() or int(year) not in _OSCAR_YEARS:
        return Fetched()
    info = yield from ask("/movie/get_year_info", query=year)
    if not isinstance(info, dict):
        return Fetched()
    ids = info.get("movie_list") or []
    movies = yield [Call("/movie/get_movie_info_by_id", {"query": movie}) for movie in ids]
    titles = [movie["title"] for movie in movies if isinstance(movie, dict)]
    awards = [_oscar_row(row) for row in info.get("oscar_awards") or []]
    return Fetched(({"movie_list": titles, "oscar_awards": awards},), (year,))


def _oscar_row(row: Row) -> Row:
    return {**row, "year": row.get("year_ceremony"), "movie_name": row.get("film")}


_MOVIE, _MOVIE_BY_ID = "/movie/get_movie_info", "/movie/get_movie_info_by_id"
_PERSON, _YEAR = "/movie/get_person_info", "/movie/get_year_info"

SOURCES: dict[str, Source] = {
    "get_movie": Source(get_movie, (_MOVIE, _MOVIE_BY_ID)),
    "get_person": Source(get_person, (_PERSON, "/movie/get_person_info_by_id")),
    "get_movie_person_cast": Source(
        _credits("cast", "acted_movies"), (_MOVIE, _PERSON, _MOVIE_BY_ID)
    ),
    "get_movie_person_crew": Source(
        _credits("crew", "directed_movies acted_movies"), (_MOVIE, _PERSON, _MOVIE_BY_ID)
    ),
    "get_movie_person_oscar": Source(get_movie_person_oscar, (_MOVIE, _PERSON, _YEAR)),
    "get_movie_year": Source(get_movie_year, (_YEAR, _MOVIE_BY_ID)),
}
