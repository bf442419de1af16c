"""The 38 endpoints of the CRAG mock API, one row each.

The client's checks and methods (`utils/crag_api.py`), the server's routes (`mock_api/app.py`) and
the page `docs/kg_api.md` are derived from this table. Paths, method names and argument names are
those of the official API and its wrapper; the descriptions are ours.
"""

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from utils.errors import ApiRejected


class Kind(StrEnum):
    """The type of a parameter, as written in the documentation."""

    TEXT = "string"
    INTEGER = "integer"
    TEXTS = "list of strings"

    def admits(self, value: Any) -> bool:
        """Whether the server would accept `value` without coercion."""
        match self:
            case Kind.TEXT:
                return isinstance(value, str)
            case Kind.INTEGER:
                return isinstance(value, int) and not isinstance(value, bool)
            case Kind.TEXTS:
                return isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)


@dataclass(frozen=True, slots=True)
class Param:
    """One field of a request body; `argument` is the official wrapper's name for it."""

    name: str
    argument: str
    kind: Kind = Kind.TEXT
    required: bool = True


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint: `POST path` with `params` as a JSON object answers `{"result": returns}`."""

    path: str
    params: tuple[Param, ...]
    returns: str
    summary: str

    @property
    def method(self) -> str:
        """The name of the official wrapper's method, made of the words of the path."""
        return self.path.strip("/").replace("/", "_")

    @property
    def domain(self) -> str:
        return self.path.split("/")[1]

    def body(self, given: dict[str, Any]) -> dict[str, Any]:
        """The request body, with its fields in the table's order, without absent optional ones.

        Raises:
            ApiRejected: a field is unknown, missing, or of the wrong type.
        """
        names = {alias: p.name for p in self.params for alias in (p.argument, p.name)}
        unknown = sorted(key for key in given if key not in names)
        if unknown:
            known = ", ".join(p.name for p in self.params) or "none"
            raise ApiRejected(f"{self.path}: no parameter {', '.join(unknown)}; it takes: {known}")
        values = {names[key]: value for key, value in given.items()}
        if len(values) < len(given):
            raise ApiRejected(f"{self.path}: a parameter is given twice, under both its names")
        return {p.name: values[p.name] for p in self.params if self._present(p, values)}

    def _present(self, param: Param, values: dict[str, Any]) -> bool:
        value = values.get(param.name)
        if value is None:
            if param.required:
                raise ApiRejected(f"{self.path}: {param.name} ({param.kind}) is missing")
            return False
        if not param.kind.admits(value):
            kind = type(value).__name__
            raise ApiRejected(f"{self.path}: {param.name} must be of type {param.kind}, is {kind}")
        return True


def _query(argument: str, kind: Kind = Kind.TEXT) -> tuple[Param, ...]:
    return (Param("query", argument, kind),)


_YEAR = _query("year", Kind.INTEGER)
_TICKER = _query("ticker_name")
_ARTIST = _query("artist_name")
_SONG = _query("song_name")
_GAMES = (Param("date", "date"), Param("team_name", "team_name", required=False))

_PRICES = "object: time -> Open, High, Low, Close, Volume; or null"
_MOVIE = (
    "id, title, release_date, original_title, original_language, budget, revenue, rating, length, "
    "genres, cast, crew, oscar_awards"
)
_PERSON = "id, name, birthday, acted_movies, directed_movies, oscar_awards"
_COLUMNS = "object of columns, each an object row -> value; or null"

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "/open/search_entity_by_name",
        _query("query"),
        "list of up to 10 names, best first",
        "Names of encyclopedia entries whose words match the query.",
    ),
    Endpoint(
        "/open/get_entity",
        _query("entity"),
        "object: summary_text, summary_structured, raw_mediawiki; or null",
        "The entry of exactly this name.",
    ),
    Endpoint(
        "/movie/get_person_info",
        _query("person_name"),
        f"list of up to 10 objects ({_PERSON}), best first",
        "People of the cinema whose names match the query.",
    ),
    Endpoint(
        "/movie/get_movie_info",
        _query("movie_name"),
        f"list of up to 10 objects ({_MOVIE}), best first",
        "Movies whose titles match the query.",
    ),
    Endpoint(
        "/movie/get_year_info",
        _query("year"),
        "object: movie_list (ids), oscar_awards; or null",
        "The movies released and the Oscars held in a year from 1990 to 2021 (else refused).",
    ),
    Endpoint(
        "/movie/get_movie_info_by_id",
        _query("movid_id", Kind.INTEGER),  # spelling of the official wrapper
        f"object ({_MOVIE}); or null",
        "The movie of this id.",
    ),
    Endpoint(
        "/movie/get_person_info_by_id",
        _query("person_id", Kind.INTEGER),
        f"object ({_PERSON}); or null",
        "The person of this id.",
    ),
    Endpoint(
        "/finance/get_company_name",
        _query("query"),
        "list of up to 10 names, best first",
        "Full names of listed securities that match the query.",
    ),
    Endpoint(
        "/finance/get_ticker_by_name",
        _query("query"),
        "string; or null",
        "The ticker of exactly this full name.",
    ),
    Endpoint(
        "/finance/get_price_history",
        _TICKER,
        _PRICES,
        "A year of daily prices.",
    ),
    Endpoint(
        "/finance/get_detailed_price_history",
        _TICKER,
        _PRICES,
        "Five days of prices by the minute.",
    ),
    Endpoint(
        "/finance/get_dividends_history",
        _TICKER,
        "object: day -> dividend a share; or null",
        "All dividends paid.",
    ),
    Endpoint(
        "/finance/get_market_capitalization",
        _TICKER,
        "number; or null",
        "The market capitalisation, in US dollars.",
    ),
    Endpoint(
        "/finance/get_eps",
        _TICKER,
        "number; or null",
        "Earnings a share.",
    ),
    Endpoint(
        "/finance/get_pe_ratio",
        _TICKER,
        "number; or null",
        "The ratio of price to earnings.",
    ),
    Endpoint(
        "/finance/get_info",
        _TICKER,
        "object; or null",
        "What is known of the company: address, sector, staff, ratios and the like.",
    ),
    Endpoint(
        "/music/search_artist_entity_by_name",
        _ARTIST,
        "list of up to 10 names, best first",
        "Names of artists and bands that match the query.",
    ),
    Endpoint(
        "/music/search_song_entity_by_name",
        _SONG,
        "list of up to 10 names, best first",
        "Names of songs that match the query.",
    ),
    Endpoint(
        "/music/get_billboard_rank_date",
        (Param("rank", "rank", Kind.INTEGER), Param("date", "date", required=False)),
        "[songs, artists], two lists; [null, null] for a rank never seen",
        "What stood at this rank of the Hot 100 on a day (YYYY-MM-DD), or on every day known.",
    ),
    Endpoint(
        "/music/get_billboard_attributes",
        (
            Param("date", "date"),
            Param("attribute", "attribute"),
            Param("song_name", "song_name"),
        ),
        "string; or null",
        "rank_last_week, weeks_in_chart, top_position or rank of a song on a day.",
    ),
    Endpoint(
        "/music/grammy_get_best_artist_by_year",
        _YEAR,
        "list of names; null outside 1957-2019",
        "Best New Artist of a year's Grammys.",
    ),
    Endpoint(
        "/music/grammy_get_award_count_by_artist",
        _ARTIST,
        "integer",
        "How many Grammy fields (nominee, artist, workers) contain this name.",
    ),
    Endpoint(
        "/music/grammy_get_award_count_by_song",
        _SONG,
        "integer",
        "How many Grammys went to exactly this title.",
    ),
    Endpoint(
        "/music/grammy_get_best_song_by_year",
        _YEAR,
        "list of titles; null outside 1957-2019",
        "Song Of The Year of a year's Grammys.",
    ),
    Endpoint(
        "/music/grammy_get_award_date_by_artist",
        _ARTIST,
        "list of years, in no order",
        "The years in which a Grammy field contains this name.",
    ),
    Endpoint(
        "/music/grammy_get_best_album_by_year",
        _YEAR,
        "list of titles; null outside 1957-2019",
        "Album Of The Year of a year's Grammys.",
    ),
    Endpoint(
        "/music/grammy_get_all_awarded_artists",
        (),
        "list of names",
        "Every Best New Artist, each once.",
    ),
    Endpoint(
        "/music/get_artist_birth_place",
        _ARTIST,
        "two-letter country code; or null",
        "Where an artist was born or a band was formed.",
    ),
    Endpoint(
        "/music/get_artist_birth_date",
        _ARTIST,
        "YYYY, YYYY-MM or YYYY-MM-DD; or null",
        "When an artist was born or a band was formed.",
    ),
    Endpoint(
        "/music/get_members",
        _query("band_name"),
        "list of names, in no order; or null",
        "The members of a band.",
    ),
    Endpoint(
        "/music/get_lifespan",
        _ARTIST,
        "[begin, end], each a date or null",
        "When an artist lived or a band existed.",
    ),
    Endpoint(
        "/music/get_song_author",
        _SONG,
        "string; or null",
        "Who a song is by.",
    ),
    Endpoint(
        "/music/get_song_release_country",
        _SONG,
        "two-letter country code; or null",
        "Where a song was released.",
    ),
    Endpoint(
        "/music/get_song_release_date",
        _SONG,
        "YYYY, YYYY-MM or YYYY-MM-DD; or null",
        "When a song was released.",
    ),
    Endpoint(
        "/music/get_artist_all_works",
        _SONG,  # an artist's name, despite the official wrapper's name for it
        "list of titles; or null",
        "All works of an artist.",
    ),
    Endpoint(
        "/sports/soccer/get_games_on_date",
        _GAMES,
        _COLUMNS,
        "Soccer games of a day, month or year (YYYY-MM-DD, YYYY-MM, YYYY), of one team or all.",
    ),
    Endpoint(
        "/sports/nba/get_games_on_date",
        _GAMES,
        _COLUMNS,
        "NBA games of a day, month or year (YYYY-MM-DD, YYYY-MM, YYYY), of one team or all.",
    ),
    Endpoint(
        "/sports/nba/get_play_by_play_data_by_game_ids",
        (Param("game_ids", "game_ids", Kind.TEXTS),),
        _COLUMNS,
        "Every event of these NBA games.",
    ),
)

_BY_NAME = MappingProxyType(
    {name: row for row in ENDPOINTS for name in (row.path, row.path.strip("/"), row.method)}
)


def find_endpoint(name: str) -> Endpoint:
    """The row of a path ("/open/get_entity") or method name ("open_get_entity").

    Raises:
        ApiRejected: there is no such endpoint.
    """
    row = _BY_NAME.get(name)
    if row is None:
        raise ApiRejected(f"no endpoint {name!r}")
    return row


def docs_page() -> str:
    """The page `docs/kg_api.md`, in Markdown."""
    lines = [
        "# The KG API",
        "",
        "Made by `python -m utils.crag_api > docs/kg_api.md` from the table in "
        "`utils/crag_endpoints.py`; a test keeps the two equal.",
        "",
        f"There are {len(ENDPOINTS)} endpoints. Each is `POST`, takes a JSON object, and answers "
        '`{"result": ...}`.',
        "A method is called by the names in brackets where they differ from the field's; `?` marks "
        "what may be left out.",
    ]
    for domain in dict.fromkeys(row.domain for row in ENDPOINTS):
        lines += ["", f"## {domain}", "", "| endpoint | method | body | result | what |"]
        lines += ["|---|---|---|---|---|"]
        lines += [_docs_line(row) for row in ENDPOINTS if row.domain == domain]
    return "\n".join(lines) + "\n"


def _docs_line(row: Endpoint) -> str:
    fields = "; ".join(
        f"{p.name}{'' if p.required else '?'}"
        + (f" [{p.argument}]" if p.argument != p.name else "")
        + f": {p.kind}"
        for p in row.params
    )
    return f"| `{row.path}` | `{row.method}` | {fields or '-'} | {row.returns} | {row.summary} |"
