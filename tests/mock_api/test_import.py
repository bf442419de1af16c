"""Conversion: both forms give the same facts; a folder is converted once until it changes."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mock_api.__main__ import main
from mock_api.cache import import_folder, is_complete, ready_file
from mock_api.json_text import dump
from mock_api.store import Store
from utils.errors import InputError


def test_a_part_of_the_official_kg_is_a_kg_too(official_facts: Path, tmp_path: Path) -> None:
    shutil.copytree(official_facts / "movie", tmp_path / "part" / "movie")
    import_folder(tmp_path / "part", tmp_path / "part.sqlite", print)
    row_counts = Store(tmp_path / "part.sqlite").row_counts
    filled_tables = {name for name, rows in row_counts.items() if rows}
    assert filled_tables == {"movies", "persons", "years"}


def test_a_folder_is_converted_once_until_it_changes(neutral: Path, tmp_path: Path) -> None:
    progress: list[str] = []
    first = ready_file(neutral, progress.append, cache=tmp_path)
    assert progress
    progress.clear()
    assert ready_file(neutral, progress.append, cache=tmp_path) == first
    assert progress == []
    with (neutral / "open.jsonl").open("a", encoding="utf-8") as lines:
        lines.write('{"name": "New"}\n')
    changed = ready_file(neutral, progress.append, cache=tmp_path)
    assert Store(changed).row_counts["open"] == 7


@pytest.mark.parametrize("broken", [b"", b"not SQLite", None], ids=["empty", "text", "unfinished"])
def test_a_broken_cached_file_is_remade(
    neutral: Path, tmp_path: Path, broken: bytes | None
) -> None:
    path = ready_file(neutral, print, cache=tmp_path)
    if broken is None:
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA user_version = 0")
    else:
        path.write_bytes(broken)
    assert not is_complete(path)
    assert Store(ready_file(neutral, print, cache=tmp_path)).row_counts["open"] == 6


def test_only_an_imported_file_is_served(neutral: Path, tmp_path: Path) -> None:
    imported = tmp_path / "facts.sqlite"
    assert main(["import", str(neutral), str(imported)]) == 0
    assert ready_file(imported, print) == imported
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        Store(imported).rows("DELETE FROM open")
    other = tmp_path / "other.sqlite"
    other.write_bytes(b"not SQLite")
    with pytest.raises(InputError, match="mock-api import"):
        ready_file(other, print)


def test_stored_json_has_no_nan_and_no_lone_surrogate() -> None:
    assert dump({"a": float("nan"), "b": [float("inf"), 1.5]}) == '{"a":null,"b":[null,1.5]}'
    assert dump(("é", "\ud800")) == '["\\u00e9","\\ud800"]'
    assert dump("é") == '"é"'
