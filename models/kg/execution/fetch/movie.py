"""Rows about films, the people in them, and the Oscars."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from models.kg.english.likeness import THRESHOLD, likeness, name_words
from models.kg.english.named_values import is_named
from models.kg.execution.fetch.protocol import (
    ApiSteps,
    Arguments,
    Fetched,
    Fetcher,
    FetchFunction,
    FetchSteps,
    Row,
    ask,
    ask_all,
    search,
    side_by_side,
)
from utils.text import find_run, words

_YEAR_DIGITS = 4  # a title may be a year, or a smaller number; the KG's ids have more digits
_OSCAR_YEARS = range(1990, 2022)  # the API has these ceremonies, all of them complete
_FILM_KEYS = "release_date revenue budget rating length genres original_language".split()
_JOBS = "director producer writer composer cinematographer editor".split()
_MOVIE, _MOVIE_BY_ID = "/movie/get_movie_info", "/movie/get_movie_info_by_id"
_PERSON, _PERSON_BY_ID = "/movie/get_person_info", "/movie/get_person_info_by_id"
_YEAR = "/movie/get_year_info"
_Found = dict[str, list[Row]]  # by name


def movie_row(movie: Row) -> Row:
    """A film's own keys; its genres, people and Oscar nominations as texts."""
    crew = movie.get("crew") or []
    genres = [genre.get("name") for genre in movie.get("genres") or []]
    released = movie.get("release_date")
    return {
        **movie,
        "year": str(released)[:4] if released else None,
        "genres": [name for name in genres if name],
        "cast": [str(row.get("name")) for row in movie.get("cast") or []],
        "crew": [f"{row.get('name')} ({row.get('job')})" for row in crew],
        **{
            job: [str(row["name"]) for row in crew if job in _jobs(str(row.get("job")))]
            for job in _JOBS
        },
        "oscar_awards": list(map(_honour, movie.get("oscar_awards") or [])),
    }


@lru_cache(maxsize=4096)
def _jobs(written: str) -> frozenset[str]:
    """The member of `_JOBS` for a job in the KG's spelling."""
    return frozenset(job for job in _JOBS if is_named("job", written, job))


def _honour(award: Row) -> str:
    """An Oscar nomination in words: "ART DIRECTION for Salt (2006), won by Ann Other"."""
    film = f" for {award['film']}" if award.get("film") else ""
    what = f"{award.get('category')}{film} ({award.get('year_ceremony')})"
    outcome = "won" if award.get("winner") else "nominated"
    if not award.get("name"):
        return f"{what}, {outcome}"
    return f"{what}, {'won by' if award.get('winner') else 'nominated:'} {award['name']}"


def _find_movies(name: str) -> ApiSteps[list[Row]]:
    """The films with a title; a number is a film's id."""
    if name.isdecimal() and len(name) > _YEAR_DIGITS:
        return (yield from _by_id(_MOVIE_BY_ID, [name]))
    return (yield from search(_MOVIE, name, lambda hit: hit.get("title") or ""))


def _find_people(name: str) -> ApiSteps[list[Row]]:
    """The people with a name; a number is a person's id."""
    if name.isdecimal():
        return (yield from _by_id(_PERSON_BY_ID, [name]))
    return (yield from search(_PERSON, name, lambda hit: hit.get("name") or ""))


def _by_id(endpoint: str, ids: Iterable[Any]) -> ApiSteps[list[Row]]:
    found = yield from ask_all(endpoint, [int(each) for each in dict.fromkeys(ids)])
    return [record for record in found if isinstance(record, dict)]


def _each(find: Callable[[str], ApiSteps[list[Row]]], names: Iterable[str]) -> ApiSteps[_Found]:
    """What `find` finds for each name, in parallel."""
    names = list(dict.fromkeys(names))
    found = yield from side_by_side([find(name) for name in names])
    return dict(zip(names, found, strict=True))


def get_movie(arguments: Arguments) -> FetchSteps:
    """The films with one title."""
    name = arguments.text(0)
    found = (yield from _find_movies(name)) if name else []
    return Fetched(tuple(map(movie_row, found)), tuple(movie["title"] for movie in found))


def get_movie_series(arguments: Arguments) -> FetchSteps:
    """The films whose titles contain the name of a series, in order of release."""
    name = arguments.text(0)
    hits = (yield from ask(_MOVIE, query=name)) if name else []
    found = [hit for hit in hits or [] if find_run(words(name or ""), words(hit["title"])) >= 0]
    rows = sorted(map(movie_row, found), key=lambda row: str(row.get("release_date") or "9"))
    return Fetched(tuple(rows), (name,) if name and rows else ())


def get_person(arguments: Arguments) -> FetchSteps:
    """The film people with one name, with the titles of their films."""
    name = arguments.text(0)
    found = (yield from _find_people(name)) if name else []
    rows = []
    for person in found:
        row = {**person, "birth_date": person.get("birthday")}
        row |= {"oscar_awards": list(map(_honour, person.get("oscar_awards") or []))}
        for key in ("acted_movies", "directed_movies"):
            if arguments.wants(key) and person.get(key):
                movies = yield from _by_id(_MOVIE_BY_ID, person[key])
                row[key] = [movie["title"] for movie in movies]
        rows.append(row)
    return Fetched(tuple(rows), tuple(person["name"] for person in found))


def _credits(part: str, ids: str) -> FetchFunction:
    """Rows of cast or crew: of films, of a person's films, or of the films of several people.

    Of several films, the people of the first one who are in all of them. `ids`: the keys of a
    person that list the films.
    """

    def fetch(arguments: Arguments) -> FetchSteps:
        titles, people, year = arguments.names(0), arguments.names(1), arguments.text(2)
        if titles:
            each = yield from _each(_find_movies, titles)
            movies = list(chain.from_iterable(each.values()))
            entities = [movie["title"] for movie in movies]
        elif people:
            each = yield from _each(_find_people, people)
            found = [some[0] for some in each.values() if some]
            movies = (yield from _common_movies(found, ids)) if all(each.values()) else []
            entities = [person["name"] for person in found]
        else:
            return Fetched()
        rows = [{**row, **_of_movie(movie)} for movie in movies for row in movie.get(part) or []]
        if len(titles) > 1:
            rows = _in_all(rows, titles, "movie_name", "name")
        if people:
            rows = _in_all(rows, people, "name", "movie_name")
        if year is not None:
            rows = [row for row in rows if row["year"] == year]
        if arguments.names_key("birthday"):
            rows = arguments.sift(rows)
            yield from _add_birthdays(rows)
        unknown = [name for name, some in each.items() if not some]
        notes = [f"the knowledge graph does not know {name}" for name in unknown]
        return Fetched(tuple(rows), tuple(dict.fromkeys(entities)), notes=tuple(notes))

    return fetch


def _add_birthdays(rows: Sequence[Row]) -> ApiSteps[None]:
    """Add birthdays to rows of credits, by id, or of nominees, by name."""
    whom = [str(row.get("id") or row.get("name")) for row in rows]
    found = yield from _each(_find_people, whom)
    for row, one in zip(rows, whom, strict=True):
        row["birthday"] = found[one][0].get("birthday") if found[one] else None


def _common_movies(people: Sequence[Row], ids: str) -> ApiSteps[list[Row]]:
    """The films that all of `people` share."""
    films = [[movie for key in ids.split() for movie in one.get(key) or []] for one in people]
    common = [movie for movie in films[0] if all(movie in own for own in films)]
    return (yield from _by_id(_MOVIE_BY_ID, common))


def _of_movie(movie: Row) -> Row:
    whole = movie_row(movie)
    kept = {key: whole.get(key) for key in ("year", *_FILM_KEYS)}
    return {"movie_name": movie.get("title"), "movie_id": movie.get("id"), **kept}


def _in_all(rows: list[Row], names: Sequence[str], named: str, shared: str) -> list[Row]:
    """The rows of the first of `names` whose `shared` values all of them have."""
    own = [
        [row for row in rows if likeness(name, str(row.get(named) or "")) >= THRESHOLD]
        for name in names
    ]
    common = set.intersection(*({row.get(shared) for row in each} for each in own))
    return [row for row in own[0] if row.get(shared) in common]


def get_movie_person_oscar(arguments: Arguments) -> FetchSteps:
    """Nominations and awards: of films, of persons, of a year, or all that are known."""
    titles, people = arguments.names(0), arguments.names(1)
    year, complete = arguments.text(2), False
    possible = [each for each in _OSCAR_YEARS if arguments.sift([{"year": each}])]
    years = [each for each in possible if year in (None, str(each))]
    if titles:
        each = yield from _each(_find_movies, titles)
        movies = list(chain.from_iterable(each.values()))
        if year is None:  # of several films with one title, the most nominated is meant
            movies = [
                max(found, key=lambda movie: len(movie.get("oscar_awards") or []))
                for found in each.values()
                if found
            ]
        awards, complete = yield from _oscars_of_movies(movies)
        entities = tuple(dict.fromkeys(movie["title"] for movie in movies))
        if not movies:  # a film that the KG has only in its Oscar records
            awards = _about(titles, (yield from _ceremonies(years)))
            entities = tuple(dict.fromkeys(str(row["film"]) for row in awards))
        awards = _of_people(people, awards) if people else awards
    elif people:
        each = yield from _each(_find_people, people)
        persons = [found[0] for found in each.values() if found]
        entities = tuple(person["name"] for person in persons)
        own = [person.get("oscar_awards") or [] for person in persons]
        every = _of_people(entities or people, (yield from _ceremonies(years)))
        distinct = {_award(row): row for row in chain(every, *own)}  # own ones are not all
        awards, complete = sorted(distinct.values(), key=_award), all(own) and bool(own)
    else:
        awards = yield from _ceremonies(years)
        of_year = f" of {year or years[0]}" if year or len(years) == 1 else ""
        entities, complete = (f"the Oscars{of_year}",), bool(awards)
    if year is not None:
        awards = [row for row in awards if str(row.get("year_ceremony")) == year]
    rows = [
        {**row, "year": row.get("year_ceremony"), "movie_name": row.get("film")} for row in awards
    ]
    for keys, add in ((_FILM_KEYS, _add_films), (["birthday"], _add_birthdays)):
        if arguments.names_key(*keys):
            rows = arguments.sift(rows)
            yield from add(rows)
    return Fetched(tuple(rows), entities, complete)


def _award(row: Row) -> tuple[str, ...]:
    """The ceremony, category and film of a nomination."""
    return tuple(str(row.get(key)) for key in ("year_ceremony", "category", "film"))


def _of_people(people: Sequence[str], awards: Iterable[Row]) -> list[Row]:
    """The awards whose nominees, several in one text, are or include one of `people`."""
    asked = {word for name in people for word in name_words(name)}
    found = []
    for row in awards:
        named = str(row.get("name"))
        if asked.isdisjoint(name_words(named)):  # most of all Oscars
            continue
        nominees, said = [named, *re.split(r",| and | & ", named)], words(named)
        if any(
            find_run(words(one), said) >= 0  # "Written by Sofia Coppola"
            or any(likeness(one, each) >= THRESHOLD for each in nominees)
            for one in people
        ):
            found.append(row)
    return found


def _about(titles: Iterable[str], awards: Iterable[Row]) -> list[Row]:
    """The awards of the films with these titles."""
    wanted = set(map(name_words, titles))
    return [row for row in awards if name_words(str(row.get("film"))) in wanted]


def _add_films(rows: Sequence[Row]) -> ApiSteps[None]:
    """Add their films' keys to rows of nominations. Of films with the same title, the one released
    in the year before the ceremony."""
    films = yield from _each(_find_movies, (str(row["movie_name"]) for row in rows))
    for row in rows:
        before = str(int(row.get("year") or 0) - 1)
        found = sorted(
            map(_of_movie, films[str(row["movie_name"])]), key=lambda film: film["year"] != before
        )
        row.update({key: found[0][key] for key in _FILM_KEYS} if found else {})


def _oscars_of_movies(movies: Sequence[Row]) -> ApiSteps[tuple[list[Row], bool]]:
    """The Oscars of the films with a title, and whether they are known to be complete.

    If a film's own record has none, the ceremonies of the two years after its release are read.
    """
    rows = [row for movie in movies for row in movie.get("oscar_awards") or []]
    released = {movie_row(movie)["year"] for movie in movies}
    if rows or len(movies) != 1 or None in released:
        return rows, bool(rows) and len(movies) == 1
    first = int(released.pop() or 0) + 1
    awards = yield from _ceremonies([first, first + 1])
    found = _about([str(movies[0].get("title"))], awards)
    return found, first in _OSCAR_YEARS and bool(awards)


def _ceremonies(years: Iterable[int]) -> ApiSteps[list[Row]]:
    """The Oscars of some years, as far as the API has them."""
    found = yield from ask_all(_YEAR, [str(year) for year in years if year in _OSCAR_YEARS])
    return [row for info in found if info for row in info.get("oscar_awards") or []]


def get_movie_year(arguments: Arguments) -> FetchSteps:
    """A year's films, by title, and its Oscars."""
    year = arguments.text(0)
    if year is None or not year.isdecimal() or int(year) not in _OSCAR_YEARS:
        return Fetched()
    info = yield from ask(_YEAR, query=year)
    if not isinstance(info, dict):
        return Fetched()
    movies = yield from _by_id(_MOVIE_BY_ID, info.get("movie_list") or [])
    row = {
        "year": int(year),
        "movie_list": [movie["title"] for movie in movies],
        "oscar_awards": list(map(_honour, info.get("oscar_awards") or [])),
    }
    return Fetched((row,), (year,))


FETCHERS: dict[str, Fetcher] = {
    "get_movie": Fetcher(get_movie, (_MOVIE, _MOVIE_BY_ID)),
    "get_movie_series": Fetcher(get_movie_series, (_MOVIE,)),
    "get_person": Fetcher(get_person, (_PERSON, _PERSON_BY_ID, _MOVIE_BY_ID)),
    "get_movie_person_cast": Fetcher(
        _credits("cast", "acted_movies"), (_MOVIE, _PERSON, _MOVIE_BY_ID)
    ),
    "get_movie_person_crew": Fetcher(
        _credits("crew", "directed_movies acted_movies"), (_MOVIE, _PERSON, _MOVIE_BY_ID)
    ),
    "get_movie_person_oscar": Fetcher(get_movie_person_oscar, (_MOVIE, _PERSON, _YEAR)),
    "get_movie_year": Fetcher(get_movie_year, (_YEAR, _MOVIE_BY_ID)),
}
