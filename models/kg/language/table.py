"""The rows of the query language's table, one a function and domain.

The movie domain and the names of functions are the paper's (db3, section 3.2 and Appendix C.3); the
other keys are those that the API's records carry, so that what is read can be looked up as it is.
"""

from models.kg.language.functions import Function, Key, Parameter, Type
from models.records import Domain

_DATE, _NUMBER, _YEAR, _FLAG, _LIST = Type.DATE, Type.NUMBER, Type.YEAR, Type.FLAG, Type.LIST


def _key(name: str, kind: Type = Type.TEXT, synonyms: str = "", aliases: str = "") -> Key:
    return Key(name, kind, tuple(aliases.split()), tuple(synonyms.split()))


def _keys(names: str, kind: Type = Type.TEXT) -> tuple[Key, ...]:
    return tuple(Key(name, kind) for name in names.split())


def _take(name: str, synonyms: str = "", kind: Type = Type.TEXT) -> Parameter:
    return Parameter(name, kind, False, tuple(synonyms.split()))


def _may_take(name: str, synonyms: str = "", kind: Type = Type.TEXT) -> Parameter:
    return Parameter(name, kind, True, tuple(synonyms.split()))


_MOVIE = _take("movie", "movie_name title film name")
_PERSON = _take("person", "person_name name actor director artist")
_PERSON_NAME = _take("name", "person person_name artist artist_name")
_SONG = _take("song", "song_name name title")
_COMPANY = _take("name", "company company_name ticker ticker_name stock symbol")
_TEAM = _take("team", "team_name name club")
_DAY = _take("date", "day game_date", _DATE)
_THE_YEAR = _take("year", "movie_year award_year", _YEAR)

# Of a table that joins movies and persons.
_OF_MOVIE = (
    _key("movie_name", Type.TEXT, "movie movie_title", "title film"),
    _key("name", Type.TEXT, "person actor actress director", "person_name"),
)
_YEAR_OF_MOVIE = _key("year", _YEAR, "movie_year release_year released")
_BOTH = (_MOVIE, _PERSON, _may_take("year", "movie_year", _YEAR))

_MOVIES = (
    Function(
        "get_movie",
        Domain.MOVIE,
        (_MOVIE,),
        (
            _key("title", Type.TEXT, "film movie movie_title", "movie_name name"),
            _key("release_date", _DATE, "released date premiere release_day"),
            _key("year", _YEAR, "release_year movie_year"),
            _key("original_title"),
            _key("original_language", Type.TEXT, "language"),
            _key("budget", _NUMBER, "cost production_budget"),
            _key("revenue", _NUMBER, "gross box_office earnings worldwide_gross"),
            _key("rating", _NUMBER, "vote_average score imdb_rating"),
            _key("length", _NUMBER, "runtime duration running_time"),
            _key("genres", _LIST, "genre"),
            _key("cast", _LIST, "actors starring"),
            _key("crew", _LIST, "staff"),
            _key("oscar_awards", _LIST, "oscars awards"),
            _key("id", _NUMBER, "movie_id"),
        ),
        synonyms=("get_movie_info", "get_film", "movie", "find_movie"),
    ),
    Function(
        "get_person",
        Domain.MOVIE,
        (_PERSON_NAME,),
        (
            _key("name", Type.TEXT, "full_name", "person_name"),
            _key("birthday", _DATE, "born date_of_birth dob"),
            _key("acted_movies", _LIST, "movies filmography films"),
            _key("directed_movies", _LIST, "films_directed"),
            _key("oscar_awards", _LIST, "oscars awards"),
            _key("id", _NUMBER, "person_id"),
        ),
        synonyms=("get_person_info", "get_artist", "get_band", "get_actor", "get_director"),
    ),
    Function(
        "get_movie_person_cast",
        Domain.MOVIE,
        _BOTH,
        (
            *_OF_MOVIE,
            _key("character", Type.TEXT, "role"),
            _key("gender", Type.TEXT, "sex"),
            _key("order", _NUMBER, "billing"),
            _YEAR_OF_MOVIE,
        ),
        synonyms=("get_movie_cast", "get_cast"),
    ),
    Function(
        "get_movie_person_crew",
        Domain.MOVIE,
        _BOTH,
        (
            *_OF_MOVIE,
            _key("job", Type.TEXT, "role position"),
            _key("gender", Type.TEXT, "sex"),
            _YEAR_OF_MOVIE,
        ),
        synonyms=("get_movie_crew", "get_crew"),
    ),
    Function(
        "get_movie_person_oscar",
        Domain.MOVIE,
        _BOTH,
        (
            *_OF_MOVIE,
            _key("year", _YEAR, "award_year", "year_ceremony"),
            _key("ceremony", _NUMBER, "ceremony_number"),
            _key("category", Type.TEXT, "award"),
            _key("winner", _FLAG, "won win is_winner"),
        ),
        aliases=("get_movie_person_year_oscar",),
        synonyms=("get_oscar", "get_movie_oscar", "get_person_oscar"),
    ),
    Function(
        "get_movie_year",
        Domain.MOVIE,
        (_THE_YEAR,),
        (_key("movie_list", _LIST, "movies films"), _key("oscar_awards", _LIST, "oscars awards")),
        synonyms=("get_year_info", "get_year"),
    ),
)

_MUSIC = (
    Function(
        "get_person",
        Domain.MUSIC,
        (_PERSON_NAME,),
        (
            _key("birth_place", Type.TEXT, "birthplace country origin place_of_birth"),
            _key("birth_date", _DATE, "formed founded"),
            _key("members", _LIST, "band_members member"),
            _key("lifespan", _LIST, "life_span years_active"),
            _key("music", _LIST, "works songs albums all_works"),
        ),
    ),
    Function(
        "get_song",
        Domain.MUSIC,
        (_SONG,),
        (
            _key("author", Type.TEXT, "artist singer songwriter writer"),
            _key("release_country", Type.TEXT, "country"),
            _key("release_date", _DATE, "released date year release_year"),
        ),
        synonyms=("get_song_info", "get_album", "song"),
    ),
    Function(
        "get_grammy_person",
        Domain.MUSIC,
        (_PERSON_NAME,),
        (
            _key("award_count", _NUMBER, "awards grammys number", "count"),
            _key("award_date", _LIST, "award_years years year date", "award_dates"),
        ),
        synonyms=("get_person_grammy", "get_grammy_artist"),
    ),
    Function(
        "get_grammy_song",
        Domain.MUSIC,
        (_SONG,),
        (_key("award_count", _NUMBER, "awards grammys number", "count"),),
        synonyms=("get_song_grammy",),
    ),
    Function(
        "get_grammy_year",
        Domain.MUSIC,
        (_THE_YEAR,),
        (
            _key("best_new_artist", _LIST, "best_artist new_artist"),
            _key("best_album", _LIST, "album_of_the_year album"),
            _key("best_song", _LIST, "song_of_the_year song"),
        ),
        synonyms=("get_year_grammy", "get_grammy"),
    ),
    Function(
        "get_billboard",
        Domain.MUSIC,
        (_take("rank", "position place", _NUMBER), _may_take("date", "day week", _DATE)),
        (_key("song", Type.TEXT, "song_name title"), _key("artist", Type.TEXT, "singer author")),
        synonyms=("get_billboard_rank", "get_billboard_rank_date"),
    ),
    Function(
        "get_billboard_song",
        Domain.MUSIC,
        (_SONG, _take("date", "day week", _DATE)),
        (
            _key("rank", _NUMBER, "position place"),
            _key("rank_last_week", _NUMBER, "last_week last_position"),
            _key("weeks_in_chart", _NUMBER, "weeks weeks_on_chart"),
            _key("top_position", _NUMBER, "peak peak_position highest_rank"),
        ),
        synonyms=("get_song_billboard", "get_billboard_attributes"),
    ),
)

_PRICES = (
    _key("date", _DATE, "day datetime timestamp time"),
    _key("open", _NUMBER, "opening open_price opening_price", "Open"),
    _key("high", _NUMBER, "highest high_price", "High"),
    _key("low", _NUMBER, "lowest low_price", "Low"),
    _key("close", _NUMBER, "closing close_price closing_price price", "Close"),
    _key("volume", _NUMBER, "trading_volume shares_traded", "Volume"),
)
_BETWEEN = (
    _COMPANY,
    _take("t1", "date start start_date from from_date day", _DATE),
    _may_take("t2", "end end_date to to_date", _DATE),
)


def _figure(name: str, aliases: str, *synonyms: str) -> Function:
    """A function that gives one figure of a company."""
    keys = (_key("value", _NUMBER, "figure amount", aliases),)
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
        (_key("date", _DATE, "day"), _key("value", _NUMBER, "amount dividend")),
        synonyms=("get_dividend", "get_dividends", "get_dividends_history"),
    ),
    _figure("get_stock_pe_ratio", "pe_ratio", "get_pe_ratio", "get_pe"),
    _figure("get_stock_market_cap", "market_cap", "get_market_cap", "get_market_capitalization"),
    _figure("get_stock_eps", "eps", "get_eps"),
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
            _key("name", Type.TEXT, "full_name", "company_name"),
            _key("ticker", Type.TEXT, "symbol", "ticker_name"),
        ),
        synonyms=("get_company_name", "get_ticker", "get_ticker_by_name"),
    ),
)

_SOCCER = (
    *_keys("league season team game"),
    _key("date", _DATE, "day_of_game game_date"),
    *_keys("time round day venue"),
    _key("result", Type.TEXT, "outcome"),
    _key("GF", _NUMBER, "goals_for goals goals_scored"),
    _key("GA", _NUMBER, "goals_against goals_conceded"),
    _key("opponent", Type.TEXT, "rival against"),
    *_keys("xG xGA", _NUMBER),
    _key("Poss", _NUMBER, "possession"),
    *_keys("Attendance", _NUMBER),
    *_keys("Captain Formation Referee match_report Notes"),
)


def _nba_side(side: str) -> tuple[Key, ...]:
    shots = "fgm fga fg_pct fg3m fg3a fg3_pct ftm fta ft_pct oreb dreb reb ast stl blk tov pf pts"
    numbers = f"{shots} plus_minus video_available".split()
    texts = "team_id team_abbreviation team_name matchup wl".split()
    synonyms = {"team_name": f"{side}_team", "pts": f"{side}_points {side}_score points_{side}"}
    return tuple(
        _key(f"{name}_{side}", kind, synonyms.get(name, ""))
        for names, kind in ((texts, Type.TEXT), (numbers, _NUMBER))
        for name in names
    )


def _nba_player(number: int) -> tuple[Key, ...]:
    names = "id name team_id team_city team_nickname team_abbreviation".split()
    kind = Key(f"person{number}type", _NUMBER)
    return (kind, *(Key(f"player{number}_{name}") for name in names))


_NBA = (
    *_keys("season_id game_id"),
    _key("game_date", _DATE, "day", "date"),
    *_nba_side("home"),
    *_nba_side("away"),
    _key("min", _NUMBER, "minutes"),
    _key("season_type"),
)
_PLAYS = (
    *_keys("game_id"),
    *_keys("eventnum eventmsgtype eventmsgactiontype", _NUMBER),
    _key("period", _NUMBER, "quarter"),
    *_keys("wctimestring pctimestring homedescription neutraldescription visitordescription"),
    *_keys("score scoremargin video_available_flag"),
    *_nba_player(1),
    *_nba_player(2),
    *_nba_player(3),
)

_SPORTS = (
    Function(
        "get_soccer_next_game",
        Domain.SPORTS,
        (_TEAM,),
        _SOCCER,
        synonyms=("get_next_game", "get_soccer_next"),
    ),
    Function(
        "get_soccer_last_game",
        Domain.SPORTS,
        (_TEAM,),
        _SOCCER,
        synonyms=("get_last_game", "get_soccer_last", "get_soccer_previous_game"),
    ),
    Function(
        "get_soccer_on_date",
        Domain.SPORTS,
        (_TEAM, _DAY),
        _SOCCER,
        synonyms=("get_soccer_game", "get_soccer_games_on_date", "get_soccer"),
    ),
    Function(
        "get_nba_on_date",
        Domain.SPORTS,
        (_TEAM, _DAY),
        _NBA,
        synonyms=("get_nba_game", "get_nba_games_on_date", "get_nba"),
    ),
    Function(
        "get_nba_play_by_play",
        Domain.SPORTS,
        (_take("game_id", "game_ids id"),),
        _PLAYS,
        synonyms=("get_nba_plays", "get_play_by_play"),
    ),
)

_OPEN = (
    Function(
        "get_open",
        Domain.OPEN,
        (_take("name", "entity query title"),),
        any_key=True,
        synonyms=("get_entity", "get_open_info", "get_open_domain"),
    ),
)

ROWS = (*_MOVIES, *_MUSIC, *_FINANCE, *_SPORTS, *_OPEN)
