"""The estimate is pessimistic, and the cut never leaves more than the limit."""

import json
from pathlib import Path

import pytest

from utils.errors import SettingsError
from utils.tokens import cut_answer, estimate_tokens, load_counter, whole_items


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("hello world", 2),
        ("1957, 1959 and 2008", 17),
        ("2023-10-02", 11),
        ("the answer is forty-two", 6),
        ("\u30e4\u30af\u30eb\u30c8", 5),
        ("zzqx vvkj zzqx vvkj", 16),
        *((text, 2) for text in ("", "\ud800", "\0", "\u200b" * 3, "\n\n")),
    ],
)
def test_the_estimate_is_never_under_llama_2s_tokens(text: str, tokens: int) -> None:
    assert tokens <= estimate_tokens(text)


def test_the_cut_is_between_words_and_inside_one_only_if_it_must() -> None:
    assert cut_answer("alpha beta gamma", 2, count=lambda text: len(text.split())) == "alpha beta"
    assert cut_answer("abcdef", 3, count=len) == "abc"


def test_a_tokenizer_of_the_settings_counts(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="pip install tokenizers")
    model = tokenizers.models.WordLevel({"a": 0, "b": 1, "[UNK]": 2}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.enable_padding(length=100)  # neither this nor truncation changes a count
    tokenizer.enable_truncation(5)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    for place in (tmp_path, tmp_path / "tokenizer.json"):
        count = load_counter(place)
        assert count("a b a zzz") == 4
        assert count("a " * 80) == 80
        assert cut_answer("a b a b", 3, count) == "a b a"
        assert cut_answer("a \ud800b", 3, count) == "a b"


def test_a_tokenizer_that_cannot_be_read_is_a_settings_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no"):
        load_counter(tmp_path)
    (tmp_path / "tokenizer.json").write_text(json.dumps({"not": "a tokenizer"}))
    with pytest.raises(SettingsError, match="cannot be read"):
        load_counter(tmp_path)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("A. One, B. Two, C. Thr", "A. One, B. Two"),
        ("A. One, B. Two, C. Three (and oth", "A. One, B. Two, C. Three"),
        ("A. One, B. Two (x), C. Thr", "A. One, B. Two (x)"),
        ("One thing, and no more of it", "One thing, and no more of it"),
    ],
)
def test_a_list_that_was_cut_ends_at_a_whole_item(text: str, whole: str) -> None:
    assert whole_items(text) == whole
