"""The benchmark of the judge, on invented pairs; and its targets, on real ones."""

import json
from pathlib import Path

import pytest

from benchmarks.judge import agreement, called_correct, load, main, mismatched, near_misses
from evaluation.judge.protocol import Verdict
from evaluation.judge.rules import RulesJudge
from utils.errors import InputError

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


def test_figures(folder: Path) -> None:
    pairs = load(folder)
    judgements = RulesJudge().judge([pair.item for pair in pairs])
    said = [judgement.verdict for judgement in judgements]
    assert said == [Verdict(v) for v in ("correct", "wrong", "missing", "correct", "unscored")]
    figures = agreement(pairs, judgements)
    assert (figures.pairs, figures.given, figures.agreed) == (5, 4, 3)
    assert (figures.coverage, figures.agreement) == (0.8, 0.75)
    items = mismatched(pairs)  # of one type and of two questions
    assert len(items) == 12
    assert all(item.query != "how many moons has tarn?" for item in items)
    assert called_correct(items, RulesJudge()).correct == 1  # "Ada Lunt." for the first question


def test_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "figures.json"
    assert main(["--data", str(folder), "--json", str(out), "--show"]) == 1
    figures = json.loads(out.read_text(encoding="utf-8"))
    assert figures["coverage"] == 0.8
    assert figures["by_type"]["aggregation"]["agreement"] == 0.0
    printed = capsys.readouterr().out
    assert "how many moons has tarn?" in printed
    assert "who leads oster?" not in printed


def test_no_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path)]) == 2
    assert "--data" in capsys.readouterr().err
    for line in ("{", '{"query": "x"}'):
        (tmp_path / "judged_pairs.jsonl").write_text(line + "\n", encoding="utf-8")
        with pytest.raises(InputError, match="line 1"):
            load(tmp_path)


def test_near_misses() -> None:
    wrong, right = near_misses(RulesJudge())
    assert (wrong.pairs, right.pairs) >= (300, 150)
    assert wrong.share <= 0.03
    assert right.share >= 0.85


@pytest.mark.crag_data
def test_targets(crag_data: Path) -> None:
    pairs = load(crag_data)
    judge = RulesJudge()
    figures = agreement(pairs, judge.judge([pair.item for pair in pairs]))
    assert figures.agreement >= 0.97
    assert figures.coverage >= 0.75
    others = mismatched(pairs[::3])  # all of them: `python -m benchmarks.judge`
    assert called_correct(others, judge).share <= 0.002
