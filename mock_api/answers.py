"""What each endpoint answers, as JSON text.

`ANSWERS` maps an endpoint's path to a function of the store and the body's fields. Text that the
store keeps as JSON goes out as it is, unparsed.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mock_api.json_text import dump
from mock_api.schema import FINANCE_KINDS
from mock_api.search import TOP
from mock_api.store import Store
from utils.errors import InputError

AnswerFunction = Callable[..., str]
NULL = "null"
MOVIE_YEARS = range(1990, 2022)
GRAMMY_YEARS = range(1957, 2020)
_DECIMALS = 10  # as many as pandas writes
# Whether a column begins with a day, a month or a year.
_ON_DATE = "length(?1) IN (4, 7, 10) AND instr({}, ?1) = 1"


def _searched_names(corpus: str) -> AnswerFunction:
    """Fuzzy search whose result is names; names that normalise alike come together."""
    sql = "SELECT name FROM label WHERE corpus = ? AND doc = ? ORDER BY place"

    def answer(store: Store, query: str) -> str:
        names: list[str] = []
        for doc in store.search(corpus, query):
            names += [name for (name,) in store.rows(sql, corpus, doc)]
            if len(names) >= TOP:
                break
        return dump(names[:TOP])

    return answer


def _searched_records(table: str) -> AnswerFunction:
    """Fuzzy search whose result is whole records."""
    sql = f"SELECT value FROM {table} WHERE doc = ?"

    def answer(store: Store, query: str) -> str:
        records = [store.value(sql, doc) for doc in store.search(table, query)]
        return f"[{','.join(records)}]"

    return answer


def _by_key(table: str, key: str) -> AnswerFunction:
    """The JSON value stored under exactly this key; the last, as in the official server's dict."""
    sql = f"SELECT value FROM {table} WHERE {key} = ? ORDER BY rowid DESC LIMIT 1"
    # As text: an integer may be larger than SQLite's. The type of the column decides how it is
    # compared.
    return lambda store, query: store.value(sql, str(query)) or NULL


def _finance_value(kind: str) -> AnswerFunction:
    """The value of this kind that is stored for a ticker symbol."""
    sql = "SELECT value FROM finance WHERE ticker = ? AND kind = ?"
    return lambda store, query: store.value(sql, query, kind) or NULL


def _field(table: str, field: str) -> AnswerFunction:
    """One field of the record of this name; what is empty is null."""
    return lambda store, query: dump(_record(store, table, query).get(field) or None)


def _record(store: Store, table: str, name: str) -> dict[str, Any]:
    """The record of this name; empty where there is none."""
    record = json.loads(store.value(f"SELECT value FROM {table} WHERE name = ?", name) or NULL)
    return record if isinstance(record, dict) else {}


def movie_year(store: Store, query: str) -> str:
    """A year's movies and awards.

    Raises:
        InputError: not an integer, or a year that the KG does not cover.
    """
    try:
        year = int(query)
    except ValueError:
        raise InputError("Year must be an integer") from None
    if year not in MOVIE_YEARS:
        raise InputError(f"Year must be from {MOVIE_YEARS[0]} to {MOVIE_YEARS[-1]}")
    # Looked up by the text as sent: " 1992 " is a valid year without an entry.
    return store.value("SELECT value FROM years WHERE year = ?", query) or NULL


def ticker(store: Store, query: str) -> str:
    """The ticker symbol of a company."""
    return dump(store.value("SELECT ticker FROM companies WHERE name = ?", query))


def members(store: Store, query: str) -> str:
    """The members of a band, each once; null where the record has no list of them."""
    names = _record(store, "artists", query).get("members")
    if not isinstance(names, list):
        return NULL
    return dump(list(dict.fromkeys(names)))


def lifespan(store: Store, query: str) -> str:
    """[begin, end]; both are null unless the record has a field for each."""
    record = _record(store, "artists", query)
    if "birth_date" not in record or "end_date" not in record:
        return dump([None, None])
    return dump([record["birth_date"], record["end_date"]])


def billboard_rank(store: Store, rank: int, date: str | None = None) -> str:
    """[songs, artists] of a rank, of all dates or of one; both are null for an unknown rank."""
    sql = "SELECT date, song, artist FROM billboard_ranks WHERE rank = ? ORDER BY rowid"
    rows = store.rows(sql, str(rank))
    if not rows:
        return dump([None, None])
    if date:
        rows = [row for row in rows if row[0] == date][:1]
    songs = [song for _, song, _ in rows]
    artists = [artist for _, _, artist in rows]
    return dump([songs, artists])


def billboard_attribute(store: Store, date: str, attribute: str, song_name: str) -> str:
    """A figure of a song on a date: the attribute where it is known, else the rank."""
    known = ("rank_last_week", "weeks_in_chart", "top_position")
    column = attribute if attribute in known else "rank"  # as the official server has it
    sql = f"SELECT {column} FROM billboard_songs WHERE song = ? AND date = ?"
    return dump(store.value(sql, song_name, date))


def _grammy_best(category: str) -> AnswerFunction:
    """The nominees of a category in a year; null for a year that the KG does not cover."""
    sql = "SELECT nominee FROM grammy WHERE category = ? AND year = ? ORDER BY rowid"

    def answer(store: Store, query: int) -> str:
        if query not in GRAMMY_YEARS:
            return NULL
        nominees = [nominee for (nominee,) in store.rows(sql, category, query)]
        return dump(nominees)

    return answer


# The official server looks for the name inside the text of each field, where a missing one reads
# "nan", and counts fields, not rows.
_NAME_IN_FIELD = tuple(
    f"instr(coalesce({name}, 'nan'), ?1) > 0" for name in ("nominee", "artist", "workers")
)


def grammy_count_by_artist(store: Store, query: str) -> str:
    """The number of Grammy awards in whose fields the name occurs."""
    total = " + ".join(f"total({condition})" for condition in _NAME_IN_FIELD)
    return str(int(store.value(f"SELECT {total} FROM grammy", query)))


def grammy_count_by_song(store: Store, query: str) -> str:
    """The number of Grammy awards of a song."""
    return str(store.value("SELECT count(*) FROM grammy WHERE nominee = ?", query))


def grammy_years_by_artist(store: Store, query: str) -> str:
    """The years in a set's order, as in the official server: arbitrary, yet always the same."""
    sql = f"SELECT year FROM grammy WHERE {' OR '.join(_NAME_IN_FIELD)} ORDER BY rowid"
    years = {year for (year,) in store.rows(sql, query)}
    return dump(list(years))


def grammy_new_artists(store: Store) -> str:
    """All winners of the award for the best new artist, each once."""
    sql = "SELECT nominee FROM grammy WHERE category = ? AND nominee IS NOT NULL ORDER BY rowid"
    names = [name for (name,) in store.rows(sql, "Best New Artist")]
    return dump(list(dict.fromkeys(names)))


def soccer_games(store: Store, date: str, team_name: str | None = None) -> str:
    """The games of a day, month or year; null where there are none, or for any other `date`."""
    condition = _ON_DATE.format("date")
    values = [date]
    if team_name is not None:
        condition += " AND team = ?2"
        values.append(team_name)
    names, rows = store.table(f"SELECT * FROM soccer WHERE {condition} ORDER BY rowid", *values)
    labels = [str(row[:4]) for row in rows]  # league, season, team and game
    table_columns = list(zip(*rows, strict=True))
    return _by_column(labels, names[4:], table_columns[4:])


def nba_games(store: Store, date: str, team_name: str | None = None) -> str:
    """The games of a day, month or year; null where there are none.

    As in the official server, a `date` of more than three parts restricts nothing. Unlike there, no
    text of a request is run as SQL.
    """
    condition = f"({_ON_DATE.format('game_date')} OR ?1 LIKE '%-%-%-%')"
    values = [date]
    if team_name is not None:
        condition += " AND ?2 IN (team_name_home, team_name_away)"
        values.append(team_name)
    sql = f"SELECT * FROM nba_games WHERE {condition} ORDER BY rowid"
    return _numbered_rows(store, sql, *values)


def nba_plays(store: Store, game_ids: Sequence[str]) -> str:
    """Every event of the games, in stored order; null where there are none."""
    sql = "SELECT * FROM nba_plays WHERE game_id IN (SELECT value FROM json_each(?)) ORDER BY rowid"
    return _numbered_rows(store, sql, dump(list(game_ids)))


def _numbered_rows(store: Store, sql: str, *values: str) -> str:
    """The rows by column, each row labelled by its number."""
    names, rows = store.table(sql, *values)
    columns = map(_as_pandas, zip(*rows, strict=True))
    labels = [str(number) for number in range(len(rows))]
    return _by_column(labels, names, columns)


def _as_pandas(values: Sequence[Any]) -> Sequence[Any]:
    """A column of numbers as pandas holds it: all of one kind, and a gap makes it floats."""
    numbers = [value for value in values if value is not None]
    if not all(isinstance(value, int | float) for value in numbers):
        return values
    has_gap = len(numbers) < len(values)
    if has_gap or any(isinstance(value, float) for value in numbers):
        return [None if value is None else float(value) for value in values]
    return values


def _by_column(labels: list[str], names: list[str], columns: Iterable[Sequence[Any]]) -> str:
    """{column: {label: value}}; null where there are no rows."""
    if not labels:
        return NULL
    rounded: dict[str, dict[str, Any]] = {}
    for name, column in zip(names, columns, strict=True):
        rounded[name] = {
            label: round(value, _DECIMALS) if isinstance(value, float) else value
            for label, value in zip(labels, column, strict=True)
        }
    return dump(rounded)


ANSWERS: Mapping[str, AnswerFunction] = {
    "/open/search_entity_by_name": _searched_names("open"),
    "/open/get_entity": _by_key("open", "name"),
    "/movie/get_person_info": _searched_records("persons"),
    "/movie/get_movie_info": _searched_records("movies"),
    "/movie/get_year_info": movie_year,
    "/movie/get_movie_info_by_id": _by_key("movies", "id"),
    "/movie/get_person_info_by_id": _by_key("persons", "id"),
    "/finance/get_company_name": _searched_names("companies"),
    "/finance/get_ticker_by_name": ticker,
    **{f"/finance/get_{kind}": _finance_value(kind) for kind in FINANCE_KINDS.values()},
    "/music/search_artist_entity_by_name": _searched_names("artists"),
    "/music/search_song_entity_by_name": _searched_names("songs"),
    "/music/get_billboard_rank_date": billboard_rank,
    "/music/get_billboard_attributes": billboard_attribute,
    "/music/grammy_get_best_artist_by_year": _grammy_best("Best New Artist"),
    "/music/grammy_get_award_count_by_artist": grammy_count_by_artist,
    "/music/grammy_get_award_count_by_song": grammy_count_by_song,
    "/music/grammy_get_best_song_by_year": _grammy_best("Song Of The Year"),
    "/music/grammy_get_award_date_by_artist": grammy_years_by_artist,
    "/music/grammy_get_best_album_by_year": _grammy_best("Album Of The Year"),
    "/music/grammy_get_all_awarded_artists": grammy_new_artists,
    "/music/get_artist_birth_place": _field("artists", "country"),
    "/music/get_artist_birth_date": _field("artists", "birth_date"),
    "/music/get_members": members,
    "/music/get_lifespan": lifespan,
    "/music/get_song_author": _field("songs", "author"),
    "/music/get_song_release_country": _field("songs", "country"),
    "/music/get_song_release_date": _field("songs", "date"),
    "/music/get_artist_all_works": _by_key("works", "artist"),
    "/sports/soccer/get_games_on_date": soccer_games,
    "/sports/nba/get_games_on_date": nba_games,
    "/sports/nba/get_play_by_play_data_by_game_ids": nba_plays,
}
