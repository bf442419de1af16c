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

Answer = Callable[..., str]
NULL = "null"
MOVIE_YEARS = range(1990, 2022)
GRAMMY_YEARS = range(1957, 2020)
_DECIMALS = 10  # as many as pandas writes
# Whether a column begins with a day, a month or a year.
_ON_DATE = "length(?1) IN (4, 7, 10) AND instr({}, ?1) = 1"


def _named(corpus: str) -> Answer:
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


def _records(table: str) -> Answer:
    """Fuzzy search whose result is whole records."""
    sql = f"SELECT value FROM {table} WHERE doc = ?"

    def answer(store: Store, query: str) -> str:
        docs = store.search(table, query)
        return f"[{','.join(store.value(sql, doc) for doc in docs)}]"

    return answer


def _by_key(table: str, key: str) -> Answer:
    """The JSON value stored under exactly this key; the last, as in the official server's dict."""
    sql = f"SELECT value FROM {table} WHERE {key} = ? ORDER BY rowid DESC LIMIT 1"
    # As text: an integer may be larger than SQLite's. The type of the column decides how it is
    # compared.
    return lambda store, query: store.value(sql, str(query)) or NULL


def _finance(kind: str) -> Answer:
    sql = "SELECT value FROM finance WHERE ticker = ? AND kind = ?"
    return lambda store, query: store.value(sql, query, kind) or NULL


def _field(table: str, field: str) -> Answer:
    """One field of the record of this name; what is empty is null."""
    return lambda store, query: dump(_record(store, table, query).get(field) or None)


def _record(store: Store, table: str, name: str) -> dict[str, Any]:
    found = json.loads(store.value(f"SELECT value FROM {table} WHERE name = ?", name) or NULL)
    return found if isinstance(found, dict) else {}


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
    return dump(store.value("SELECT ticker FROM companies WHERE name = ?", query))


def members(store: Store, query: str) -> str:
    found = _record(store, "artists", query).get("members")
    return dump(list(dict.fromkeys(found))) if isinstance(found, list) else NULL


def lifespan(store: Store, query: str) -> str:
    """[begin, end]; both are null unless the record has a field for each."""
    record = _record(store, "artists", query)
    known = "birth_date" in record and "end_date" in record
    return dump([record["birth_date"], record["end_date"]] if known else [None, None])


def billboard_rank(store: Store, rank: int, date: str | None = None) -> str:
    sql = "SELECT date, song, artist FROM billboard_ranks WHERE rank = ? ORDER BY rowid"
    rows = store.rows(sql, str(rank))
    if not rows:
        return dump([None, None])
    if date:
        rows = [row for row in rows if row[0] == date][:1]
    return dump([[song for _, song, _ in rows], [artist for _, _, artist in rows]])


def billboard_attribute(store: Store, date: str, attribute: str, song_name: str) -> str:
    known = ("rank_last_week", "weeks_in_chart", "top_position")
    column = attribute if attribute in known else "rank"  # as the official server has it
    sql = f"SELECT {column} FROM billboard_songs WHERE song = ? AND date = ?"
    return dump(store.value(sql, song_name, date))


def _grammy_best(category: str) -> Answer:
    sql = "SELECT nominee FROM grammy WHERE category = ? AND year = ? ORDER BY rowid"

    def answer(store: Store, query: int) -> str:
        if query not in GRAMMY_YEARS:
            return NULL
        return dump([nominee for (nominee,) in store.rows(sql, category, query)])

    return answer


# The official server looks for the name inside the text of each field, where a missing one reads
# "nan", and counts fields, not rows.
_FIELDS = tuple(
    f"instr(coalesce({name}, 'nan'), ?1) > 0" for name in ("nominee", "artist", "workers")
)


def grammy_count_by_artist(store: Store, query: str) -> str:
    total = " + ".join(f"total({field})" for field in _FIELDS)
    return str(int(store.value(f"SELECT {total} FROM grammy", query)))


def grammy_count_by_song(store: Store, query: str) -> str:
    return str(store.value("SELECT count(*) FROM grammy WHERE nominee = ?", query))


def grammy_years_by_artist(store: Store, query: str) -> str:
    """The years in a set's order, as in the official server: arbitrary, yet always the same."""
    sql = f"SELECT year FROM grammy WHERE {' OR '.join(_FIELDS)} ORDER BY rowid"
    return dump(list({year for (year,) in store.rows(sql, query)}))


def grammy_new_artists(store: Store) -> str:
    sql = "SELECT nominee FROM grammy WHERE category = ? AND nominee IS NOT NULL ORDER BY rowid"
    return dump(list(dict.fromkeys(name for (name,) in store.rows(sql, "Best New Artist"))))


def soccer_games(store: Store, date: str, team_name: str | None = None) -> str:
    """The games of a day, month or year; null where there are none, or for any other `date`."""
    where, values = _ON_DATE.format("date"), [date]
    if team_name is not None:
        where, values = f"{where} AND team = ?2", [date, team_name]
    names, rows = store.table(f"SELECT * FROM soccer WHERE {where} ORDER BY rowid", *values)
    labels = [str(row[:4]) for row in rows]  # league, season, team and game
    return _by_column(labels, names[4:], list(zip(*rows, strict=True))[4:])


def nba_games(store: Store, date: str, team_name: str | None = None) -> str:
    """The games of a day, month or year; null where there are none.

    As in the official server, a `date` of more than three parts restricts nothing. Unlike there, no
    text of a request is run as SQL.
    """
    where, values = f"({_ON_DATE.format('game_date')} OR ?1 LIKE '%-%-%-%')", [date]
    if team_name is not None:
        where, values = f"{where} AND ?2 IN (team_name_home, team_name_away)", [date, team_name]
    return _numbered(store, f"SELECT * FROM nba_games WHERE {where} ORDER BY rowid", *values)


def nba_plays(store: Store, game_ids: Sequence[str]) -> str:
    """Every event of the games, in stored order; null where there are none."""
    sql = "SELECT * FROM nba_plays WHERE game_id IN (SELECT value FROM json_each(?)) ORDER BY rowid"
    return _numbered(store, sql, dump(list(game_ids)))


def _numbered(store: Store, sql: str, *values: str) -> str:
    names, rows = store.table(sql, *values)
    columns = map(_as_pandas, zip(*rows, strict=True))
    return _by_column([str(i) for i in range(len(rows))], names, columns)


def _as_pandas(values: Sequence[Any]) -> Sequence[Any]:
    """A column of numbers as pandas holds it: all of one kind, and a gap makes it floats."""
    numbers = [v for v in values if v is not None]
    if not all(isinstance(v, int | float) for v in numbers):
        return values
    if len(numbers) < len(values) or any(isinstance(v, float) for v in numbers):
        return [None if v is None else float(v) for v in values]
    return values


def _by_column(labels: list[str], names: list[str], columns: Iterable[Sequence[Any]]) -> str:
    """{column: {label: value}}; null where there are no rows."""
    if not labels:
        return NULL
    return dump(
        {
            name: {
                label: round(value, _DECIMALS) if isinstance(value, float) else value
                for label, value in zip(labels, column, strict=True)
            }
            for name, column in zip(names, columns, strict=True)
        }
    )


ANSWERS: Mapping[str, Answer] = {
    "/open/search_entity_by_name": _named("open"),
    "/open/get_entity": _by_key("open", "name"),
    "/movie/get_person_info": _records("persons"),
    "/movie/get_movie_info": _records("movies"),
    "/movie/get_year_info": movie_year,
    "/movie/get_movie_info_by_id": _by_key("movies", "id"),
    "/movie/get_person_info_by_id": _by_key("persons", "id"),
    "/finance/get_company_name": _named("companies"),
    "/finance/get_ticker_by_name": ticker,
    **{f"/finance/get_{kind}": _finance(kind) for kind in FINANCE_KINDS.values()},
    "/music/search_artist_entity_by_name": _named("artists"),
    "/music/search_song_entity_by_name": _named("songs"),
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
