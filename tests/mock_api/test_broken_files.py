"""Every broken or hostile file ends an import with one line that names it, and with status 2."""

import bz2
import pickle
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from mock_api.__main__ import main
from mock_api.process import ROOT
from tests.mock_api.pickles import array, column, doubled, dtype, plain, slices, span, twice

ARTISTS = "music/artist_dict_simplified.pickle"
RANKS = "music/rank_dict_hot100.pickle"
GRAMMY = "music/grammy_df.pickle"
COMPANIES = "finance/company_name.dict"
MOVIES = "movie/movie_db.json"
OPEN = "open/kg.0.jsonl.bz2"
PRICES = "finance/finance_price.sqlite"


def database(*statements: str) -> bytes:
    """A SQLite file."""
    with closing(sqlite3.connect(":memory:")) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()
        return db.serialize()


ENDLESS_VIEW = (
    "CREATE VIEW unnamed AS WITH RECURSIVE n(key, value) AS"
    " (SELECT 1, x'4e2e' UNION ALL SELECT key, value FROM n) SELECT * FROM n"
)
HUGE = "CREATE TABLE unnamed (key, value AS (zeroblob(900000000)))"
FAULTS: list[tuple[str, bytes, str]] = [
    (ARTISTS, pickle.dumps({"a": b"x"}), "type bytes is not JSON"),
    (ARTISTS, b"}(\x8c\x01a" + b"(l" * 20_000 + b"a" * 19_999 + b"u.", "recursion"),
    (ARTISTS, pickle.dumps([1]), "not a pickled dict"),
    (RANKS, pickle.dumps({1: [{"Date": ["2024"]}]}), "a row that holds a list"),
    (COMPANIES, b",Name,Symbol\n0,\xff\xfe,A\n", f"{COMPANIES}:2: not of its form: Unicode"),
    (MOVIES, b'{"a": ' + b"[" * 200_000, "recursion"),
    (MOVIES, b"[]", "not a JSON object"),
    (OPEN, bz2.compress(b'["a", {}]\n{}\n'), f"{OPEN}:2: not of its form"),
    (OPEN, bz2.compress(b'["a", {}]\n' * 999)[:-30], "not of its form"),
    (PRICES, b"not SQLite" * 100, "not a database"),
    (PRICES, database("CREATE TABLE other (key, value)"), "no table 'unnamed'"),
    (PRICES, database(ENDLESS_VIEW), "no table 'unnamed'"),
    (PRICES, database(HUGE, "INSERT INTO unnamed VALUES (1)"), "blob too big"),
    ("open.jsonl", b'{"name": "a"}\n{', "open.jsonl:2: not of its form: JSONDecodeError"),
    ("open.jsonl", b'{"name": null}', "open.jsonl:1: not an object with 'name'"),
]


@pytest.mark.parametrize(("name", "content", "why"), FAULTS, ids=[why for *_, why in FAULTS])
def test_a_broken_file_ends_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes, why: str
) -> None:
    folder = lone(tmp_path / "folder", name, content)
    out = tmp_path / "out.sqlite"
    assert main(["import", str(folder), str(out)]) == 2
    message = one_line(capsys.readouterr().err)
    assert str(folder / name) in message
    assert why in message
    assert not list(tmp_path.glob("out*"))


def one_line(err: str) -> str:
    *progress, last = err.splitlines()
    assert last.startswith("error: ")
    assert all(line.endswith(" rows") for line in progress)
    assert len(last) < 1000
    return last


def lone(folder: Path, name: str, content: bytes) -> Path:
    """A folder of facts that holds this one file."""
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_bytes(content)
    return folder


def test_an_output_that_cannot_be_written_is_named(
    neutral: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(neutral), str(tmp_path / "nowhere" / "out.sqlite")]) == 2
    assert "nowhere" in one_line(capsys.readouterr().err)


ONE = array((1, 1), b"\x01")
LONG = "x" * 2**20
TRAPS: list[tuple[str, bytes, str]] = [
    (ARTISTS, pickle.dumps({"a": doubled(40)}), "holds itself, or more than 64 MiB"),
    (ARTISTS, pickle.dumps({"a": [LONG] * 100_000}), "holds itself, or more than 64 MiB"),
    (ARTISTS, pickle.dumps({str(i): [LONG] * 60 for i in range(99)}), "MiB of rows"),
    (ARTISTS, b"\x80\x02Nr\xff\xff\xff\x7f.", "not a pickled dict"),
    (ARTISTS, plain({})[:-2] + plain(doubled(60, tuple)) + b"Ns.", "a tuple for a key"),
    (ARTISTS, b"(" + plain(doubled(60, tuple)) + b"Nd.", "a tuple for a key"),
    (ARTISTS, plain([1]) + (b"q\x00" + slices(0) + b"h\x00s") * 50 + b".", "that sets items on"),
    (ARTISTS, b"(" + plain(doubled(60, tuple)) + b"\x91.", "a pickle with a set"),
    (ARTISTS, b"\x80\x05\x96" + (2**40).to_bytes(8, "little") + b".", "not of its form"),
    (ARTISTS, b"ccollections\n" + b"x" * 10_000_000 + b"\n.", "a pickle that asks for"),
    (RANKS, pickle.dumps({1: [{"Song": LONG}] * 9999}), "MiB of rows"),
    (GRAMMY, column(array((1, 1), 10**11)), "a int where another type"),
    (GRAMMY, column(array(("x" * 999, 10**9), b"")), "a str where another type"),
    (GRAMMY, column(array((10**12, 0), b"")), "whose shape differs from its content"),
    (GRAMMY, column(array((1, 1), b"", dtype(doubled(40)))), "a list where"),
    (GRAMMY, column(ONE, twice(span(10**12))), "not of its form"),
    (GRAMMY, column(ONE, twice(twice(span(1)))), "have levels"),
    (OPEN, bz2.compress(b" " * (34 * 2**20)), "a line of more than 32 MiB"),
]
# What a trap may take of memory, beside what the interpreter and numpy have.
ALLOWED_BYTES = 900 * 2**20
CHILD = """
import resource, sys
from mock_api.__main__ import main
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]),) * 2)
for folder in sys.argv[2:]:
    print(main(["import", folder, folder + ".sqlite"]), flush=True)
    print("END", file=sys.stderr, flush=True)
"""


@pytest.mark.clock
def test_no_trap_takes_memory_or_time(tmp_path: Path) -> None:
    """All in one process; the first that fails says so by its number among them."""
    folders = [lone(tmp_path / str(i), name, data) for i, (name, data, _) in enumerate(TRAPS)]
    command = [sys.executable, "-c", CHILD, str(ALLOWED_BYTES), *map(str, folders)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=200.0)
    outputs = done.stderr.split("END\n")[:-1]
    ended_early = len(outputs) < len(TRAPS)
    assert not ended_early, f"{TRAPS[len(outputs)]} ended everything: {done.stderr[-1000:]}"
    for folder, output, (name, _, why) in zip(folders, outputs, TRAPS, strict=True):
        message = one_line(output)
        assert str(folder / name) in message
        assert why in message
    assert done.stdout.split() == ["2"] * len(TRAPS)
