"""The small base: pre-trained on the KG's text and on programs, never on a pair."""

import json
from pathlib import Path

import pytest

from training.demo import demo_checks, run_demo, sentences
from training.evaluate import QueryFigures
from training.kg import Kg
from training.records import Pair, read_rows
from training.small_base import Shape, documents
from utils.errors import MissingPackageError

LITTLE = Shape(vocabulary=500, hidden=32, layers=1, inner=64, documents=40, steps=2, batch=4)


def test_its_texts_hold_no_question_and_no_program_beside_what_it_returns(
    pairs: list[Pair], kg: Kg
) -> None:
    sentences_by_program = sentences([pair for pair in pairs if pair.split == "train"], kg)
    texts = documents(sentences_by_program, 2000, 0)
    whole_text = "\n".join(texts)
    assert not [pair for pair in pairs if pair.question in whole_text]
    for text in texts:
        facts, *programs = text.split("\n")
        for program in programs:
            for sentence in sentences_by_program[program]:
                assert len(sentence) <= 20 or sentence.lower() not in facts, text


def test_the_checks_are_on_pairs_gains_of_each_seed_time_and_engines() -> None:
    execution = {"base": 0.0, "seed0": 0.3, "seed1": 0.4}
    good = {name: QueryFigures(240, 0.0, share, 0.0) for name, share in execution.items()}
    poor = good | {"seed1": QueryFigures(240, 0.0, 0.29, 0.0)}
    checks = demo_checks(5000, good, {"base": 24, "seed0": 24}, 599.0)
    assert [check.met for check in checks] == [True] * 4
    failing = demo_checks(4999, poor, {"base": 23, "seed0": 24}, 601.0)
    assert [check.met for check in failing] == [False] * 4


def test_the_demo_does_not_begin_without_vllm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    report = json.loads((tmp_path / "demo.json").read_text())
    assert set(report["seconds"]) == {"data", "base", "adapters", "transformers"}
    assert len(report["verdict"]) == 3
