"""The rows of the query language's table, one a function and domain.

The movie domain and the names of functions are the paper's (db3, section 3.2 and Appendix C.3); the
other keys are those that the API's records carry, so that what is read can be looked up as it is.
"""

from models.kg.language.functions import Function, Key, Parameter, Type
from models.kg.language.rows import DATE, FLAG, LIST, NUMBER, YEAR, key, may_take, take
from models.kg.language.table_sports import SPORTS
from models.records import Domain

_MOVIE = take("movie", "movie_name title film name")
_PERSON = Parameter(
    "person", synonyms=tuple("person_name name actor director artist".split()), several=True
)
_PERSON_NAME = take("name", "person person_name artist artist_name")
_SONG = take("song", "song_name name title")
_COMPANY = take("name", "company company_name ticker ticker_name stock symbol")
_THE_YEAR = take("year", "movie_year award_year", YEAR)


def _of_movie(person: str) -> tuple[Key, Key]:
    """The first keys of a table that joins movies and persons, called `person` in English."""
    return (
        key("movie_name", Type.TEXT, "movie movie_title", "title film", label="film"),
        key("name", Type.TEXT, "person actor actress director", "person_name", label=person),
    )


_YEAR_OF_MOVIE = key("year", YEAR, "movie_year release_year released")
_BOTH = (_MOVIE, _PERSON, may_take("year", "movie_year", YEAR))

_MOVIES = (
    Function(
        "get_movie",
        Domain.MOVIE,
        (_MOVIE,),
        (
            key("title", Type.TEXT, "film movie movie_title", "movie_name name"),
            key("release_date", DATE, "released date premiere release_day"),
            key("year", YEAR, "release_year movie_year"),
            key("original_title"),
            key("original_language", Type.TEXT, "language"),
            key("budget", NUMBER, "cost production_budget", unit="$"),
            key("revenue", NUMBER, "gross box_office earnings worldwide_gross", unit="$"),
            key("rating", NUMBER, "vote_average score imdb_rating"),
            key("length", NUMBER, "runtime duration running_time", unit="minutes"),
            key("genres", LIST, "genre"),
            key("cast", LIST, "actors starring"),
            key("crew", LIST, "staff"),
            key("oscar_awards", LIST, "oscars awards"),
            key("id", NUMBER, "movie_id"),
        ),
        synonyms=("get_movie_info", "get_film", "movie", "find_movie"),
    ),
    Function(
        "get_person",
        Domain.MOVIE,
        (_PERSON_NAME,),
        (
            key("name", Type.TEXT, "full_name", "person_name"),
            key("birthday", DATE, "born date_of_birth dob"),
            key("acted_movies", LIST, "movies filmography films"),
            key("directed_movies", LIST, "films_directed"),
            key("oscar_awards", LIST, "oscars awards"),
            key("id", NUMBER, "person_id"),
        ),
        synonyms=("get_person_info", "get_artist", "get_band", "get_actor", "get_director"),
    ),
    Function(
        "get_movie_person_cast",
        Domain.MOVIE,
        _BOTH,
        (
            *_of_movie("actor"),
            key("character", Type.TEXT, "role"),
            key("gender", Type.TEXT, "sex"),
            key("order", NUMBER, "billing"),
            _YEAR_OF_MOVIE,
        ),
        synonyms=("get_movie_cast", "get_cast"),
    ),
    Function(
        "get_movie_person_crew",
        Domain.MOVIE,
        _BOTH,
        (
            *_of_movie("crew member"),
            key("job", Type.TEXT, "role position"),
            key("gender", Type.TEXT, "sex"),
            _YEAR_OF_MOVIE,
        ),
        synonyms=("get_movie_crew", "get_crew"),
    ),
    Function(
        "get_movie_person_oscar",
        Domain.MOVIE,
        _BOTH,
        (
            *_of_movie("nominee"),
            key("year", YEAR, "award_year", "year_ceremony"),
            key("ceremony", NUMBER, "ceremony_number"),
            key("category", Type.TEXT, "award"),
            key("winner", FLAG, "won win is_winner"),
        ),
        aliases=("get_movie_person_year_oscar",),
        synonyms=("get_oscar", "get_movie_oscar", "get_person_oscar"),
        complete="the Oscars of 1990 to 2021, where only a year is given",
    ),
    Function(
        "get_movie_year",
        Domain.MOVIE,
        (_THE_YEAR,),
        (key("movie_list", LIST, "movies films"), key("oscar_awards", LIST, "oscars awards")),
        synonyms=("get_year_info", "get_year"),
    ),
)

_GRAMMYS = key("award_count", NUMBER, "awards grammys number", "count", label="number of Grammys")
_MUSIC = (
    Function(
        "get_person",
        Domain.MUSIC,
        (_PERSON_NAME,),
        (
            key("birth_place", Type.TEXT, "birthplace country origin place_of_birth"),
            key("birth_date", DATE, "formed founded"),
            key("members", LIST, "band_members member"),
            key("lifespan", LIST, "life_span years_active"),
            key("music", LIST, "works songs albums all_works", label="work"),
        ),
    ),
    Function(
        "get_song",
        Domain.MUSIC,
        (_SONG,),
        (
            key("author", Type.TEXT, "artist singer songwriter writer"),
            key("release_country", Type.TEXT, "country"),
            key("release_date", DATE, "released date year release_year"),
        ),
        synonyms=("get_song_info", "get_album", "song"),
    ),
    Function(
        "get_grammy_person",
        Domain.MUSIC,
        (_PERSON_NAME,),
        (
            _GRAMMYS,
            key(
                "award_date",
                LIST,
                "award_years years year date",
                "award_dates",
                label="Grammy year",
            ),
        ),
        synonyms=("get_person_grammy", "get_grammy_artist"),
        complete="the Grammys",
    ),
    Function(
        "get_grammy_song",
        Domain.MUSIC,
        (_SONG,),
        (_GRAMMYS,),
        synonyms=("get_song_grammy",),
        complete="the Grammys",
    ),
    Function(
        "get_grammy_year",
        Domain.MUSIC,
        (_THE_YEAR,),
        (
            key("best_new_artist", LIST, "best_artist new_artist"),
            key("best_album", LIST, "album_of_the_year album"),
            key("best_song", LIST, "song_of_the_year song"),
        ),
        synonyms=("get_year_grammy", "get_grammy"),
        complete="the Grammys",
    ),
    Function(
        "get_billboard",
        Domain.MUSIC,
        (take("rank", "position place", NUMBER), may_take("date", "day week", DATE)),
        (key("song", Type.TEXT, "song_name title"), key("artist", Type.TEXT, "singer author")),
        synonyms=("get_billboard_rank", "get_billboard_rank_date"),
    ),
    Function(
        "get_billboard_song",
        Domain.MUSIC,
        (_SONG, take("date", "day week", DATE)),
        (
            key("rank", NUMBER, "position place"),
            key("rank_last_week", NUMBER, "last_week last_position"),
            key("weeks_in_chart", NUMBER, "weeks weeks_on_chart"),
            key("top_position", NUMBER, "peak peak_position highest_rank"),
        ),
        synonyms=("get_song_billboard", "get_billboard_attributes"),
    ),
)

_PRICES = (
    key("date", DATE, "day datetime timestamp time"),
    key("open", NUMBER, "opening open_price opening_price", "Open", "$", "opening price"),
    key("high", NUMBER, "highest high_price", "High", "$"),
    key("low", NUMBER, "lowest low_price", "Low", "$"),
    key("close", NUMBER, "closing close_price closing_price price", "Close", "$", "closing price"),
    key("volume", NUMBER, "trading_volume shares_traded", "Volume", "shares", "trading volume"),
)
_BETWEEN = (
    _COMPANY,
    take("t1", "date start start_date from from_date day", DATE),
    may_take("t2", "end end_date to to_date", DATE),
)


def _figure(name: str, aliases: str, label: str, *synonyms: str, unit: str = "") -> Function:
    """A function that gives one figure of a company."""
    keys = (key("value", NUMBER, "figure amount", aliases, unit, label),)
    return Function(name, Domain.FINANCE, (_COMPANY,), keys, synonyms=synonyms)


_FINANCE = (
    Function(
        "get_stock_price",
        Domain.FINANCE,
        _BETWEEN,
        _PRICES,
        synonyms=("get_price", "get_price_history", "get_stock"),
    ),
    Function(
        "get_stock_detailed_price",
        Domain.FINANCE,
        _BETWEEN,
        _PRICES,
        synonyms=("get_detailed_price", "get_detailed_price_history"),
    ),
    Function(
        "get_stock_dividend",
        Domain.FINANCE,
        (_COMPANY,),
        (
            key("date", DATE, "day"),
            key("value", NUMBER, "amount dividend", unit="$", label="dividend"),
        ),
        synonyms=("get_dividend", "get_dividends", "get_dividends_history"),
    ),
    _figure("get_stock_pe_ratio", "pe_ratio", "P/E ratio", "get_pe_ratio", "get_pe"),
    _figure(
        "get_stock_market_cap",
        "market_cap",
        "market capitalization",
        "get_market_cap",
        "get_market_capitalization",
        unit="$",
    ),
    _figure("get_stock_eps", "eps", "earnings per share", "get_eps", unit="$"),
    Function(
        "get_stock_info",
        Domain.FINANCE,
        (_COMPANY,),
        any_key=True,
        synonyms=("get_info", "get_company_info"),
    ),
    Function(
        "get_company",
        Domain.FINANCE,
        (_COMPANY,),
        (
            key("name", Type.TEXT, "full_name", "company_name"),
            key("ticker", Type.TEXT, "symbol", "ticker_name"),
        ),
        synonyms=("get_company_name", "get_ticker", "get_ticker_by_name"),
        complete="the companies",
    ),
)

_OPEN = (
    Function(
        "get_open",
        Domain.OPEN,
        (take("name", "entity query title"),),
        any_key=True,
        synonyms=("get_entity", "get_open_info", "get_open_domain"),
    ),
)

ROWS = (*_MOVIES, *_MUSIC, *_FINANCE, *SPORTS, *_OPEN)
