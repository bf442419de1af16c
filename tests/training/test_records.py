"""Rows of JSON lines."""

import bz2
from pathlib import Path

import pytest

from training.records import Sample, read_rows, write_rows
from utils.errors import InputError


def test_rows_are_read_as_written_and_a_bad_line_is_named(tmp_path: Path) -> None:
    """Web text has line separators that are no ends of JSON lines."""
    file = tmp_path / "rows.jsonl"
    sample = Sample("s", (("user", "a\u2028b\x85c"),), "x")
    write_rows(file, [sample, sample])
    assert list(read_rows(file, Sample)) == [sample] * 2
    packed = tmp_path / "rows.jsonl.bz2"
    packed.write_bytes(bz2.compress(file.read_bytes()))
    assert list(read_rows(packed, Sample)) == [sample] * 2
    with file.open("a") as lines:
        lines.write('{"id": "t"}\n')
    with pytest.raises(InputError, match="line 3: no sample: turns: Field required"):
        list(read_rows(file, Sample))
