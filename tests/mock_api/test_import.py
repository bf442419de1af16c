"""Conversion: faults are named, nothing half-made is left, and what is large is streamed."""

import json
import sqlite3
from pathlib import Path

import pytest

from mock_api.__main__ import main
from mock_api.cache import import_folder, is_complete, ready_file
from mock_api.json_text import dump
from mock_api.reading import members, reading
from mock_api.store import Store
from utils.errors import InputError


def quiet(line: str) -> None:
    pass


def test_both_forms_of_the_same_facts_count_the_same(
    neutral: Path, official: Path, tmp_path: Path
) -> None:
    counts = []
    for folder in (neutral, official):
        out = tmp_path / f"{folder.name}.sqlite"
        import_folder(folder, out, quiet)
        counts.append(Store(out).row_counts)
    assert counts[0] == counts[1]
    assert counts[0]["finance"] == 8
    for path in official.rglob("*.*"):  # a part is a KG, too
        if path.parent.name != "movie":
            path.unlink()
    import_folder(official, tmp_path / "part.sqlite", quiet)
    held = {name for name, rows in Store(tmp_path / "part.sqlite").row_counts.items() if rows}
    assert held == {"movies", "persons", "years"}


def test_a_folder_of_neither_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither"):
        import_folder(tmp_path, tmp_path / "out.sqlite", quiet)


def test_a_folder_is_converted_once_until_it_changes(neutral: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    said: list[str] = []
    first = ready_file(neutral, said.append, cache=cache)
    assert said
    said.clear()
    assert ready_file(neutral, said.append, cache=cache) == first
    assert said == []
    with (neutral / "open.jsonl").open("a", encoding="utf-8") as lines:
        lines.write('{"name": "New"}\n')
    assert Store(ready_file(neutral, said.append, cache=cache)).row_counts["open"] == 7


@pytest.mark.parametrize("broken", [b"", b"not SQLite", None], ids=["empty", "text", "unfinished"])
def test_a_broken_file_in_the_cache_is_made_anew(
    neutral: Path, tmp_path: Path, broken: bytes | None
) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    path = ready_file(neutral, quiet, cache=cache)
    if broken is None:
        db = sqlite3.connect(path)
        db.execute("PRAGMA user_version = 0")
        db.close()
    else:
        path.write_bytes(broken)
    assert not is_complete(path)
    assert Store(ready_file(neutral, quiet, cache=cache)).row_counts["open"] == 6


def test_a_ready_file_is_served_as_it_is_and_no_other(neutral: Path, tmp_path: Path) -> None:
    out = tmp_path / "facts.sqlite"
    import_folder(neutral, out, quiet)
    assert ready_file(out, quiet) == out
    other = tmp_path / "other.sqlite"
    other.write_bytes(b"not SQLite")
    with pytest.raises(InputError, match="mock_api import"):
        ready_file(other, quiet)
    with pytest.raises(InputError, match="no such file"):
        ready_file(tmp_path / "nowhere", quiet)


def test_a_store_cannot_be_written_through(neutral: Path, tmp_path: Path) -> None:
    out = tmp_path / "facts.sqlite"
    import_folder(neutral, out, quiet)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        Store(out).rows("DELETE FROM open")


def test_the_import_command(
    neutral: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "facts.sqlite"
    assert main(["import", str(neutral), str(out)]) == 0
    assert is_complete(out)
    said = capsys.readouterr()
    assert "open: 6 rows" in said.err
    assert said.out == ""
    assert main(["import", str(tmp_path / "nowhere"), str(out)]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_a_large_object_is_read_member_by_member(tmp_path: Path) -> None:
    value = {f"k{i}": {"n": i, "text": 'é\\" }{' * (i % 7) * 5000} for i in range(60)}
    value |= {"big": {"text": "x" * 3_000_000}, "number": 12345}  # type: ignore[dict-item]
    path = tmp_path / "object.json"
    for indent in (None, 1):
        path.write_text(json.dumps(value, ensure_ascii=False, indent=indent), encoding="utf-8")
        assert dict(members(path)) == value


def test_a_member_cut_by_the_window_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "object.json"
    for pad in range(2**20 - 12, 2**20 + 3):
        path.write_text('{"a":' + " " * (pad - 5) + '1234567,"b":2}', encoding="utf-8")
        assert dict(members(path)) == {"a": 1234567, "b": 2}


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a"}', '{"a": 1', '{"a": 1 "b": 2}', '{"a": x}'])
def test_what_is_no_object_is_an_input_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "object.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="object.json"), reading(path):
        list(members(path))
    assert list(members(tmp_path / "absent.json")) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": float("nan"), "b": [float("inf"), 1.5]}, '{"a":null,"b":[null,1.5]}'),
        (("é", "\ud800"), '["\\u00e9","\\ud800"]'),
        ("é", '"é"'),
    ],
)
def test_stored_json_is_json(value: object, text: str) -> None:
    assert dump(value) == text
