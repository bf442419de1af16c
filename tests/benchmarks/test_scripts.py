"""Every benchmark describes itself, and can write its figures as JSON."""

import importlib
import json
from pathlib import Path

import pytest

from benchmarks.token_estimate import main

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPTS = sorted(path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py"))


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_benchmark_takes_a_json_file(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert importlib.import_module(f"benchmarks.{script}").main(["--help"]) == 0
    said = capsys.readouterr().out
    assert "--json" in said and f"python -m benchmarks.{script}" in said


def test_the_token_benchmark_writes_what_it_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="pip install tokenizers")
    model = tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "texts.jsonl").write_text('{"query": "one two three four five six"}\n')
    options = {"--json": "out.json", "--tokenizer": "tokenizer.json", "--data": "texts.jsonl"}
    assert main([f"{name}={tmp_path / file}" for name, file in options.items()]) == 0
    row = json.loads((tmp_path / "out.json").read_text())[0]
    assert (row["texts"], row["share_under"]) == (1, 0.0)
    assert f"{row['mean_ratio']:.2f}" in capsys.readouterr().out
