"""The benchmark of the judge, on invented pairs; and its targets, on real ones."""

import json
from pathlib import Path

import pytest

from benchmarks.judge import agreement, count, coverage, load, main, mismatched, share
from evaluation.judge.protocol import Verdict

ROWS = [
    ("who leads oster?", "ada lunt", "Ada Lunt.", True, "simple"),
    ("who leads tarn?", "bo marsh", "Ada Lunt.", False, "simple"),
    ("who leads pell?", "cyril penn", "I'm not sure.", False, "simple"),
    ("how many moons has tarn?", "4", "Four.", False, "aggregation"),
    ("what is osmosis?", "a movement of water through membranes", "water movement", True, "simple"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    names = ("query", "ground_truth", "prediction", "correct", "question_type")
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in ROWS]
    (tmp_path / "judged_pairs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_figures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "figures.json"
    assert main(["--data", str(folder), "--json", str(out), "--show"]) == 1
    figures = json.loads(out.read_text(encoding="utf-8"))
    assert figures["coverage"] == 0.8
    assert figures["agreement"] == 0.75
    # Twelve pairs of one type and of two questions: "Ada Lunt." is right for the first question.
    assert figures["leniency"] == pytest.approx(1 / 12)
    for name in ("judge_1", "judge_2"):
        assert figures[f"{name}: wrong called correct"] <= 0.025
        assert figures["blind"][f"{name}: right called wrong"] <= 0.06
    printed = capsys.readouterr().out
    assert "how many moons has tarn?" in printed
    assert "who leads oster?" not in printed


@pytest.mark.parametrize("line", [None, "{", '{"query": "x"}'])
def test_bad_data(tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str | None) -> None:
    if line:
        (tmp_path / "judged_pairs.jsonl").write_text(line + "\n", encoding="utf-8")
    assert main(["--data", str(tmp_path)]) == 2
    assert ("line 1" if line else "--data") in capsys.readouterr().err


@pytest.mark.crag_data
def test_targets(crag_data: Path) -> None:
    pairs = load(crag_data / "judged_pairs.jsonl")
    counts = count(pairs)
    assert agreement(counts) >= 0.97
    assert coverage(counts) >= 0.75
    others = count(mismatched(pairs[::3]))  # all of them: `python -m benchmarks.judge`
    assert share(others, False, Verdict.CORRECT) <= 0.002
