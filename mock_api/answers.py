"""What each endpoint answers, as JSON text; the games are in `games.py`.

`ANSWERS` maps an endpoint's path to a function of the store and the body's fields. Text that the
store keeps as JSON goes out as it is, unparsed.
"""

import json
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

from mock_api.games import nba_games, nba_plays, soccer_games
from mock_api.json_text import dump
from mock_api.search import TOP
from mock_api.store import Store
from utils.errors import InputError

Answer = Callable[..., str]
NULL = "null"
MOVIE_YEARS = range(1990, 2022)
GRAMMY_YEARS = range(1957, 2020)
_INT64 = 2**63


def _named(corpus: str) -> Answer:
    """Fuzzy search whose result is names; names that normalise alike come together."""

    def answer(store: Store, query: str) -> str:
        names: list[str] = []
        for doc in store.search(corpus, query):
            found = store.rows(
                "SELECT name FROM label WHERE corpus = ? AND doc = ? ORDER BY place", corpus, doc
            )
            names += [name for (name,) in found]
            if len(names) >= TOP:
                break
        return dump(names[:TOP])

    return answer


def _records(table: str) -> Answer:
    """Fuzzy search whose result is whole records."""

    def answer(store: Store, query: str) -> str:
        docs = store.search(table, query)
        found = [store.value(f"SELECT value FROM {table} WHERE doc = ?", doc) for doc in docs]
        return _joined(found)

    return answer


def _record_by_id(table: str) -> Answer:
    """The last record of an id, as the official server's dict keeps it."""
    sql = f"SELECT value FROM {table} WHERE id = ? ORDER BY doc DESC LIMIT 1"

    def answer(store: Store, query: int) -> str:
        return (store.value(sql, query) or NULL) if -_INT64 <= query < _INT64 else NULL

    return answer


def _by_key(table: str, key: str) -> Answer:
    """The JSON value stored under exactly this key."""
    sql = f"SELECT value FROM {table} WHERE {key} = ?"
    return lambda store, query: store.value(sql, query) or NULL


def _finance(kind: str) -> Answer:
    sql = "SELECT value FROM finance WHERE ticker = ? AND kind = ?"
    return lambda store, query: store.value(sql, query, kind) or NULL


def _field(table: str, field: str) -> Answer:
    """One field of the record of this name; what is empty is null."""

    def answer(store: Store, query: str) -> str:
        record = _record(store, table, query)
        return dump(record.get(field) or None)

    return answer


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
    # By the text as it came: " 1992 " is a year that is found nowhere.
    return store.value("SELECT value FROM years WHERE year = ?", query) or NULL


def ticker(store: Store, query: str) -> str:
    return dump(store.value("SELECT ticker FROM companies WHERE name = ?", query))


def members(store: Store, query: str) -> str:
    found = _record(store, "artists", query).get("members")
    return dump(list(dict.fromkeys(found))) if isinstance(found, list) else NULL


def lifespan(store: Store, query: str) -> str:
    """[begin, end]; where either is not even recorded as unknown, neither is told."""
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
    """The years in the arbitrary but settled order in which a set of them comes out."""
    sql = f"SELECT year FROM grammy WHERE {' OR '.join(_FIELDS)} ORDER BY rowid"
    return dump(list({year for (year,) in store.rows(sql, query)}))


def grammy_new_artists(store: Store) -> str:
    sql = "SELECT nominee FROM grammy WHERE category = ? AND nominee IS NOT NULL ORDER BY rowid"
    return dump(list(dict.fromkeys(name for (name,) in store.rows(sql, "Best New Artist"))))


def _joined(texts: Sequence[str]) -> str:
    return f"[{','.join(texts)}]"


ANSWERS: MappingProxyType[str, Answer] = MappingProxyType(
    {
        "/open/search_entity_by_name": _named("open"),
        "/open/get_entity": _by_key("open", "name"),
        "/movie/get_person_info": _records("persons"),
        "/movie/get_movie_info": _records("movies"),
        "/movie/get_year_info": movie_year,
        "/movie/get_movie_info_by_id": _record_by_id("movies"),
        "/movie/get_person_info_by_id": _record_by_id("persons"),
        "/finance/get_company_name": _named("companies"),
        "/finance/get_ticker_by_name": ticker,
        "/finance/get_price_history": _finance("price_history"),
        "/finance/get_detailed_price_history": _finance("detailed_price_history"),
        "/finance/get_dividends_history": _finance("dividends_history"),
        "/finance/get_market_capitalization": _finance("market_capitalization"),
        "/finance/get_eps": _finance("eps"),
        "/finance/get_pe_ratio": _finance("pe_ratio"),
        "/finance/get_info": _finance("info"),
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
)
