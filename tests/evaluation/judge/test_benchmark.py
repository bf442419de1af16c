"""The ruler over the judge, on invented pairs; and the targets, on real ones."""

import json
from pathlib import Path

import pytest

from benchmarks.judge import (
    agreement,
    by_half,
    leniency,
    load,
    load_near_misses,
    main,
    mismatched,
    near_misses,
)
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
    assert [judgement.verdict for judgement in judgements] == [
        Verdict.CORRECT,
        Verdict.WRONG,
        Verdict.MISSING,
        Verdict.CORRECT,
        Verdict.UNSCORED,
    ]
    figures = agreement(pairs, judgements)
    assert (figures.pairs, figures.given, figures.agreed) == (5, 4, 3)
    assert figures.coverage == pytest.approx(0.8)
    assert figures.agreement == pytest.approx(0.75)


def test_mismatched_pairs_are_of_one_type_and_of_two_questions(folder: Path) -> None:
    items = list(mismatched(load(folder)))
    assert len(items) == 12
    assert all(item.query != "how many moons has tarn?" for item in items)
    lenient = leniency(load(folder), RulesJudge())
    assert lenient.pairs == 12
    assert lenient.correct == 1  # "Ada Lunt." of the second question, for the first


def test_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "figures.json"
    assert main(["--data", str(folder), "--json", str(out), "--show"]) == 1
    figures = json.loads(out.read_text(encoding="utf-8"))
    assert figures["coverage"] == pytest.approx(0.8)
    assert figures["near_misses"]["unseen"]["leniency"] <= 0.03
    assert figures["by_type"]["aggregation"]["agreement"] == 0.0
    printed = capsys.readouterr().out
    assert "how many moons has tarn?" in printed
    assert "who leads oster?" not in printed


def test_no_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="--data"):
        load(tmp_path)
    assert main(["--data", str(tmp_path)]) == 2
    assert "--data" in capsys.readouterr().out.replace("\n", "")
    (tmp_path / "judged_pairs.jsonl").write_text('{"query": "x"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 1"):
        load(tmp_path)


def test_near_misses() -> None:
    rows = load_near_misses()
    assert len(rows) >= 600
    assert len({(row.item.query, row.item.prediction) for row in rows}) == len(rows)
    assert {row.half for row in rows} == {"seen", "unseen"}
    for half, figures in by_half(RulesJudge()).items():
        assert figures.wrong >= 150, half
        assert figures.right >= 100, half
        assert figures.leniency <= 0.03, half
        assert figures.recall >= 0.85, half


def test_not_knowing_is_missing_among_near_misses() -> None:
    rows = [row for row in load_near_misses() if row.verdicts == {Verdict.MISSING}]
    judgements = RulesJudge().judge([row.item for row in rows])
    assert {judgement.verdict for judgement in judgements} == {Verdict.MISSING}


def test_a_near_miss_counts_on_its_side() -> None:
    rows = [row for row in load_near_misses() if row.kind == "relation"][-2:]
    assert near_misses(rows, RulesJudge()).right == 2
    with pytest.raises(InputError, match="no near misses"):
        load_near_misses(Path("nowhere.jsonl"))


@pytest.mark.crag_data
def test_targets(crag_data: Path) -> None:
    pairs = load(crag_data)
    judge = RulesJudge()
    figures = agreement(pairs, judge.judge([pair.item for pair in pairs]))
    assert figures.agreement >= 0.97
    assert figures.coverage >= 0.75
    assert leniency(pairs, judge).share <= 0.002
