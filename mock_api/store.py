"""Reads the SQLite file: one read-only connection, and rows by parameters only."""

import sqlite3
from pathlib import Path
from typing import Any

from mock_api.search import search

StoredRow = tuple[Any, ...]
_CACHE_KIB = 512  # beyond it the system's own cache of the file serves


def connect(path: Path) -> sqlite3.Connection:
    """A read-only connection to a file that nobody changes, so that SQLite need not lock it."""
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    return sqlite3.connect(uri, uri=True, check_same_thread=False)


class Store:
    """The facts of a KG, read from its file.

    Threads may share it: SQLite serializes their reads.

    Attributes:
        row_counts: the number of rows of each table.
    """

    def __init__(self, path: Path) -> None:
        self._db = connect(path)
        self._db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        self.row_counts: dict[str, int] = dict(self.rows("SELECT name, rows FROM row_count"))

    def rows(self, sql: str, *values: Any) -> list[StoredRow]:
        """All rows of a query."""
        return self._db.execute(sql, values).fetchall()

    def value(self, sql: str, *values: Any) -> Any:
        """The one column of the first row; None where there is no row."""
        row = self._db.execute(sql, values).fetchone()
        return None if row is None else row[0]

    def table(self, sql: str, *values: Any) -> tuple[list[str], list[StoredRow]]:
        """The names of the columns, and the rows."""
        cursor = self._db.execute(sql, values)
        names = [column[0] for column in cursor.description]
        return names, cursor.fetchall()

    def search(self, corpus: str, query: str) -> list[int]:
        """The numbers of the names in `corpus` that match `query`, best first."""
        return search(self._db, corpus, query)
