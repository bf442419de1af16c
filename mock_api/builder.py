"""Writes the SQLite file that the server reads, from the files of either form of the KG."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mock_api.import_file import Reading, TableRows, reading
from mock_api.schema import DERIVED, TABLES, VERSION, columns
from mock_api.search import POSTINGS, TOP, build_index, normalize
from utils.errors import InputError
from utils.lfs import pointer_problem

# The tables whose names are searched, and those whose records have their terms with them.
_NAMED_TABLES = ("open", "companies", "artists", "songs")
_RECORD_TABLES = ("movies", "persons")

ProgressPrinter = Callable[[str], None]  # is called with a line for each file and index


@dataclass(frozen=True, slots=True)
class TableSource:
    """Where the rows of a table come from.

    Attributes:
        pattern: a glob pattern of the files.
        read: reads the rows in one of the files.
    """

    table: str
    pattern: str
    read: Callable[[Reading], TableRows]


def build(
    out: Path, folder: Path, sources: Sequence[TableSource], progress: ProgressPrinter
) -> None:
    """Write every fact in `folder` to the SQLite file `out`. A missing file is an empty table.

    Until all is written the file is marked as incomplete, and no server opens it.

    Raises:
        InputError: a file is an LFS pointer or not of its form; the message names it.
        sqlite3.Error: `out` cannot be written.
    """
    with closing(sqlite3.connect(out, isolation_level=None)) as db:
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536"):
            db.execute(f"PRAGMA {pragma}")
        db.execute("BEGIN")
        for table, parts in TABLES.items():
            db.execute(f"CREATE TABLE {table} ({', '.join(parts)})")
        for source in sources:
            for path in sorted(folder.glob(source.pattern)):
                pointer = pointer_problem(path)
                if pointer is not None:
                    raise InputError(pointer)
                with reading(path) as place:
                    count = _add(db, source.table, place.rows(source.read(place)))
                progress(f"{path.name}: {count:,} rows")
        for statement in (POSTINGS, *DERIVED):
            db.execute(statement)
        for table in _NAMED_TABLES:
            progress(f"indexing {table}")
            _index_names(db, table)
        for table in _RECORD_TABLES:
            progress(f"indexing {table}")
            docs = db.execute(f"SELECT terms FROM {table} ORDER BY doc")
            build_index(db, table, (terms.split() for (terms,) in docs))
        for table in TABLES:
            db.execute(f"INSERT INTO row_count SELECT ?, count(*) FROM {table}", (table,))
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
    names_by_doc: dict[str, list[str]] = {}
    docs: list[str] = []
    for (name,) in db.execute(f"SELECT name FROM {table} ORDER BY rowid"):
        doc = normalize(name)
        docs.append(doc)
        names_by_doc.setdefault(doc, []).append(name)
    if table != "companies":
        docs = sorted(names_by_doc)
    db.executemany("INSERT INTO label VALUES (?, ?, ?, ?)", _labels(table, docs, names_by_doc))
    is_music = table in ("artists", "songs")
    build_index(db, table, (doc.split() for doc in docs), drop_common=is_music)


def _labels(
    table: str, docs: Sequence[str], names_by_doc: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, int, int, str]]:
    """The names that a search gives: (corpus, number of the document, place, name)."""
    for number, doc in enumerate(docs):
        for place, name in enumerate(names_by_doc[doc][:TOP]):
            yield table, number, place, name
