"""Reads the files of the official KG: JSON, SqliteDicts, pickles, bz2 JSON lines and SQLite.

Each function reads the rows of one table from one file.
"""

import bz2
import csv
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from mock_api.builder import TableSource
from mock_api.frames import Frame, read_table
from mock_api.import_file import Reading, TableRows
from mock_api.json_text import dump, dump_shared
from mock_api.safe_pickle import read_pickle
from mock_api.schema import columns
from mock_api.store import connect
from utils.errors import InputError

# File of finance values -> the kind of its values.
_KIND_BY_FILE = {
    "finance_price.sqlite": "price_history",
    "finance_detailed_price.sqlite": "detailed_price_history",
    "finance_dividend.sqlite": "dividends_history",
    "finance_marketcap.sqlite": "market_capitalization",
    "finance_info.sqlite": "info",
}
# Kind of a ratio -> its key in the values of the kind "info".
_RATIO_KEYS = {"eps": "forwardEps", "pe_ratio": "forwardPE"}
_LONGEST_FIELD = 64 * 2**20  # of a SQLite file, which can make one of any length out of nothing


def _open_entities(place: Reading) -> TableRows:
    """(name, value as JSON), one a line."""
    with bz2.open(place.path, "rb") as stream:
        for line in place.lines(stream):
            name, value = json.loads(line)
            yield str(name), dump(value)


def _json_members(place: Reading) -> Iterator[tuple[str, Any]]:
    """The keys and values of a file that is one JSON object."""
    members = json.loads(place.path.read_bytes())
    if not isinstance(members, dict):
        raise InputError("not a JSON object")
    yield from members.items()


def _numbered_members(place: Reading) -> TableRows:
    """(number, id, terms by which the record is found, the record as JSON)."""
    for number, (key, value) in enumerate(_json_members(place)):
        id = value.get("id") if isinstance(value, dict) else None
        if not isinstance(id, int):
            id = None
        yield number, id, key, dump(value)


def _movie_years(place: Reading) -> TableRows:
    """(year, value as JSON)."""
    for key, value in _json_members(place):
        yield key, dump(value)


def _pickled_entries(place: Reading) -> TableRows:
    """(key, value as JSON) of a pickled dict."""
    for key, value in _pickled(place, dict).items():
        yield str(key), dump_shared(value)


def _listed_companies(place: Reading) -> TableRows:
    """(name, ticker symbol); lines that lack one are left out."""
    with place.path.open("rb") as stream:
        lines = (line.decode("utf-8") for line in place.lines(stream))
        for row in csv.DictReader(lines):
            name = row.get("Name")
            symbol = row.get("Symbol")
            if name and symbol:
                yield name, symbol


def _pickled_finance(place: Reading) -> TableRows:
    """(ticker, kind of value, value as JSON) of a SqliteDict, whose values are pickles."""
    kind = _KIND_BY_FILE[place.path.name]
    for ticker, pickled in _sqlite_rows(place, "unnamed", ("key", "value")):
        value = read_pickle(pickled)
        yield str(ticker), kind, dump_shared(value)
        if kind != "info" or not isinstance(value, dict):
            continue
        for ratio, key in _RATIO_KEYS.items():
            if key in value:
                yield str(ticker), ratio, dump_shared(value[key])


def _pickled(place: Reading, kind: type[Any]) -> Any:
    """The object in a pickle, which must be of `kind`."""
    value = read_pickle(place.path.read_bytes())
    if not isinstance(value, kind):
        raise InputError(f"not a pickled {kind.__name__}")
    return value


def _pickled_table(place: Reading, table: str) -> TableRows:
    """The rows of a pickled table, which has the columns of `table`."""
    values_by_column = read_table(_pickled(place, Frame))
    return zip(*(values_by_column[name] for name in columns(table)), strict=True)


def _pickled_soccer(place: Reading) -> TableRows:
    """The rows of games; one without a league is not served."""
    return (row for row in _pickled_table(place, "soccer") if row[0] is not None)


def _pickled_ranks(place: Reading) -> TableRows:
    """(rank, date, song, artist) of a dict of lists by rank."""
    for rank, entries in _pickled(place, dict).items():
        for entry in entries:
            yield str(rank), entry.get("Date"), entry.get("Song"), entry.get("Artist")


def _ranked_songs(place: Reading) -> TableRows:
    """(song, date, rank, rank last week, weeks, top rank) of a dict of dicts by song and date."""
    for song, days in _pickled(place, dict).items():
        for day, row in days.items():
            if row[6] == "-":  # a song new to the chart has its figures in another order
                yield song, day, row[3], row[6], row[5], row[4]
            else:
                yield song, day, row[3], row[4], row[6], row[5]


def _sqlite_rows(place: Reading, table: str, names: Sequence[str]) -> TableRows:
    """The rows of a table of a SQLite file.

    A view is refused: its rows may never end.
    """
    with closing(connect(place.path)) as db:
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_FIELD)
        kinds = db.execute("SELECT type FROM sqlite_master WHERE name LIKE ?", (table,)).fetchall()
        if kinds != [("table",)]:
            raise InputError(f"it holds no table {table!r}")
        yield from db.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY rowid")


_pickled_grammy = partial(_pickled_table, table="grammy")
_sqlite_games = partial(_sqlite_rows, table="game", names=columns("nba_games"))
_sqlite_plays = partial(_sqlite_rows, table="play_by_play", names=columns("nba_plays"))

SOURCES: tuple[TableSource, ...] = (
    TableSource("open", "open/kg.*.jsonl.bz2", _open_entities),
    TableSource("movies", "movie/movie_db.json", _numbered_members),
    TableSource("persons", "movie/person_db.json", _numbered_members),
    TableSource("years", "movie/year_db.json", _movie_years),
    TableSource("companies", "finance/company_name.dict", _listed_companies),
    TableSource("finance", "finance/finance_*.sqlite", _pickled_finance),
    TableSource("artists", "music/artist_dict_simplified.pickle", _pickled_entries),
    TableSource("songs", "music/song_dict_simplified.pickle", _pickled_entries),
    TableSource("works", "music/artist_work_dict.pickle", _pickled_entries),
    TableSource("grammy", "music/grammy_df.pickle", _pickled_grammy),
    TableSource("billboard_ranks", "music/rank_dict_hot100.pickle", _pickled_ranks),
    TableSource("billboard_songs", "music/song_dict_hot100.pickle", _ranked_songs),
    TableSource("soccer", "sports/soccer_team_match_stats.pkl", _pickled_soccer),
    TableSource("nba_games", "sports/nba.sqlite", _sqlite_games),
    TableSource("nba_plays", "sports/nba.sqlite", _sqlite_plays),
)
