"""Every benchmark describes itself."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPTS = sorted(path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_benchmark_describes_itself(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert importlib.import_module(f"benchmarks.{script}").main(["--help"]) == 0
    assert f"python -m benchmarks.{script}" in capsys.readouterr().out
