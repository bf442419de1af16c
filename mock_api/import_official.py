"""Reads a folder of the official KG: JSON, SqliteDicts, pickles, bz2 JSON lines and SQLite.

What can be streamed is; only the music pickles and the soccer table are held whole.
"""

import bz2
import csv
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mock_api.builder import Builder, Read
from mock_api.frames import Frame, read_table
from mock_api.json_text import dump, dump_shared
from mock_api.reading import Reading, members, reading
from mock_api.safe_pickle import read_pickle
from mock_api.schema import NBA_GAMES, NBA_PLAYS, SOCCER, SOCCER_INDEX
from utils.errors import InputError

_SOCCER_FILE = "sports/soccer_team_match_stats.pkl"
_NBA_FILE = "sports/nba.sqlite"
_INFO_KEYS = {"eps": "forwardEps", "pe_ratio": "forwardPE"}
_OPEN_FILES = "open/kg.*.jsonl.bz2"
# What the server asks for by name; the other columns go out as they come.
_NBA_TABLES = {
    "nba_games": ("game", NBA_GAMES, {"game_date", "team_name_home", "team_name_away"}),
    "nba_plays": ("play_by_play", NBA_PLAYS, {"game_id"}),
}
_LONGEST_FIELD = 64 * 2**20  # of a SQLite file, which can make one of any length out of nothing


def _open(paths: Sequence[Path], place: Reading) -> Iterator[tuple[str, str]]:
    for path in paths:
        place.move(path)
        with bz2.open(path, "rb") as stream:
            for line in place.lines(stream):
                name, value = json.loads(line)
                yield str(name), dump(value)


def _searched(place: Reading) -> Iterator[tuple[int, int | None, str, str]]:
    for doc, (key, value) in enumerate(members(place.path)):
        found = value.get("id") if isinstance(value, dict) else None
        yield doc, found if isinstance(found, int) else None, key, dump(value)


def _years(place: Reading) -> Iterator[tuple[str, str]]:
    return ((key, dump(value)) for key, value in members(place.path))


def _entries(place: Reading) -> Iterator[tuple[str, str]]:
    return ((str(key), dump_shared(value)) for key, value in _dict(place.path).items())


def _companies(place: Reading) -> Iterator[tuple[str, str]]:
    if not place.path.is_file():
        return
    with place.path.open("rb") as stream:
        for row in csv.DictReader(line.decode("utf-8") for line in place.lines(stream)):
            if row.get("Name") and row.get("Symbol"):
                yield row["Name"], row["Symbol"]


def _finance(kind: str) -> Read:
    def read(place: Reading) -> Iterator[tuple[str, str, str]]:
        for ticker, value in _sqlite_dict(place.path):
            yield ticker, kind, dump_shared(value)
            if kind == "info" and isinstance(value, dict):
                for ratio, key in _INFO_KEYS.items():
                    if key in value:
                        yield ticker, ratio, dump_shared(value[key])

    return read


def _sqlite_dict(path: Path) -> Iterator[tuple[str, Any]]:
    """The entries of a SqliteDict, whose values are pickles."""
    if not path.is_file():
        return
    with _read_only(path) as db:
        _columns(db, "unnamed", {"key", "value"})
        for key, value in db.execute("SELECT key, value FROM unnamed ORDER BY rowid"):
            yield str(key), read_pickle(value)


def _dict(path: Path) -> dict[Any, Any]:
    value = read_pickle(path.read_bytes()) if path.is_file() else {}
    if not isinstance(value, dict):
        raise InputError("not a pickled dict")
    return value


def _table(path: Path) -> dict[str, list[Any]]:
    if not path.is_file():
        return {}
    value = read_pickle(path.read_bytes())
    if not isinstance(value, Frame):
        raise InputError("not a pickled table")
    return read_table(value)


def _grammy(place: Reading) -> Iterator[tuple[Any, ...]]:
    found = _table(place.path)
    if found:
        columns = (found[name] for name in ("year", "category", "nominee", "artist", "workers"))
        yield from zip(*columns, strict=True)


def _ranks(place: Reading) -> Iterator[tuple[Any, ...]]:
    for rank, entries in _dict(place.path).items():
        for entry in entries:
            yield str(rank), entry.get("Date"), entry.get("Song"), entry.get("Artist")


def _ranked_songs(place: Reading) -> Iterator[tuple[Any, ...]]:
    for song, days in _dict(place.path).items():
        for day, row in days.items():
            # A song new to the chart has "-" at the end and its figures in another order.
            last, weeks, top = (6, 5, 4) if row[6] == "-" else (4, 6, 5)
            yield song, day, row[3], row[last], row[weeks], row[top]


def _import_soccer(place: Reading, builder: Builder) -> None:
    table = _table(place.path) or {name: [] for name in (*SOCCER_INDEX, *SOCCER)}
    missing = {*SOCCER_INDEX, "date"} - table.keys()
    if missing:
        raise InputError(f"a table without {', '.join(sorted(missing))}")
    league = list(table).index(SOCCER_INDEX[0])
    rows = zip(*table.values(), strict=True)
    served = (row for row in rows if row[league] is not None)
    builder.add("soccer", place.rows(served), [(name, "") for name in table])


def _import_nba(place: Reading, builder: Builder) -> None:
    if not place.path.is_file():
        for table, (_, spec, _) in _NBA_TABLES.items():
            builder.add(table, (), spec)
        return
    with _read_only(place.path) as db:
        for table, (source, _, needed) in _NBA_TABLES.items():
            columns = _columns(db, source, needed)
            rows = db.execute(f"SELECT * FROM {source} ORDER BY rowid")
            builder.add(table, place.rows(rows), columns)


@contextmanager
def _read_only(path: Path) -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_FIELD)
        yield db
    finally:
        db.close()


def _columns(db: sqlite3.Connection, table: str, needed: set[str]) -> list[tuple[str, str]]:
    """The names and types of the columns of `table`; a view, which can run on for ever, is none."""
    kinds = db.execute("SELECT type FROM sqlite_master WHERE name LIKE ?", (table,)).fetchall()
    columns = [(row[1], row[2]) for row in db.execute(f"PRAGMA table_info({table})")]
    missing = needed - {name for name, _ in columns}
    if kinds != [("table",)] or missing:
        raise InputError(f"it holds no table {table!r} with {', '.join(sorted(needed))}")
    return columns


# Table, the file that fills it, and how it is read. Several files may fill one table.
_TABLES: tuple[tuple[str, str, Read], ...] = (
    ("movies", "movie/movie_db.json", _searched),
    ("persons", "movie/person_db.json", _searched),
    ("years", "movie/year_db.json", _years),
    ("companies", "finance/company_name.dict", _companies),
    ("finance", "finance/finance_price.sqlite", _finance("price_history")),
    ("finance", "finance/finance_detailed_price.sqlite", _finance("detailed_price_history")),
    ("finance", "finance/finance_dividend.sqlite", _finance("dividends_history")),
    ("finance", "finance/finance_marketcap.sqlite", _finance("market_capitalization")),
    ("finance", "finance/finance_info.sqlite", _finance("info")),
    ("artists", "music/artist_dict_simplified.pickle", _entries),
    ("songs", "music/song_dict_simplified.pickle", _entries),
    ("works", "music/artist_work_dict.pickle", _entries),
    ("grammy", "music/grammy_df.pickle", _grammy),
    ("billboard_ranks", "music/rank_dict_hot100.pickle", _ranks),
    ("billboard_songs", "music/song_dict_hot100.pickle", _ranked_songs),
)


def is_official(folder: Path) -> bool:
    """Whether `folder` is laid out as the official KG, all of it or any part."""
    names = (_SOCCER_FILE, _NBA_FILE, *(name for _, name, _ in _TABLES))
    return any((folder / name).is_file() for name in names) or any(folder.glob(_OPEN_FILES))


def import_official(folder: Path, builder: Builder) -> None:
    """Hand every fact in `folder` to `builder`. A file that is not there is an empty table.

    Raises:
        InputError: a file is not of its form, or a pickle asks for what it has no use for.
    """
    with reading(folder / "open") as place:
        builder.add("open", place.rows(_open(sorted(folder.glob(_OPEN_FILES)), place)))
    for table, name, read in _TABLES:
        with reading(folder / name) as place:
            builder.add(table, place.rows(read(place)))
    with reading(folder / _SOCCER_FILE) as place:
        _import_soccer(place, builder)
    with reading(folder / _NBA_FILE) as place:
        _import_nba(place, builder)
