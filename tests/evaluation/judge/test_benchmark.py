"""The benchmark of the judge, on invented pairs; and its targets, on real ones."""

import json
from pathlib import Path

import pytest

from benchmarks.judge import JUDGED, main
from tests.evaluation.run_files import write_rows

ROWS = [
    ("who leads oster?", "ada lunt", "Ada Lunt.", True, "simple"),
    ("who leads tarn?", "bo marsh", "Ada Lunt.", False, "simple"),
    ("who leads pell?", "cyril penn", "I'm not sure.", False, "simple"),
    ("how many moons has tarn?", "4", "Four.", False, "aggregation"),
    ("what is osmosis?", "a movement of water through membranes", "water movement", True, "simple"),
]


def test_the_figures_of_invented_pairs_are_as_counted_by_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("query", "ground_truth", "prediction", "correct", "question_type")
    rows = [dict(zip(names, row, strict=True)) for row in ROWS]
    write_rows(tmp_path / JUDGED, rows)
    out = tmp_path / "figures.json"
    assert main(["--data", str(tmp_path), "--json", str(out), "--show"]) == 1
    figures = json.loads(out.read_text(encoding="utf-8"))
    assert figures["coverage"] == 0.8
    assert figures["agreement"] == 0.75
    # Twelve pairs of one type and of two questions: "Ada Lunt." is right for the first question.
    assert figures["leniency"] == pytest.approx(1 / 12)
    for name in ("judge_1", "judge_2"):
        assert figures[f"{name}: wrong called correct"] <= 0.025
        assert figures["adversarial"][f"{name}: right called wrong"] <= 0.06
    printed = capsys.readouterr().out
    assert "how many moons has tarn?" in printed
    assert "who leads oster?" not in printed


@pytest.mark.parametrize("line", [None, "{", '{"query": "x"}'])
def test_data_that_cannot_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str | None
) -> None:
    if line:
        (tmp_path / JUDGED).write_text(line + "\n", encoding="utf-8")
    assert main(["--data", str(tmp_path)]) == 2
    assert ("line 1" if line else "--data") in capsys.readouterr().err


@pytest.mark.crag_data
def test_the_rules_meet_the_targets_on_real_pairs(crag_data: Path) -> None:
    assert main(["--data", str(crag_data)]) == 0
