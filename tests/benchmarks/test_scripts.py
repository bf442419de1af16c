"""Every benchmark describes itself."""

import importlib
from pathlib import Path

import pytest

from benchmarks.token_estimate import main

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPTS = sorted(path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_benchmark_describes_itself(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert importlib.import_module(f"benchmarks.{script}").main(["--help"]) == 0
    assert f"python -m benchmarks.{script}" in capsys.readouterr().out


def test_the_estimate_is_compared_with_a_tokenizer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="pip install tokenizers")
    model = tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "texts.jsonl").write_text('{"query": "one two three four five six"}\n')
    options = {"--tokenizer": "tokenizer.json", "--data": "texts.jsonl"}
    assert main([f"{name}={tmp_path / file}" for name, file in options.items()]) == 0
    assert "0.00%" in capsys.readouterr().out
