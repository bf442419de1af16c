"""The rows of the query language's table, one per function and domain.

The movie domain and the names of functions are the paper's (db3, section 3.2 and Appendix C.3); the
other keys are those that the API's records carry, and what follows from them: a film's directors, a
team's own goals.
"""

from dataclasses import replace

from models.kg.language.functions import Entity, Function, Key, Type
from models.kg.language.rows import DATE, FLAG, LIST, NUMBER, YEAR, hidden, key, take
from models.kg.language.table_finance import FINANCE
from models.kg.language.table_sports import SPORTS
from models.records import Domain

_MOVIE = take("movie", "movie_name title film name", entity=Entity.MOVIE)
_PERSON = take("name", "person person_name artist artist_name", entity=Entity.PERSON)
_SONG = take("name", "song song_name title", entity=Entity.SONG)
_THE_YEAR = take("year", "movie_year award_year", YEAR)
_FILM_AND_PERSON = (
    take("movie", "movie_name title film name", shared=True, entity=Entity.MOVIE),
    take("person", "person_name name actor director artist", shared=True, entity=Entity.PERSON),
    take("year", "movie_year", YEAR, optional=True),
)

_FIGURES = (
    key("budget", NUMBER, "cost production_budget", unit="$"),
    key("revenue", NUMBER, "gross box_office earnings worldwide_gross", unit="$"),
    key("rating", NUMBER, "vote_average score imdb_rating"),
    key("length", NUMBER, "runtime duration running_time", unit="minutes"),
    key("genres", LIST, "", "genre", label="genre"),
)
_LANGUAGE = key("original_language", Type.TEXT, "language", codes="language")
_OSCARS = key("oscar_awards", LIST, "oscars awards nominations", label="Oscar nomination")
_BIRTHDAY = key("birthday", DATE, "born date_of_birth dob", label="date of birth")


_YEAR_OF_FILM = key("year", YEAR, "movie_year release_year released")


def _film_and_person(person: str, *own: Key, year: Key = _YEAR_OF_FILM) -> tuple[Key, ...]:
    """The keys of a table that joins films and persons (section 3.2): its own, and those of both.

    `person`: what English calls the person in it.
    """
    return (
        key("movie_name", Type.TEXT, "movie movie_title", "title film", "", "film",
            entity=Entity.MOVIE),
        key("name", Type.TEXT, "person actor actress director", "person_name", "", person,
            entity=Entity.PERSON),
        *own,
        year,
        key("release_date", DATE, "date premiere release_day"),
        *_FIGURES,
        _LANGUAGE,
        _BIRTHDAY,
        *hidden("movie_id id", NUMBER),
    )  # fmt: skip


# Who did a job, of a film's crew.
_MAKERS = tuple(
    replace(key(name, LIST, synonyms, entity=Entity.PERSON), hidden=True)
    for name, synonyms in (
        ("producer", "produced_by producers"),
        ("writer", "written_by writers screenwriter screenplay"),
        ("composer", "music_by music"),
        ("cinematographer", "cinematography"),
        ("editor", "edited_by"),
    )
)
_GENDER = key("gender", Type.TEXT, "sex", codes="gender")
_MOVIES = (
    Function(
        "get_movie",
        Domain.MOVIE,
        (_MOVIE,),
        (
            key("title", Type.TEXT, "film movie movie_title", "movie_name name"),
            key("release_date", DATE, "released date premiere release_day"),
            key("year", YEAR, "release_year movie_year"),
            *_FIGURES,
            _LANGUAGE,
            key("original_title"),
            key("director", LIST, "directed_by directors", entity=Entity.PERSON),
            key("cast", LIST, "actors starring", label="cast member", entity=Entity.PERSON),
            key("crew", LIST, "staff", label="crew member"),
            *_MAKERS,
            _OSCARS,
            *hidden("id", NUMBER),
        ),
        row="film",
        gives=Entity.MOVIE,
        about=("{title}", "{year}"),
        synonyms=("get_movie_info", "get_film", "movie", "find_movie"),
    ),
    Function(
        "get_movie_series",
        Domain.MOVIE,
        (take("name", "series franchise movie movie_name title"),),
        (
            key("title", Type.TEXT, "film movie movie_title", "movie_name name",
                entity=Entity.MOVIE),
            key("release_date", DATE, "released date premiere release_day"),
            key("year", YEAR, "release_year movie_year"),
            *_FIGURES,
            _LANGUAGE,
            key("director", LIST, "directed_by directors", entity=Entity.PERSON),
            *hidden("id", NUMBER),
        ),
        row="film",
        about=("{title}", "{year}"),
        synonyms=("get_series", "get_franchise", "get_movie_franchise", "get_movies"),
        note="the films that have the name of a series in their titles",
    ),
    Function(
        "get_person",
        Domain.MOVIE,
        (_PERSON,),
        (
            key("name", Type.TEXT, "full_name", "person_name"),
            _BIRTHDAY,
            key("acted_movies", LIST, "movies filmography films", label="film",
                entity=Entity.MOVIE),
            key("directed_movies", LIST, "films_directed", label="directed film",
                entity=Entity.MOVIE),
            _OSCARS,
            *hidden("birth_date", DATE, "date of birth"),
            *hidden("id", NUMBER),
        ),
        row="person",
        gives=Entity.PERSON,
        about=("{name}",),
        synonyms=("get_person_info", "get_artist", "get_band", "get_actor", "get_director"),
        note="of films",
    ),
    Function(
        "get_movie_person_cast",
        Domain.MOVIE,
        _FILM_AND_PERSON,
        _film_and_person(
            "actor",
            key("character", Type.TEXT, "role", codes="character"),
            _GENDER,
            key("order", NUMBER, "billing", label="place in the credits"),
        ),
        row="role",
        about=("{name}", "as {character}", "in {movie_name}", "{year}"),
        synonyms=("get_movie_cast", "get_cast"),
        note="order 0 is the lead",
    ),
    Function(
        "get_movie_person_crew",
        Domain.MOVIE,
        _FILM_AND_PERSON,
        _film_and_person(
            "crew member", key("job", Type.TEXT, "role position", codes="job"), _GENDER
        ),
        row="credit",
        about=("{name}", "{job}", "of {movie_name}", "{year}"),
        synonyms=("get_movie_crew", "get_crew"),
    ),
    Function(
        "get_movie_person_oscar",
        Domain.MOVIE,
        tuple(replace(parameter, shared=False) for parameter in _FILM_AND_PERSON),
        _film_and_person(
            "nominee",
            key("ceremony", NUMBER, "ceremony_number", label="number of the ceremony"),
            key("category", Type.TEXT, "award", label="Oscar category", codes="category"),
            key("winner", FLAG, "won win is_winner", label="outcome", codes="winner"),
            year=key("year", YEAR, "", "year_ceremony award_year", label="year of the ceremony"),
        ),
        row="Oscar nomination",
        about=("{name}", "for {movie_name}", "{category}", "{winner}", "Oscars of {year}"),
        aliases=("get_movie_person_year_oscar",),
        synonyms=("get_oscar", "get_movie_oscar", "get_person_oscar"),
        complete="the Oscars of 1990 to 2021, where only a year is given",
        note="nominations; the year is that of the ceremony",
    ),
    Function(
        "get_movie_year",
        Domain.MOVIE,
        (_THE_YEAR,),
        (
            key("movie_list", LIST, "movies films", label="film", entity=Entity.MOVIE),
            _OSCARS,
        ),
        row="year",
        about=("{year}",),
        synonyms=("get_year_info", "get_year"),
    ),
)  # fmt: skip

_GRAMMYS = key("award_count", NUMBER, "awards grammys number", "count", label="number of Grammys")
_MUSIC = (
    Function(
        "get_person",
        Domain.MUSIC,
        (take("name", "person artist band", entity=Entity.MUSICIAN),),
        (
            key("birth_place", Type.TEXT, "birthplace country origin place_of_birth",
                label="country of origin", codes="country"),
            key("birth_date", DATE, "formed founded", label="date of birth or founding"),
            key("members", LIST, "band_members member", label="member", entity=Entity.MUSICIAN),
            key("lifespan", Type.SPAN, "life_span years_active"),
            key("music", LIST, "works songs albums all_works song album", label="work",
                entity=Entity.SONG, inverse="author"),
            *hidden("birthday", DATE, "date of birth or founding"),
        ),
        row="person",
        gives=Entity.MUSICIAN,
        about=("{name}",),
        note="musicians and bands",
    ),
    Function(
        "get_song",
        Domain.MUSIC,
        (_SONG,),
        (
            key("name", Type.TEXT, "song_name", "title"),
            key("author", Type.TEXT, "artist singer songwriter writer", entity=Entity.MUSICIAN),
            key("release_country", Type.TEXT, "country", label="country of release",
                codes="country"),
            key("release_date", DATE, "released date year release_year"),
        ),
        row="song",
        gives=Entity.SONG,
        about=("{name}",),
        synonyms=("get_song_info", "get_album", "song"),
    ),
    Function(
        "get_grammy_person",
        Domain.MUSIC,
        (take("name", "person artist band", entity=Entity.MUSICIAN),),
        (
            _GRAMMYS,
            key("award_date", LIST, "award_years years year date", "award_dates",
                label="Grammy year"),
        ),
        about=("{name}",),
        synonyms=("get_person_grammy", "get_grammy_artist"),
        complete="the Grammys",
    ),
    Function(
        "get_grammy_song",
        Domain.MUSIC,
        (_SONG,),
        (_GRAMMYS,),
        about=("{name}",),
        synonyms=("get_song_grammy",),
        complete="the Grammys",
    ),
    Function(
        "get_grammy_year",
        Domain.MUSIC,
        (take("year", "movie_year award_year", YEAR, optional=True),),
        (
            key("best_new_artist", LIST, "best_artist new_artist", label="best new artist",
                entity=Entity.MUSICIAN),
            key("best_album", LIST, "album_of_the_year album", label="album of the year",
                entity=Entity.SONG),
            key("best_song", LIST, "song_of_the_year song", label="song of the year",
                entity=Entity.SONG),
        ),
        row="year",
        about=("Grammys of {year}",),
        synonyms=("get_year_grammy", "get_grammy"),
        complete="the Grammys",
        note="2018 is the 61st ceremony",
    ),
    Function(
        "get_billboard",
        Domain.MUSIC,
        (take("rank", "position place", NUMBER), take("date", "day week", DATE, optional=True)),
        (
            key("song", Type.TEXT, "song_name title", entity=Entity.SONG),
            key("artist", Type.TEXT, "singer author", entity=Entity.MUSICIAN),
        ),
        row="song",
        about=("{song}", "by {artist}"),
        synonyms=("get_billboard_rank", "get_billboard_rank_date"),
    ),
    Function(
        "get_billboard_song",
        Domain.MUSIC,
        (_SONG, take("date", "day week", DATE)),
        (
            key("rank", NUMBER, "position place", label="rank in the Billboard chart"),
            key("rank_last_week", NUMBER, "last_week last_position", label="rank a week before"),
            key("weeks_in_chart", NUMBER, "weeks weeks_on_chart", label="number of weeks charted"),
            key("top_position", NUMBER, "peak peak_position highest_rank", label="best rank"),
        ),
        synonyms=("get_song_billboard", "get_billboard_attributes"),
    ),
)  # fmt: skip

_OPEN = (
    Function(
        "get_open",
        Domain.OPEN,
        (take("name", "entity query title", entity=Entity.THING),),
        (key("summary_text", Type.TEXT, "summary description", label="summary"),),
        gives=Entity.THING,
        any_key=True,
        synonyms=("get_entity", "get_open_info", "get_open_domain"),
    ),
)

ROWS = (*_MOVIES, *_MUSIC, *FINANCE, *SPORTS, *_OPEN)
