"""The table of the token estimate is written and read, and the estimate is measured with it."""

import json
from pathlib import Path

import pytest

from benchmarks import answer_tokens
from utils import tokens


def tokenizer_of_words(file: Path) -> Path:
    """A tokenizer for which each word and sign is one token, but "nordlys" three."""
    tokenizers = pytest.importorskip("tokenizers", reason="pip install tokenizers")
    model = tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex("dly"), "isolated")
    words = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([words, split])
    tokenizer.save(str(file))
    return file


def test_the_table_is_measured_and_the_estimate_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kg").mkdir()
    names = [f"Nordlys Nordlys{ending} Quay" for ending in ("", "en", "et")] * 10
    movies = "\n".join(json.dumps({"title": f"{name} {n}"}) for n, name in enumerate(names))
    (tmp_path / "kg" / "movies.jsonl").write_text(movies)
    for name in ("questions_validation.jsonl", "questions_more.jsonl"):
        (tmp_path / name).write_text('{"answer": "the quay", "alt_ans": ["nordlys"]}\n')
    table_file = tmp_path / "token_counts.toml"
    monkeypatch.setattr(answer_tokens, "TABLE", table_file)
    monkeypatch.setattr(tokens, "TABLE", table_file)
    tokens.token_table.cache_clear()
    try:
        arguments = ["--data", str(tmp_path), "--write"]
        arguments += ["--tokenizer", str(tokenizer_of_words(tmp_path / "tokenizer.json"))]
        assert answer_tokens.main(arguments) == 0
        table = tokens.token_table()
        assert "quay" in table.words
        assert "Nordlys" not in table.words
        assert table.split.mean[-1] >= 3.0
        assert tokens.estimate_tokens("the quay") == 2
        assert tokens.estimate_tokens("nordlys") >= 3
        assert "gold answers (validation)" in capsys.readouterr().out
    finally:
        tokens.token_table.cache_clear()
