"""What each endpoint answers, as JSON text.

`ANSWERS` maps an endpoint's path to a function of the store and the body's fields. Text that the
store keeps as JSON goes out as it is, unparsed.
"""

import json
import re
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

from mock_api.json_text import dump
from mock_api.schema import SOCCER_INDEX
from mock_api.search import TOP
from mock_api.store import Store
from utils.errors import InputError

Answer = Callable[..., str]
NULL = "null"
MOVIE_YEARS = range(1990, 2022)
GRAMMY_YEARS = range(1957, 2020)
_INT64 = 2**63
_LENGTHS = {1: 4, 2: 7, 3: 10}  # of a year, a month and a day, by the number of parts
_FORMATS = {1: "%Y", 2: "%Y-%m", 3: "%Y-%m-%d"}
_DIGITS = 10  # as many decimals as pandas writes
# The official server puts the team's name between quotes into its SQL. These names close the quote
# and add comparisons of constants.
_NAME_AND_CONSTANTS = re.compile(r"([^']*)((?:' or '[^']*'='[^']*)+)", re.I)
_COMPARISON = re.compile(r"' or '([^']*)'='([^']*)", re.I)


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


def _joined(texts: Sequence[str]) -> str:
    return f"[{','.join(texts)}]"


def soccer_games(store: Store, date: str, team_name: str | None = None) -> str:
    """The games of a day, month or year; null where there are none, or for any other `date`."""
    length = _LENGTHS.get(date.count("-") + 1)
    if length is None:
        return NULL
    where, values = "substr(date, 1, ?) = ?", [length, date]
    if team_name is not None:
        where, values = f"{where} AND team = ?", [*values, team_name]
    names, rows = store.table(f"SELECT * FROM soccer WHERE {where} ORDER BY rowid", *values)
    index = [names.index(name) for name in SOCCER_INDEX]
    labels = [str(tuple(row[i] for i in index)) for row in rows]
    return _columns(
        labels, [(n, [row[i] for row in rows]) for i, n in enumerate(names) if i not in index]
    )


def nba_games(store: Store, date: str, team_name: str | None = None) -> str:
    """The games of a day, month or year; null where there are none.

    As in the official server, a `date` of more than three parts restricts nothing, and a
    `team_name` that would close its quote in SQL selects what it would select there. No text of a
    request is run as SQL.
    """
    where, values = "1", []
    wanted = _FORMATS.get(date.count("-") + 1)
    if wanted is not None:
        where, values = "strftime(?, game_date) = ?", [wanted, date]
    if team_name is not None:
        team = _team(team_name)
        if team is not None:
            where = f"{where} AND ? IN (team_name_home, team_name_away)"
            values.append(team)
    return _numbered(store, f"SELECT * FROM nba_games WHERE {where} ORDER BY rowid", values)


def nba_plays(store: Store, game_ids: Sequence[str]) -> str:
    """Every event of the games, in stored order; null where there are none."""
    sql = "SELECT * FROM nba_plays WHERE game_id IN (SELECT value FROM json_each(?)) ORDER BY rowid"
    return _numbered(store, sql, [dump(list(game_ids))])


def _team(text: str) -> str | None:
    """The name that `text` means between single quotes in SQL; None where every team is meant."""
    constants = _NAME_AND_CONSTANTS.fullmatch(text)
    if constants is None:
        return text.replace("''", "'")
    name, rest = constants.groups()
    return None if any(left == right for left, right in _COMPARISON.findall(rest)) else name


def _numbered(store: Store, sql: str, values: Sequence[Any]) -> str:
    names, rows = store.table(sql, *values)
    labels = [str(i) for i in range(len(rows))]
    return _columns(labels, [(n, _as_pandas([r[i] for r in rows])) for i, n in enumerate(names)])


def _as_pandas(values: list[Any]) -> list[Any]:
    """A column of numbers as pandas holds it: all of one kind, and a gap makes it floats."""
    numbers = [v for v in values if v is not None]
    if not all(isinstance(v, int | float) for v in numbers):
        return values
    if len(numbers) < len(values) or any(isinstance(v, float) for v in numbers):
        return [None if v is None else float(v) for v in values]
    return values


def _columns(labels: list[str], columns: list[tuple[str, list[Any]]]) -> str:
    """{column: {label: value}}; null where there are no rows."""
    if not labels:
        return NULL
    return dump(
        {name: dict(zip(labels, map(_rounded, column), strict=True)) for name, column in columns}
    )


def _rounded(value: Any) -> Any:
    return round(value, _DIGITS) if isinstance(value, float) else value


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
