"""The small base: pre-trained on the KG's text and on programs, never on a pair."""

import json
from pathlib import Path

import pytest

from training.demo import run_demo, sentences, verdict
from training.evaluate import QueryFigures
from training.kg import Kg
from training.records import Pair, read_rows
from training.small_base import Shape, documents
from utils.errors import MissingPackageError

LITTLE = Shape(vocabulary=500, hidden=32, layers=1, inner=64, documents=40, steps=2, batch=4)


def test_it_holds_no_question_and_no_program_but_what_it_returns(pairs: list[Pair], kg: Kg) -> None:
    said = sentences([pair for pair in pairs if pair.split == "train"], kg)
    made = documents(said, 2000, 0)
    assert not [pair for pair in pairs if pair.question in "\n".join(made)]
    for document in made:
        facts, *programs = document.split("\n")
        beside = [s for p in programs for s in said[p] if len(s) > 20 and s.lower() in facts]
        assert not beside, document


def test_the_verdict_is_on_pairs_gains_of_each_seed_time_and_engines() -> None:
    shares = {"base": 0.0, "seed0": 0.3, "seed1": 0.4}
    good = {name: QueryFigures(240, 0.0, share, 0.0) for name, share in shares.items()}
    poor = good | {"seed1": QueryFigures(240, 0.0, 0.29, 0.0)}
    held = verdict(5000, good, {"base": 24, "seed0": 24}, 599.0)
    assert [ok for *_, ok in held] == [True] * 4
    failed = verdict(4999, poor, {"base": 23, "seed0": 24}, 601.0)
    assert [ok for *_, ok in failed] == [False] * 4


def test_without_vllm_no_demo_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="--no-vllm"):
        run_demo(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.engine
@pytest.mark.slow
def test_the_demo_end_to_end(tmp_path: Path) -> None:
    """With next to no training: files and figures, not skill. `make train-demo` measures that."""
    for name in ("trl", "datasets"):
        pytest.importorskip(name, reason=f"{name} is not installed: the extra train")
    (tmp_path / "adapter-7").mkdir()  # of an earlier run
    options = {"seeds": (0,), "vllm": False, "counts": (60, 8), "shape": LITTLE}
    assert not run_demo(tmp_path, **options)
    assert len(list(read_rows(tmp_path / "train.jsonl", Pair))) == 60
    assert [folder.name for folder in tmp_path.glob("adapter-*")] == ["adapter-0"]
    told = json.loads((tmp_path / "demo.json").read_text())
    assert set(told["seconds"]) == {"data", "base", "adapters", "transformers"}
    assert len(told["verdict"]) == 3
