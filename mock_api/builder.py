"""Writes the SQLite file that the server reads, from the files of either form of the KG."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from mock_api.reading import Reading, reading
from mock_api.schema import DERIVED, TABLES, VERSION, columns
from mock_api.search import POSTINGS, TOP, build_index, normalize

Progress = Callable[[str], None]
# A table, the files that fill it (a glob pattern), and how the rows in one of them are read.
Source = tuple[str, str, Callable[[Reading], Iterator[Sequence[Any]]]]


def build(out: Path, folder: Path, sources: Sequence[Source], progress: Progress) -> None:
    """Write every fact in `folder` to the SQLite file `out`. A missing file is an empty table.

    Until all is written the file is marked as incomplete, and no server opens it.

    Raises:
        InputError: a file is not of its form; the message names it.
        sqlite3.Error: `out` cannot be written.
    """
    with closing(sqlite3.connect(out, isolation_level=None)) as db:
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536"):
            db.execute(f"PRAGMA {pragma}")
        db.execute("BEGIN")
        for name, parts in TABLES.items():
            db.execute(f"CREATE TABLE {name} ({', '.join(parts)})")
        for table, pattern, read in sources:
            for path in sorted(folder.glob(pattern)):
                with reading(path) as place:
                    count = _add(db, table, place.rows(read(place)))
                progress(f"{path.name}: {count:,} rows")
        for statement in (POSTINGS, *DERIVED):
            db.execute(statement)
        for name in ("open", "companies", "artists", "songs"):
            progress(f"indexing {name}")
            _index_names(db, name)
        for name in ("movies", "persons"):
            progress(f"indexing {name}")
            docs = db.execute(f"SELECT terms FROM {name} ORDER BY doc")
            build_index(db, name, (terms.split() for (terms,) in docs))
        for name in TABLES:
            db.execute(f"INSERT INTO row_count SELECT ?, count(*) FROM {name}", (name,))
        db.execute("COMMIT")
        db.execute(f"PRAGMA user_version = {VERSION}")


def _add(db: sqlite3.Connection, table: str, rows: Iterable[Sequence[Any]]) -> int:
    """Insert rows and return their number.

    Of rows with equal keys the last one is kept, in the place of the first.
    """
    names = columns(table)
    insert = f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})"
    if any("PRIMARY KEY" in text for text in TABLES[table]):
        changes = ", ".join(f"{name} = excluded.{name}" for name in names)
        insert += f" ON CONFLICT DO UPDATE SET {changes}"
    return db.executemany(insert, rows).rowcount


def _index_names(db: sqlite3.Connection, table: str) -> None:
    """Index the names of `table`.

    Names that normalise alike are one document, in alphabetical order. Of companies, each name is
    one, in stored order, so that a search gives names that normalise alike once for each of them,
    as the official server does.
    """
    groups: dict[str, list[str]] = {}
    docs = []
    for (name,) in db.execute(f"SELECT name FROM {table} ORDER BY rowid"):
        docs.append(normalize(name))
        groups.setdefault(docs[-1], []).append(name)
    if table != "companies":
        docs = sorted(groups)
    db.executemany(
        "INSERT INTO label VALUES (?, ?, ?, ?)",
        (
            (table, number, place, name)
            for number, doc in enumerate(docs)
            for place, name in enumerate(groups[doc][:TOP])
        ),
    )
    music = table in ("artists", "songs")
    build_index(db, table, (doc.split() for doc in docs), drop_common=music)
