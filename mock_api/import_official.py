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

from mock_api.builder import Source
from mock_api.frames import Frame, read_table
from mock_api.json_text import dump, dump_shared
from mock_api.reading import Reading
from mock_api.safe_pickle import read_pickle
from mock_api.schema import columns
from mock_api.store import connect
from utils.errors import InputError

_FINANCE = {
    "finance_price.sqlite": "price_history",
    "finance_detailed_price.sqlite": "detailed_price_history",
    "finance_dividend.sqlite": "dividends_history",
    "finance_marketcap.sqlite": "market_capitalization",
    "finance_info.sqlite": "info",
}
_RATIOS = {"eps": "forwardEps", "pe_ratio": "forwardPE"}
_LONGEST_FIELD = 64 * 2**20  # of a SQLite file, which can make one of any length out of nothing


def _open(place: Reading) -> Iterator[tuple[str, str]]:
    with bz2.open(place.path, "rb") as stream:
        for line in place.lines(stream):
            name, value = json.loads(line)
            yield str(name), dump(value)


def _members(place: Reading) -> Iterator[tuple[str, Any]]:
    members = json.loads(place.path.read_bytes())
    if not isinstance(members, dict):
        raise InputError("not a JSON object")
    yield from members.items()


def _searched(place: Reading) -> Iterator[tuple[int, int | None, str, str]]:
    for doc, (key, value) in enumerate(_members(place)):
        found = value.get("id") if isinstance(value, dict) else None
        yield doc, found if isinstance(found, int) else None, key, dump(value)


def _years(place: Reading) -> Iterator[tuple[str, str]]:
    return ((key, dump(value)) for key, value in _members(place))


def _entries(place: Reading) -> Iterator[tuple[str, str]]:
    return ((str(key), dump_shared(value)) for key, value in _pickled(place, dict).items())


def _companies(place: Reading) -> Iterator[tuple[str, str]]:
    with place.path.open("rb") as stream:
        for row in csv.DictReader(line.decode("utf-8") for line in place.lines(stream)):
            if row.get("Name") and row.get("Symbol"):
                yield row["Name"], row["Symbol"]


def _finance(place: Reading) -> Iterator[tuple[str, str, str]]:
    """A SqliteDict, whose values are pickles."""
    kind = _FINANCE[place.path.name]
    for ticker, pickled in _rows(place, "unnamed", ("key", "value")):
        value = read_pickle(pickled)
        yield str(ticker), kind, dump_shared(value)
        if kind == "info" and isinstance(value, dict):
            for ratio, key in _RATIOS.items():
                if key in value:
                    yield str(ticker), ratio, dump_shared(value[key])


def _pickled(place: Reading, kind: type[Any]) -> Any:
    value = read_pickle(place.path.read_bytes())
    if not isinstance(value, kind):
        raise InputError(f"not a pickled {kind.__name__}")
    return value


def _table(place: Reading, table: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a pickled table, which has the columns of `table`."""
    found = read_table(_pickled(place, Frame))
    return zip(*(found[name] for name in columns(table)), strict=True)


def _soccer(place: Reading) -> Iterator[tuple[Any, ...]]:
    return (row for row in _table(place, "soccer") if row[0] is not None)  # others are not served


def _ranks(place: Reading) -> Iterator[tuple[Any, ...]]:
    for rank, entries in _pickled(place, dict).items():
        for entry in entries:
            yield str(rank), entry.get("Date"), entry.get("Song"), entry.get("Artist")


def _ranked_songs(place: Reading) -> Iterator[tuple[Any, ...]]:
    for song, days in _pickled(place, dict).items():
        for day, row in days.items():
            # A song new to the chart has "-" at the end and its figures in another order.
            last, weeks, top = (6, 5, 4) if row[6] == "-" else (4, 6, 5)
            yield song, day, row[3], row[last], row[weeks], row[top]


def _rows(place: Reading, table: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The rows of a table of a SQLite file; a view, which can run on for ever, is none."""
    with closing(connect(place.path)) as db:
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_FIELD)
        kinds = db.execute("SELECT type FROM sqlite_master WHERE name LIKE ?", (table,)).fetchall()
        if kinds != [("table",)]:
            raise InputError(f"it holds no table {table!r}")
        yield from db.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY rowid")


SOURCES: tuple[Source, ...] = (
    ("open", "open/kg.*.jsonl.bz2", _open),
    ("movies", "movie/movie_db.json", _searched),
    ("persons", "movie/person_db.json", _searched),
    ("years", "movie/year_db.json", _years),
    ("companies", "finance/company_name.dict", _companies),
    ("finance", "finance/finance_*.sqlite", _finance),
    ("artists", "music/artist_dict_simplified.pickle", _entries),
    ("songs", "music/song_dict_simplified.pickle", _entries),
    ("works", "music/artist_work_dict.pickle", _entries),
    ("grammy", "music/grammy_df.pickle", partial(_table, table="grammy")),
    ("billboard_ranks", "music/rank_dict_hot100.pickle", _ranks),
    ("billboard_songs", "music/song_dict_hot100.pickle", _ranked_songs),
    ("soccer", "sports/soccer_team_match_stats.pkl", _soccer),
    ("nba_games", "sports/nba.sqlite", partial(_rows, table="game", names=columns("nba_games"))),
    (
        "nba_plays",
        "sports/nba.sqlite",
        partial(_rows, table="play_by_play", names=columns("nba_plays")),
    ),
)
