"""Rows about films, the people in them, and the Oscars."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Any

from models.english.likeness import (
    THRESHOLD,
    have_same_articles,
    is_in_title,
    likeness,
    name_words,
    title_words,
)
from models.kg.execution.fetch.protocol import (
    Arguments,
    CallGenerator,
    Fetched,
    Fetcher,
    FetchFunction,
    FetchSteps,
    Matches,
    Row,
    about_one_of,
    ask,
    ask_all,
    reading_of,
    search,
    side_by_side,
    told_apart,
)
from models.kg.lexicon.named_functions import functions
from models.kg.names.named_values import is_named
from utils.text import find_run, words

_YEAR_DIGITS = 4  # a title may be a year, or a smaller number; the KG's ids have more digits
_DATED_TITLE = re.compile(r"(?P<title>.*\w)\W+(?P<year>(?:18|19|20)\d\d)\)?")
_LONGEST_PAUSE = 40  # years between nominations; from here on they may be of two people
_LONGEST_WAIT = 3  # years from a film's release to its Oscars, where films share a title
_OSCAR_YEARS = range(1990, 2022)  # the API has these ceremonies, all of them complete
_CREDIT_KEYS = ("year", "id")  # of credits and films, with different values
_JOBS = ("director", "producer", "writer", "composer", "cinematographer", "editor")
_MOVIE = "/movie/get_movie_info"
_MOVIE_BY_ID = "/movie/get_movie_info_by_id"
_PERSON = "/movie/get_person_info"
_PERSON_BY_ID = "/movie/get_person_info_by_id"
_YEAR = "/movie/get_year_info"


# --- records as rows


def movie_row(movie: Row) -> Row:
    """A film's own keys; its genres, people and Oscar nominations as texts."""
    crew = [member for member in movie.get("crew") or [] if member.get("name")]
    cast = [member for member in movie.get("cast") or [] if member.get("name")]
    genres = [genre.get("name") for genre in movie.get("genres") or []]
    released = movie.get("release_date")
    row = {
        **movie,
        "year": str(released)[:4] if released else None,
        "genres": [name for name in genres if name],
        "cast": [str(member["name"]) for member in cast],
        "crew": [f"{member['name']} ({member.get('job')})" for member in crew],
    }
    for job in _JOBS:
        members = [member for member in crew if job in _jobs(str(member.get("job")))]
        row[job] = [str(member["name"]) for member in members]
    row["oscar_awards"] = _award_texts(_own_awards(movie))
    return row


@lru_cache(maxsize=4096)
def _jobs(kg_job: str) -> frozenset[str]:
    """The members of `_JOBS` for a job in the KG's spelling."""
    return frozenset(job for job in _JOBS if is_named("job", kg_job, job))


def _award_texts(awards: Iterable[Row]) -> list[str]:
    """Oscar nominations in words."""
    return [_award_text(award) for award in awards]


def _award_text(award: Row) -> str:
    """An Oscar nomination in words: "ART DIRECTION for Salt (2006), won by Ann Other"."""
    film = f" for {award['film']}" if award.get("film") else ""
    nomination = f"{award.get('category')}{film} ({award.get('year_ceremony')})"
    name = award.get("name")
    if award.get("winner"):
        return f"{nomination}, won by {name}" if name else f"{nomination}, won"
    return f"{nomination}, nominated: {name}" if name else f"{nomination}, nominated"


def _film_of_credit(movie: Row) -> Row:
    """The film of a credit, with the keys that the credit's row has, too."""
    whole = movie_row(movie)
    row = {"movie_name": movie.get("title"), "movie_id": movie.get("id"), "year": whole["year"]}
    for key in _film_keys():
        row[key] = whole.get(key)
    return row


@cache
def _film_keys() -> tuple[str, ...]:
    """The keys of a film that rows of credits and nominations have, too."""
    film = functions().rows_of("get_movie")[0]
    nomination = functions().rows_of("get_movie_person_oscar")[0]
    shared = (film.key_names & nomination.key_names).difference(_CREDIT_KEYS)
    return tuple(key.name for key in film.keys if key.name in shared)


def _awards(record: Row) -> list[Row]:
    """The Oscar nominations that a record of a film, a person or a year has."""
    return record.get("oscar_awards") or []


def _released_in(movie: Row) -> int | None:
    """The year of a film's release."""
    year = str(movie.get("release_date") or "")[:_YEAR_DIGITS]
    return int(year) if year.isdecimal() else None


# --- films and people of one name


def _awards_by_film(awards: Iterable[Row]) -> list[list[Row]]:
    """The nominations of the films with one title, apart, the most nominated film first, then the
    latest. The API gives all of them to each; a film's nominations are of one ceremony or two."""
    films: list[list[Row]] = []
    for award in sorted(awards, key=_ceremony_year):
        if films and _ceremony_year(award) - _ceremony_year(films[-1][-1]) <= 1:
            films[-1].append(award)
        else:
            films.append([award])
    return sorted(films, key=lambda film: (-len(film), -_ceremony_year(film[0])))


def _ceremony_year(award: Row) -> int:
    return int(award.get("year_ceremony") or 0)


def _own_awards(movie: Row) -> list[Row]:
    """The nominations of a film, without those of others with its title: of several films, the
    first one that was nominated after its release, or without a date the most nominated one."""
    awards = _awards(movie)
    films = _awards_by_film(awards)
    released = _released_in(movie)
    if released is None:
        return awards if len(films) < 2 else films[0]
    later = [film for film in films if _ceremony_year(film[-1]) >= released]
    if len(films) < 2:
        return awards if later else []
    in_time = [film for film in later if _ceremony_year(film[0]) <= released + _LONGEST_WAIT]
    return min(in_time, key=lambda film: _ceremony_year(film[0]), default=[])


def _best_known_first(movies: Sequence[Row]) -> list[Row]:
    """Films with one title: those with the most Oscar nominations, the highest revenue, the latest
    release first."""

    def fame(movie: Row) -> tuple[int, float, int]:
        return len(_own_awards(movie)), movie.get("revenue") or 0, _released_in(movie) or 0

    return sorted(movies, key=fame, reverse=True)


def _best_known_people_first(people: Sequence[Row]) -> list[Row]:
    """People with one name: those with the most Oscar nominations, then with the most films,
    first."""

    def fame(person: Row) -> tuple[int, int]:
        works = len(person.get("acted_movies") or []) + len(person.get("directed_movies") or [])
        return len(_awards(person)), works

    return sorted(people, key=fame, reverse=True)


def _movie_label(movie: Row) -> str:
    """What tells a film from others with its title: "Dune (1984)"."""
    return f"{movie.get('title')} ({_released_in(movie) or movie.get('id')})"


def _person_label(person: Row) -> str:
    """What tells a person from others with the name: "Ann Other (born 1960-02-03)"."""
    birthday = person.get("birthday")
    return f"{person.get('name')} ({f'born {birthday}' if birthday else person.get('id')})"


def _distinct_values(records: Iterable[Row], key: str) -> tuple[str, ...]:
    """The distinct values of a key of records, in order."""
    return tuple(dict.fromkeys(record[key] for record in records))


# --- films and people by name or id


@dataclass(frozen=True, slots=True)
class _Records:
    """The records that match names: some, one or none each, the best known first."""

    by_name: dict[str, list[Row]]
    readings: tuple[str, ...]

    @property
    def all(self) -> list[Row]:
        """The records of all names."""
        return list(chain.from_iterable(self.by_name.values()))

    @property
    def first_of_each(self) -> list[Row]:
        """The first record of each name that has any."""
        return [records[0] for records in self.by_name.values() if records]

    @property
    def unknown_names(self) -> list[str]:
        """The names without a record."""
        return [name for name, records in self.by_name.items() if not records]

    def choices(self, label_of: Callable[[Row], str]) -> list[str]:
        """For each name that several records have, that the first one is meant."""
        notes: list[str] = []
        for records in self.by_name.values():
            notes += about_one_of([label_of(record) for record in records])
        return notes


def _find_movies(name: str, *, exactly: bool = False) -> CallGenerator[Matches]:
    """The films with a title, the best known first; a number is a film's id. A year behind a title
    is that of the release: "Dune (2021)"."""
    if name.isdecimal() and len(name) > _YEAR_DIGITS:
        return Matches((yield from _records_by_id(_MOVIE_BY_ID, [name])))
    matches = yield from _find_titles(name, exactly=exactly)
    parts = _DATED_TITLE.fullmatch(name.strip())
    if parts and not matches.hits:
        matches = yield from _find_titles(parts["title"], exactly=exactly)
        hits = [movie for movie in matches.hits if _released_in(movie) == int(parts["year"])]
        matches = replace(matches, hits=hits) if hits else Matches([])
    return replace(matches, hits=_best_known_first(matches.hits))


def _find_titles(title: str, *, exactly: bool) -> CallGenerator[Matches]:
    """The films with a title. Unlike in other names, an article may tell it from another one, so a
    different article is a reading: "final destination" and "The Final Destination" are two films.
    """
    matches = yield from search(_MOVIE, title, lambda hit: hit.get("title") or "", exactly=exactly)
    if matches.hits and not matches.readings:
        match = matches.hits[0]["title"]
        if not have_same_articles(title, match):
            return replace(matches, readings=(reading_of(title, match),))
    return matches


def _find_people(name: str, *, exactly: bool = False) -> CallGenerator[Matches]:
    """The people with a name, the best known first; a number is a person's id."""
    if name.isdecimal():
        return Matches((yield from _records_by_id(_PERSON_BY_ID, [name])))
    matches = yield from search(_PERSON, name, lambda hit: hit.get("name") or "", exactly=exactly)
    return replace(matches, hits=_best_known_people_first(matches.hits))


def _records_by_id(endpoint: str, ids: Iterable[Any]) -> CallGenerator[list[Row]]:
    replies = yield from ask_all(endpoint, [int(each) for each in dict.fromkeys(ids)])
    return [reply for reply in replies if isinstance(reply, dict)]


def _find_each(
    find: Callable[..., CallGenerator[Matches]], names: Iterable[str], *, exactly: bool
) -> CallGenerator[_Records]:
    """What `find` finds for each name, in parallel."""
    distinct_names = list(dict.fromkeys(names))
    works = [find(name, exactly=exactly) for name in distinct_names]
    matches = yield from side_by_side(works)
    by_name = {name: each.hits for name, each in zip(distinct_names, matches, strict=True)}
    readings = tuple(chain.from_iterable(each.readings for each in matches))
    return _Records(by_name, readings)


def get_movie(arguments: Arguments) -> FetchSteps:
    """The films with one title."""
    name = arguments.text(0)
    if not name:
        return Fetched()
    matches = yield from _find_movies(name, exactly=arguments.names_are_exact)
    movies = matches.hits
    rows = told_apart([movie_row(movie) for movie in movies], list(map(_movie_label, movies)))
    entities = tuple(movie["title"] for movie in movies)
    return Fetched(tuple(rows), entities, readings=matches.readings)


def get_movie_series(arguments: Arguments) -> FetchSteps:
    """The films whose titles contain the name of a series, in order of release. The API's search
    takes "Spider-Man" for one word and "and" for a rare one, so other spellings are tried."""
    name = arguments.text(0)
    if not name:
        return Fetched()
    core = title_words(name)
    queries = dict.fromkeys((name, " ".join(core), "".join(core)))
    replies = yield from ask_all(_MOVIE, list(queries))
    movies: dict[Any, Row] = {}
    for hits in replies:
        for movie in hits or []:
            if is_in_title(name, movie["title"]):
                movies.setdefault(movie.get("id", movie["title"]), movie)
    rows = [movie_row(movie) for movie in movies.values()]
    rows.sort(key=lambda row: str(row.get("release_date") or "9"))
    return Fetched(tuple(rows), (name,) if rows else ())


def get_person(arguments: Arguments) -> FetchSteps:
    """The film people with one name, with the titles of their films."""
    name = arguments.text(0)
    if not name:
        return Fetched()
    matches = yield from _find_people(name, exactly=arguments.names_are_exact)
    people = matches.hits
    rows = []
    for person in people:
        row = {
            **person,
            "birth_date": person.get("birthday"),
            "oscar_awards": _award_texts(_awards(person)),
        }
        for key in ("acted_movies", "directed_movies"):
            if arguments.wants(key) and person.get(key):
                movies = yield from _records_by_id(_MOVIE_BY_ID, person[key])
                row[key] = [movie["title"] for movie in movies]
        rows.append(row)
    rows = told_apart(rows, list(map(_person_label, people)))
    entities = tuple(person["name"] for person in people)
    return Fetched(tuple(rows), entities, readings=matches.readings)


# --- cast and crew


def _credits(part: str, id_keys: Sequence[str]) -> FetchFunction:
    """Rows of cast or crew: of films, of a person's films, or of the films of several people.

    Of several films, the people of the first one who are in all of them.

    Args:
        part: the key of a film that lists them.
        id_keys: the keys of a person that list the films.
    """

    def fetch(arguments: Arguments) -> FetchSteps:
        titles = arguments.names(0)
        people = arguments.names(1)
        exactly = arguments.names_are_exact
        notes: list[str] = []
        if titles:
            matches = yield from _find_each(_find_movies, titles, exactly=exactly)
            movies = matches.all
            entities = _distinct_values(movies, "title")
        elif people:
            matches = yield from _find_each(_find_people, people, exactly=exactly)
            notes += matches.choices(_person_label)
            movies = []
            if not matches.unknown_names:
                movies = yield from _common_movies(matches.first_of_each, id_keys)
            entities = _distinct_values(matches.first_of_each, "name")
        else:
            return Fetched()
        rows = _credit_rows(movies, part)
        if len(titles) == 1:
            rows = _with_labels(rows, movies)
        if len(titles) > 1:
            rows = _rows_in_all(rows, titles, "movie_name", "name")
        if people:
            rows = _rows_in_all(rows, people, "name", "movie_name")
        year = arguments.text(2)
        if year is not None:
            rows = [row for row in rows if row["year"] == year]
        if arguments.wants_explicitly("birthday"):
            rows = arguments.sift(rows)
            yield from _add_birthdays(rows)
        notes += [f"the knowledge graph does not know {name}" for name in matches.unknown_names]
        return Fetched(tuple(rows), entities, notes=tuple(notes), readings=matches.readings)

    return fetch


def _credit_rows(movies: Iterable[Row], part: str) -> list[Row]:
    """The cast or crew of films, each row with keys of its film."""
    rows: list[Row] = []
    for movie in movies:
        credits_of_movie = movie.get(part)
        if credits_of_movie:
            film = _film_of_credit(movie)
            rows += [{**credit, **film} for credit in credits_of_movie]
    return rows


def _with_labels(rows: list[Row], movies: Sequence[Row]) -> list[Row]:
    """The rows of credits of films with one title, each with the label of its film."""
    labels = {movie.get("id"): _movie_label(movie) for movie in movies}
    return told_apart(rows, [labels[row["movie_id"]] for row in rows])


def _common_movies(people: Sequence[Row], id_keys: Sequence[str]) -> CallGenerator[list[Row]]:
    """The films that all of `people` share."""
    filmographies = []
    for person in people:
        ids: list[Any] = []
        for key in id_keys:
            ids += person.get(key) or []
        filmographies.append(ids)
    common_ids = [
        movie_id for movie_id in filmographies[0] if all(movie_id in ids for ids in filmographies)
    ]
    return (yield from _records_by_id(_MOVIE_BY_ID, common_ids))


def _rows_in_all(
    rows: Sequence[Row], names: Sequence[str], name_key: str, shared_key: str
) -> list[Row]:
    """The rows of the first of `names` with a value of `shared_key` that all of them have."""
    rows_by_name = []
    for name in names:
        rows_by_name.append(
            [row for row in rows if likeness(name, str(row.get(name_key) or "")) >= THRESHOLD]
        )
    common_values = {row.get(shared_key) for row in rows_by_name[0]}
    for rows_of_name in rows_by_name[1:]:
        common_values &= {row.get(shared_key) for row in rows_of_name}
    return [row for row in rows_by_name[0] if row.get(shared_key) in common_values]


def _add_birthdays(rows: Sequence[Row]) -> CallGenerator[None]:
    """Add birthdays to rows of credits, by id, or of nominees, by name."""
    rows = [row for row in rows if row.get("id") or row.get("name")]
    names = [str(row.get("id") or row["name"]) for row in rows]
    matches = yield from _find_each(_find_people, names, exactly=True)
    for row, name in zip(rows, names, strict=True):
        people = matches.by_name[name]
        row["birthday"] = people[0].get("birthday") if people else None


# --- the Oscars


@dataclass(frozen=True, slots=True)
class _Awards:
    """Nominations, and what they are about.

    Attributes:
        complete: there are no others.
    """

    rows: list[Row]
    entities: tuple[str, ...]
    complete: bool
    notes: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()


def get_movie_person_oscar(arguments: Arguments) -> FetchSteps:
    """Nominations and awards: of films, of persons, of a year, or all that are known."""
    titles = arguments.names(0)
    people = arguments.names(1)
    year = arguments.text(2)
    exactly = arguments.names_are_exact

    def may_satisfy(oscar_year: int) -> bool:
        """Whether nominations of a year may satisfy the conditions."""
        return bool(arguments.sift([{"year": oscar_year}])) and year in (None, str(oscar_year))

    years = list(filter(may_satisfy, _OSCAR_YEARS))
    if titles:
        awards = yield from _awards_by_title(titles, people, years, exactly=exactly)
    elif people:
        awards = yield from _awards_by_person(people, years, exactly=exactly)
        rows_in_time = [row for row in awards.rows if may_satisfy(_ceremony_year(row))]
        awards = _with_doubts(awards, people, rows_in_time)
    else:
        awards = yield from _awards_by_year(year, years)
    rows = []
    for award in awards.rows:
        if year is None or str(award.get("year_ceremony")) == year:
            row = {**award, "year": award.get("year_ceremony"), "movie_name": award.get("film")}
            rows.append(row)
    if arguments.wants_explicitly(*_film_keys()):
        rows = arguments.sift(rows)
        yield from _add_films(rows)
    if arguments.wants_explicitly("birthday"):
        rows = arguments.sift(rows)
        yield from _add_birthdays(rows)
    return Fetched(
        tuple(rows),
        awards.entities,
        awards.complete,
        notes=awards.notes,
        readings=awards.readings,
    )


def _awards_by_title(
    titles: Sequence[str], people: Sequence[str], years: Sequence[int], *, exactly: bool
) -> CallGenerator[_Awards]:
    """The nominations of films; with `people`, only theirs. Those of films with one title are told
    apart, the best known film's first."""
    matches = yield from _find_each(_find_movies, titles, exactly=exactly)
    movies = matches.all
    complete = False
    if not movies:  # a film that the KG has only in its Oscar records
        rows = _awards_with_title(titles, (yield from _ceremonies(years)))
        entities = tuple(dict.fromkeys(str(row["film"]) for row in rows))
    else:
        entities = _distinct_values(movies, "title")
        rows = _merged_awards(map(_awards, movies))
        complete = bool(rows) and len(titles) == 1
        if not rows and len(movies) == 1:
            rows, complete = yield from _awards_after_release(movies[0])
    if len(titles) == 1:
        rows = _apart_by_film(rows, movies)
    if people:
        rows = _awards_with_nominee(people, rows)
    return _Awards(rows, entities, complete, readings=matches.readings)


def _merged_awards(sources: Iterable[Sequence[Row]]) -> list[Row]:
    """The nominations of several sources, which share some. Equal ones of one source are several:
    two songs of a film, by the same people."""
    merged: list[Row] = []
    for awards in sources:
        missing = Counter(map(_whole_award, awards)) - Counter(map(_whole_award, merged))
        for award in awards:
            if missing[_whole_award(award)] > 0:
                missing[_whole_award(award)] -= 1
                merged.append(award)
    return merged


def _apart_by_film(awards: Sequence[Row], movies: Sequence[Row]) -> list[Row]:
    """Nominations of films with one title, each with the label of its film."""
    rows: list[Row] = []
    labels: list[str] = []
    films = _awards_by_film(awards)
    if len(films) < 2:
        return list(awards)
    for film in films:
        year = _ceremony_year(film[0])
        label = f"{film[0].get('film')} (nominated in {year})"
        for movie in movies:
            if film[0] in _own_awards(movie) and _released_in(movie):
                label = _movie_label(movie)
        rows += film
        labels += [label] * len(film)
    return told_apart(rows, labels)


def _awards_after_release(movie: Row) -> CallGenerator[tuple[list[Row], bool]]:
    """The nominations of a film whose record has none, from the ceremonies of the two years after
    its release, and whether they are known to be complete."""
    released = _released_in(movie)
    if released is None:
        return [], False
    first_year = released + 1
    awards = yield from _ceremonies([first_year, first_year + 1])
    rows = _awards_with_title([str(movie.get("title"))], awards)
    return rows, first_year in _OSCAR_YEARS and bool(awards)


def _awards_by_person(
    people: Sequence[str], years: Sequence[int], *, exactly: bool
) -> CallGenerator[_Awards]:
    """The nominations of persons: those in the ceremonies, and those in their own records, which
    lack some."""
    matches = yield from _find_each(_find_people, people, exactly=exactly)
    persons = matches.first_of_each
    names = tuple(person["name"] for person in persons)
    rows = _awards_with_nominee(names or people, (yield from _ceremonies(years)))
    rows = _merged_awards([rows, *map(_awards, persons)])
    rows.sort(key=_award_id)
    notes = tuple(matches.choices(_person_label))
    complete = bool(persons) and all(map(_awards, persons)) and not notes
    return _Awards(rows, names, complete, notes, matches.readings)


def _with_doubts(awards: _Awards, people: Sequence[str], rows_in_time: Sequence[Row]) -> _Awards:
    """The nominations of persons, with a note if those asked for may be of several people of one
    name: the KG tells nominees apart by name only."""
    notes = [*awards.notes]
    for name in awards.entities or people:
        if _may_be_of_several(_awards_with_nominee([name], rows_in_time)):
            notes.append(f"the nominations may be of several people of the name {name}")
    return replace(awards, complete=awards.complete and not notes, notes=tuple(notes))


def _may_be_of_several(awards: Iterable[Row]) -> bool:
    """Whether nominations of one name are so far apart that they may be of several people."""
    years = sorted(filter(None, map(_ceremony_year, awards)))  # 0: unknown
    return any(later - earlier >= _LONGEST_PAUSE for earlier, later in pairwise(years))


def _awards_by_year(year: str | None, years: Sequence[int]) -> CallGenerator[_Awards]:
    """The nominations of one year, or of several."""
    rows = yield from _ceremonies(years)
    entity = "the Oscars"
    if year:
        entity = f"the Oscars of {year}"
    elif len(years) == 1:
        entity = f"the Oscars of {years[0]}"
    return _Awards(rows, (entity,), complete=bool(rows))


def _award_id(award: Row) -> tuple[str, ...]:
    """The ceremony, category and film of a nomination."""
    return tuple(str(award.get(key)) for key in ("year_ceremony", "category", "film"))


def _whole_award(award: Row) -> tuple[str, ...]:
    """All that tells a nomination from another one."""
    return *_award_id(award), str(award.get("name")), str(award.get("winner"))


def _awards_with_nominee(people: Sequence[str], awards: Iterable[Row]) -> list[Row]:
    """The awards whose nominees, several in one text, are or include one of `people`."""
    words_of_people: set[str] = set()
    for name in people:
        words_of_people.update(name_words(name))
    matches = []
    for award in awards:
        nominees = str(award.get("name"))
        if words_of_people.isdisjoint(name_words(nominees)):  # most of all Oscars
            continue
        if any(_is_among_nominees(name, nominees) for name in people):
            matches.append(award)
    return matches


def _is_among_nominees(name: str, nominees: str) -> bool:
    if find_run(words(name), words(nominees)) >= 0:  # "Written by Sofia Coppola"
        return True
    parts = re.split(r",| and | & ", nominees)
    return any(likeness(name, each) >= THRESHOLD for each in (nominees, *parts))


def _awards_with_title(titles: Iterable[str], awards: Iterable[Row]) -> list[Row]:
    """The awards of the films with these titles."""
    wanted = set(map(name_words, titles))
    return [award for award in awards if name_words(str(award.get("film"))) in wanted]


def _add_films(rows: Sequence[Row]) -> CallGenerator[None]:
    """Add their films' keys to rows of nominations. Of films with the same title, the one released
    in the year before the ceremony, else in one near to it."""
    rows = [row for row in rows if row.get("movie_name")]  # an honorary award has no film
    names = [str(row["movie_name"]) for row in rows]
    matches = yield from _find_each(_find_movies, names, exactly=True)
    for row, name in zip(rows, names, strict=True):
        year = _ceremony_year(row)
        movies = [
            movie
            for movie in matches.by_name[name]
            if 0 <= year - (_released_in(movie) or year) <= _LONGEST_WAIT
        ]
        movies.sort(key=lambda movie: _released_in(movie) != year - 1)
        if movies:
            film = _film_of_credit(movies[0])
            row.update({key: film[key] for key in _film_keys()})


def _ceremonies(years: Iterable[int]) -> CallGenerator[list[Row]]:
    """The nominations of some years, as far as the API has them."""
    infos = yield from ask_all(_YEAR, [str(year) for year in years if year in _OSCAR_YEARS])
    awards: list[Row] = []
    for info in infos:
        if info:
            awards += info.get("oscar_awards") or []
    return awards


def get_movie_year(arguments: Arguments) -> FetchSteps:
    """A year's films, by title, and its Oscars."""
    year = arguments.text(0)
    if year is None or not year.isdecimal() or int(year) not in _OSCAR_YEARS:
        return Fetched()
    info = yield from ask(_YEAR, query=year)
    if not isinstance(info, dict):
        return Fetched()
    movies = yield from _records_by_id(_MOVIE_BY_ID, info.get("movie_list") or [])
    row = {
        "year": int(year),
        "movie_list": [movie["title"] for movie in movies],
        "oscar_awards": _award_texts(_awards(info)),
    }
    return Fetched((row,), (year,))


_get_movie_person_cast = _credits("cast", ["acted_movies"])
_get_movie_person_crew = _credits("crew", ["directed_movies", "acted_movies"])
_CREDIT_ENDPOINTS = (_MOVIE, _PERSON, _MOVIE_BY_ID)

FETCHERS: dict[str, Fetcher] = {
    "get_movie": Fetcher(get_movie, (_MOVIE, _MOVIE_BY_ID)),
    "get_movie_series": Fetcher(get_movie_series, (_MOVIE,)),
    "get_person": Fetcher(get_person, (_PERSON, _PERSON_BY_ID, _MOVIE_BY_ID)),
    "get_movie_person_cast": Fetcher(_get_movie_person_cast, _CREDIT_ENDPOINTS),
    "get_movie_person_crew": Fetcher(_get_movie_person_crew, _CREDIT_ENDPOINTS),
    "get_movie_person_oscar": Fetcher(get_movie_person_oscar, (_MOVIE, _PERSON, _YEAR)),
    "get_movie_year": Fetcher(get_movie_year, (_YEAR, _MOVIE_BY_ID)),
}
