"""Reads a folder of the official KG: JSON, SqliteDicts, pickles, bz2 JSON lines and SQLite.

What can be streamed is; only the music pickles and the soccer table are held whole.
"""

import bz2
import csv
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mock_api.builder import Builder
from mock_api.frames import FrameState
from mock_api.json_stream import members
from mock_api.json_text import dump
from mock_api.safe_pickle import read_pickle_bytes, read_pickle_file
from mock_api.schema import NBA_GAMES, NBA_PLAYS, SOCCER, SOCCER_INDEX
from utils.errors import InputError

_SOCCER_FILE = "sports/soccer_team_match_stats.pkl"
_NBA_FILE = "sports/nba.sqlite"
_COMPANY_FILE = "finance/company_name.dict"
_FINANCE_FILES = {
    "price_history": "finance/finance_price.sqlite",
    "detailed_price_history": "finance/finance_detailed_price.sqlite",
    "dividends_history": "finance/finance_dividend.sqlite",
    "market_capitalization": "finance/finance_marketcap.sqlite",
    "info": "finance/finance_info.sqlite",
}
_INFO_KEYS = {"eps": "forwardEps", "pe_ratio": "forwardPE"}
_MOVIE_FILES = {"movies": "movie/movie_db.json", "persons": "movie/person_db.json"}
_YEAR_FILE = "movie/year_db.json"
_GRAMMY_FILE = "music/grammy_df.pickle"
_MUSIC_FILES = {
    "artists": "music/artist_dict_simplified.pickle",
    "songs": "music/song_dict_simplified.pickle",
    "works": "music/artist_work_dict.pickle",
}
_RANKS_FILE = "music/rank_dict_hot100.pickle"
_RANKED_SONGS_FILE = "music/song_dict_hot100.pickle"
_OPEN_FILES = "open/kg.*.jsonl.bz2"
_MARKERS = (_SOCCER_FILE, _NBA_FILE, _COMPANY_FILE, _YEAR_FILE, _GRAMMY_FILE)


def is_official(folder: Path) -> bool:
    """Whether `folder` is laid out as the official KG."""
    return any((folder / name).is_file() for name in _MARKERS) or any(folder.glob(_OPEN_FILES))


def import_official(folder: Path, builder: Builder) -> None:
    """Hand every fact in `folder` to `builder`. A file that is not there is an empty table.

    Raises:
        InputError: a file is not of its form, or a pickle asks for what it has no use for.
    """
    builder.add("open", _open(folder))
    for table, name in _MOVIE_FILES.items():
        path = folder / name
        builder.add(
            table,
            (
                (doc, _id(value), key, dump(value))
                for doc, (key, value) in enumerate(members(path))
            ),
        )
    builder.add("years", ((key, dump(value)) for key, value in members(folder / _YEAR_FILE)))
    builder.add("companies", _companies(folder / _COMPANY_FILE))
    builder.add("finance", _finance(folder))
    for table, name in _MUSIC_FILES.items():
        entries = _dict(folder / name).items()
        builder.add(table, ((str(key), dump(value)) for key, value in entries))
    builder.add("grammy", _grammy(folder / _GRAMMY_FILE))
    builder.add("billboard_ranks", _ranks(folder / _RANKS_FILE))
    builder.add("billboard_songs", _ranked_songs(folder / _RANKED_SONGS_FILE))
    _import_soccer(folder / _SOCCER_FILE, builder)
    _import_nba(folder / _NBA_FILE, builder)


def _open(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob(_OPEN_FILES)):
        with bz2.open(path, "rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    name, value = json.loads(line)
                except (ValueError, TypeError, RecursionError) as error:
                    raise InputError(f"{path}:{number}: not [name, entry]: {error}") from error
                yield str(name), dump(value)


def _id(value: Any) -> int | None:
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, int) else None


def _companies(path: Path) -> Iterator[tuple[str, str]]:
    if not path.is_file():
        return
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row.get("Name") and row.get("Symbol"):
                yield row["Name"], row["Symbol"]


def _finance(folder: Path) -> Iterator[tuple[str, str, str]]:
    for kind, name in _FINANCE_FILES.items():
        for ticker, value in _sqlite_dict(folder / name):
            yield ticker, kind, dump(value)
            if kind == "info" and isinstance(value, dict):
                for ratio, key in _INFO_KEYS.items():
                    if key in value:
                        yield ticker, ratio, dump(value[key])


def _sqlite_dict(path: Path) -> Iterator[tuple[str, Any]]:
    """The entries of a SqliteDict, whose values are pickles."""
    if not path.is_file():
        return
    db = _read_only(path)
    try:
        for key, value in db.execute("SELECT key, value FROM unnamed ORDER BY rowid"):
            yield str(key), read_pickle_bytes(value)
    except (sqlite3.Error, InputError) as error:
        raise InputError(f"{path}: {error}") from error
    finally:
        db.close()


def _dict(path: Path) -> dict[Any, Any]:
    if not path.is_file():
        return {}
    value = read_pickle_file(path)
    if not isinstance(value, dict):
        raise InputError(f"{path}: not a pickled dict")
    return value


def _table(path: Path) -> dict[str, list[Any]]:
    if not path.is_file():
        return {}
    value = read_pickle_file(path)
    if not isinstance(value, FrameState):
        raise InputError(f"{path}: not a pickled table")
    return value.table()


def _grammy(path: Path) -> Iterator[tuple[Any, ...]]:
    table = _table(path)
    if table:
        columns = (table[name] for name in ("year", "category", "nominee", "artist", "workers"))
        yield from zip(*columns, strict=True)


def _ranks(path: Path) -> Iterator[tuple[Any, ...]]:
    for rank, entries in _dict(path).items():
        for entry in entries:
            yield str(rank), entry.get("Date"), entry.get("Song"), entry.get("Artist")


def _ranked_songs(path: Path) -> Iterator[tuple[Any, ...]]:
    for song, days in _dict(path).items():
        for day, row in days.items():
            # A song new to the chart has "-" at the end and its figures in another order.
            last, weeks, top = (6, 5, 4) if row[6] == "-" else (4, 6, 5)
            yield song, day, row[3], row[last], row[weeks], row[top]


def _import_soccer(path: Path, builder: Builder) -> None:
    table = _table(path) or {name: [] for name in (*SOCCER_INDEX, *SOCCER)}
    missing = {*SOCCER_INDEX, "date"} - table.keys()
    if missing:
        raise InputError(f"{path}: a table without {', '.join(sorted(missing))}")
    leagues = table[SOCCER_INDEX[0]]
    served = (
        row
        for row, league in zip(zip(*table.values(), strict=True), leagues, strict=True)
        if league is not None
    )
    builder.add_games("soccer", [(name, "") for name in table], served)


def _import_nba(path: Path, builder: Builder) -> None:
    if not path.is_file():
        builder.add_games("nba_games", NBA_GAMES, ())
        builder.add_games("nba_plays", NBA_PLAYS, ())
        return
    db = _read_only(path)
    try:
        for table, source in (("nba_games", "game"), ("nba_plays", "play_by_play")):
            columns = [(row[1], row[2]) for row in db.execute(f"PRAGMA table_info({source})")]
            rows = db.execute(f"SELECT * FROM {source} ORDER BY rowid")
            builder.add_games(table, columns, rows)
    except sqlite3.Error as error:
        raise InputError(f"{path}: {error}") from error
    finally:
        db.close()


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
