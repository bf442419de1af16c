"""Every benchmark runs both ways, says what it does, and can write its figures as JSON."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPTS = sorted(path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py"))


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("as_module", [True, False])
def test_a_script_takes_a_json_file(script: str, as_module: bool) -> None:
    how = ["-m", f"benchmarks.{script}"] if as_module else [f"benchmarks/{script}.py"]
    done = subprocess.run(
        [sys.executable, *how, "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "--json" in done.stdout


def test_the_token_benchmark_writes_what_it_prints(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="pip install tokenizers")
    model = tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "texts.jsonl").write_text('{"query": "one two three four five six"}\n')
    out = tmp_path / "out.json"
    command = [sys.executable, "-m", "benchmarks.token_estimate", "--json", str(out)]
    command += ["--tokenizer", str(tmp_path / "tokenizer.json")]
    command += ["--data", str(tmp_path / "texts.jsonl")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    row = json.loads(out.read_text())[0]
    assert (row["texts"], row["share_under"]) == (1, 0.0)
    assert f"{row['mean_ratio']:.2f}" in done.stdout
