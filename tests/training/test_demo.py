"""The demo of training: its checks, and all its steps on a few pairs."""

import json
from pathlib import Path

import pytest

from training.demo import demo_checks, run_demo
from training.records import Pair, read_rows


def test_the_checks_are_on_gain_and_time() -> None:
    figures = {"base": {"execution": 0.1}, "adapter": {"execution": 0.5}}
    assert [check.met for check in demo_checks(figures, 50, 599.0)] == [True, True]
    figures["adapter"]["execution"] = 0.39
    assert [check.met for check in demo_checks(figures, 50, 601.0)] == [False, False]


@pytest.mark.engine
def test_the_demo_end_to_end(tmp_path: Path, smollm2: Path) -> None:
    """With next to no training: files and figures, not skill. `make train-demo` measures that."""
    for name in ("trl", "datasets"):
        pytest.importorskip(name, reason=f"{name} is not installed: the extra train")
    assert not run_demo(tmp_path, pairs=16, held_out=4)
    assert len(list(read_rows(tmp_path / "train.jsonl", Pair))) == 16
    report = json.loads((tmp_path / "demo.json").read_text())
    assert set(report["seconds"]) == {"data", "base", "adapter", "evaluation"}
    assert set(report["figures"]) == {"base", "adapter"}
    assert [check["met"] for check in report["checks"]] == [False, True]
