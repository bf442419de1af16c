"""The benchmark of the judge, on invented pairs; and its targets, on real ones."""

import json
from pathlib import Path

import pytest

from benchmarks.judge import JUDGED, QUESTIONS, load_labels, main
from tests.evaluation.run_files import write_rows
from utils.errors import InputError

ROWS = [
    ("who leads oster?", "ada lunt", "Ada Lunt.", True, "simple"),
    ("who leads tarn?", "bo marsh", "Ada Lunt.", False, "simple"),
    ("who leads pell?", "cyril penn", "I'm not sure.", False, "simple"),
    ("how many moons has tarn?", "4", "Four.", False, "aggregation"),
    ("what is osmosis?", "a movement of water through membranes", "water movement", True, "simple"),
]


LABELS = [
    ("q0", "read", "Ada Lunt.", "correct"),
    ("q1", "unread", "Ada Lunt.", "wrong"),
    ("q1", "unread", "Bo Marsh's brother.", "wrong"),
    ("q2", "unread", "Cyril Penn does.", "wrong"),
]


def write_labels(folder: Path) -> Path:
    """A file of labels, and the questions of `ROWS` in `folder`."""
    questions = [
        {"interaction_id": f"q{number}", "query": query, "answer": gold, "question_type": kind}
        for number, (query, gold, _, _, kind) in enumerate(ROWS)
    ]
    write_rows(folder / QUESTIONS[0], questions[:2])
    write_rows(folder / QUESTIONS[1], questions[2:])
    names = ("id", "set", "prediction", "verdict")
    return write_rows(
        folder / "labels.jsonl", [dict(zip(names, label, strict=True)) for label in LABELS]
    )


def test_the_figures_of_invented_pairs_are_as_counted_by_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.judge.LABELLED", write_labels(tmp_path))
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
    # Two of the four labels are agreed with, one answer is unscored, one called correct.
    assert figures["labels: coverage"] == 0.75
    assert figures["labels: agreement"] == pytest.approx(2 / 3)
    assert figures["labels: wrong called correct"] == pytest.approx(1 / 3)
    assert figures["labels: right called wrong"] == 0.0
    for name in ("judge_1", "judge_2"):
        assert figures[f"{name}: wrong called correct"] <= 0.015
        assert figures[f"{name}: right called wrong"] <= 0.01
    printed = capsys.readouterr().out
    assert "how many moons has tarn?" in printed
    assert "who leads oster?" not in printed


def test_without_the_pairs_of_a_public_system_the_labels_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.judge.LABELLED", write_labels(tmp_path))
    (tmp_path / QUESTIONS[1]).rename(tmp_path / QUESTIONS[2])  # as `crag data build` calls it
    out = tmp_path / "figures.json"
    assert main(["--data", str(tmp_path), "--json", str(out)]) == 1
    figures = json.loads(out.read_text(encoding="utf-8"))
    assert figures["labels: coverage"] == 0.75
    assert "leniency" not in figures


def test_a_label_of_an_unknown_question_is_an_error(tmp_path: Path) -> None:
    labels = write_labels(tmp_path)
    with pytest.raises(InputError, match="no question q2"):
        load_labels(labels, [tmp_path / QUESTIONS[0]])


@pytest.mark.parametrize("line", [None, "{", '{"query": "x"}'])
def test_data_that_cannot_be_read_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    line: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if line:
        monkeypatch.setattr("benchmarks.judge.LABELLED", write_labels(tmp_path))
        (tmp_path / JUDGED).write_text(line + "\n", encoding="utf-8")
    assert main(["--data", str(tmp_path)]) == 2
    assert ("line 1" if line else "--data") in capsys.readouterr().err


@pytest.mark.crag_data
def test_the_rules_meet_the_targets_on_real_pairs(crag_data: Path) -> None:
    assert main(["--data", str(crag_data)]) == 0
