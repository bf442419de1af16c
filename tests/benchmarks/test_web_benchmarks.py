"""What the web benchmarks count as holding an answer, and the pools that they draw."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import _web_data as data
from benchmarks._memory import peak_mb
from benchmarks._web_data import pools
from benchmarks.reading import recall, shares
from benchmarks.web_path import summary
from evaluation.gold_in_text import has_key_facts, holds, is_short
from models.ranking.lexical import LexicalReranker
from models.records import Question, Task
from models.subtasks.answer_web import ExtractiveReader
from utils.errors import InputError


def row(number: int) -> dict[str, object]:
    passage = f"Hotel {number}\n:\nThe hotel number {number} has {100 + number} **guest\nrooms**."
    return {
        "interaction_id": f"id{number}",
        "query": f"how many rooms does hotel number {number} have?",
        "answer": str(100 + number),
        "alt_ans": [],
        "passages": [{"text": passage}, {"text": "Elsewhere\n:\nNothing of note."}],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = "".join(json.dumps(row(number)) + "\n" for number in range(12))
    (tmp_path / "passages_validation.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def test_a_pool_holds_the_gold_once_among_nine_others(folder: Path) -> None:
    drawn = pools(folder)
    assert len(drawn) == 12
    for asked in drawn:
        assert len(asked.texts) == 20
        assert sum(holds(text, asked.golds) for _, text in asked.texts) == 1
    assert pools(folder) == drawn


def test_the_reader_and_the_ranker_are_scored(folder: Path) -> None:
    from benchmarks._web_data import with_passages

    rows = with_passages(folder)
    assert rows[0][1][0] == ("Hotel 0", "The hotel number 0 has 100 guest rooms.")
    said = shares(rows, ExtractiveReader())
    assert said["correct"] == 1.0
    assert said["questions"] == 12
    assert recall(rows, {"lexical": LexicalReranker()})["lexical"]["@1"] == 1.0


def test_absent_data_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--data"):
        pools(tmp_path)


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("It is 41 metres high, the tower by the sea.", True),
        ("It is 42 metres high, the tower by the sea.", False),
        ("41", False),
    ],
)
def test_key_facts_are_what_the_gold_adds(context: str, expected: bool) -> None:
    query, golds = "how high is the tower?", ["the tower is 41 metres high by the sea"]
    assert has_key_facts(context, query, golds) is expected


def test_a_gold_without_new_facts_cannot_be_told() -> None:
    assert has_key_facts("x", "is the tower high?", ["yes"]) is None
    assert not is_short("yes") and not is_short("a " * 9) and is_short("Ann Other")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells")
def test_memory_is_that_of_started_processes_too() -> None:
    alone = peak_mb()
    command = [sys.executable, "-c", "x = b'x' * 60_000_000; print(len(x), flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"60000000\n"
        assert peak_mb() > alone + 55
        process.communicate(b"\n")
    assert peak_mb() < alone + 55


def test_a_summary_takes_medians_of_time_and_the_most_memory() -> None:
    asked = data.Asked(Question("q", "how high?", None, Task.WEB), ("41",), (("t", "text"),))
    rows = [
        {"total": total, "seconds": {"embed": total / 2}, "embedded": 3, "peak_mb": peak,
         "contexts": {"4000": "none", "10000": "41 metres"}}
        for total, peak in ((1.0, 100), (2.0, 90), (9.0, 200))
    ]  # fmt: skip
    said = summary([asked], [rows])
    assert (said["median s"], said["not embedding s"], said["peak MB"]) == (2.0, 1.0, 200)
    assert (said["recall@4000"], said["recall@10000"], said["of"]) == (0.0, 1.0, 1)
