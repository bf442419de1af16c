"""Annotated programs are parsed, checked, printed, and counted by what they need."""

import json
from pathlib import Path

import pytest

from benchmarks.kg_programs import is_unchanged, main, rejection

FULL = 'ALL get_movie("the red lamp")["title"]'


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (FULL, ""),
        ("None", ""),
        ('3 get_billboard(1)["song"]; minus("today", get_person("jo doe")["birthday"])', ""),
        ('get_movi("a")["title"]', 'unknown function "get_movi"'),
        ('get_movie("a")[title]', "needs a repair"),
        ('AVG get_movie("a")["title"]', "AVG needs numbers"),
        ("", "this is no function"),
    ],
)
def test_a_program_is_rejected_with_a_reason(program: str, reason: str) -> None:
    rejected_for = rejection(program)
    assert rejected_for.startswith(reason)
    assert bool(rejected_for) == bool(reason)


@pytest.mark.parametrize(
    ("program", "unchanged"),
    [
        (FULL, True),
        ('2 get_movie_series("red")["title"]\nget_movie( "a" )["year"]', True),
        ('get_billboard(1, None, contains(song, "a"))["song"]', True),
        ('get_movie("a")["director"]["birthday"]', False),
        ('ALL get_movie_person_cast("a", None, eq(character, name))["name"]', False),
    ],
)
def test_a_program_is_printed_as_written(program: str, unchanged: bool) -> None:
    assert is_unchanged(program) is unchanged


def test_the_table_has_a_row_for_each_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"interaction_id": "a", "program": FULL, "kind": "full", "needs": "tracks of an album"},
        {"interaction_id": "b", "program": 'get_movie("a")[title]', "kind": "partial"},
    ]
    file = tmp_path / "programs.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["--programs", str(file), "--list"]) == 0
    table = capsys.readouterr().out
    assert "needs a repair" in table
    assert "50.0%" in table
    assert "kind of a work, tracks of an album" in table
