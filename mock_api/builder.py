"""Writes the SQLite file that the server reads; both importers fill it through this."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mock_api.reading import Reading
from mock_api.schema import GAME_TABLES, INDEX_DDL, SEARCH_DDL, TABLES, VERSION
from mock_api.search import TOP, Weighting, build_index, normalize
from utils.errors import InputError

Progress = Callable[[str], None]
Read = Callable[[Reading], Iterator[Sequence[Any]]]  # the rows of one table from one file
_NAMES = {
    "open": Weighting.OKAPI,
    "companies": Weighting.OKAPI,
    "artists": Weighting.CUTOFF,
    "songs": Weighting.CUTOFF,
}


class Builder:
    """One SQLite file in the making: `add` rows, then `finish`.

    Until `finish` the file is marked as incomplete, and no server opens it.
    """

    def __init__(self, out: Path, progress: Progress) -> None:
        self.progress = progress
        self._db = sqlite3.connect(out, isolation_level=None)
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536"):
            self._db.execute(f"PRAGMA {pragma}")
        self._db.execute("BEGIN")
        for name, columns in TABLES.items():
            self._db.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
        for statement in SEARCH_DDL:
            self._db.execute(statement)

    def add(
        self,
        table: str,
        rows: Iterable[Sequence[Any]],
        columns: Sequence[tuple[str, str]] | None = None,
    ) -> None:
        """Insert rows of `table`.

        Of rows with equal keys the last one is kept, in the place of the first.

        Args:
            table: its name.
            rows: their values stand in the order of the columns.
            columns: (name, type) of each column, for a table of games; others are in the schema.

        Raises:
            InputError: a row that SQLite cannot hold.
        """
        if columns:
            names = [name.replace('"', "") for name, _ in columns]
            made = (f'"{name}" {kind}' for name, (_, kind) in zip(names, columns, strict=True))
            self._db.execute(f"CREATE TABLE {table} ({', '.join(made)})")
        else:
            names = [text.split()[0] for text in TABLES[table] if not text.startswith("PRIMARY")]
        insert = f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})"
        if any("PRIMARY KEY" in text for text in TABLES.get(table, ())):
            changes = ", ".join(f"{name} = excluded.{name}" for name in names)
            insert += f" ON CONFLICT DO UPDATE SET {changes}"
        try:
            self._db.executemany(insert, rows)
        except (sqlite3.Error, UnicodeEncodeError, OverflowError) as error:
            raise InputError(f"{table}: a row that SQLite cannot hold: {error}") from error
        (count,) = self._db.execute(f"SELECT count(*) FROM {table}").fetchone()
        self.progress(f"{table}: {count:,} rows")

    def finish(self) -> None:
        """Build all indexes, count the rows, and mark the file as complete."""
        for name, weighting in _NAMES.items():
            self.progress(f"indexing {name}")
            self._index_names(name, weighting, merged=name != "companies")
        self.progress("indexing movies, persons")
        for name in ("movies", "persons"):
            docs = self._db.execute(f"SELECT terms FROM {name} ORDER BY doc")
            build_index(self._db, name, (terms.split() for (terms,) in docs), Weighting.OKAPI)
        for statement in INDEX_DDL:
            self._db.execute(statement)
        for name in (*TABLES, *GAME_TABLES):
            self._db.execute(f"INSERT INTO row_count SELECT ?, count(*) FROM {name}", (name,))
        self._db.execute("COMMIT")
        self._db.execute(f"PRAGMA user_version = {VERSION}")
        self._db.close()

    def close(self) -> None:
        """Close the file, finished or not."""
        self._db.close()

    def _index_names(self, table: str, weighting: Weighting, *, merged: bool) -> None:
        """Index the names of `table`.

        Args:
            table: whose names are indexed.
            weighting: how common terms weigh.
            merged: one document for all names that normalise alike, in alphabetical order;
                otherwise one for every name, in stored order, so that a search gives names that
                normalise alike once for each of them, as the official server does.
        """
        groups: dict[str, list[str]] = {}
        docs = []
        for (name,) in self._db.execute(f"SELECT name FROM {table} ORDER BY rowid"):
            docs.append(normalize(name))
            groups.setdefault(docs[-1], []).append(name)
        if merged:
            docs = sorted(groups)
        self._db.executemany(
            "INSERT INTO label VALUES (?, ?, ?, ?)",
            (
                (table, number, place, name)
                for number, doc in enumerate(docs)
                for place, name in enumerate(groups[doc][:TOP])
            ),
        )
        build_index(self._db, table, (doc.split() for doc in docs), weighting)
