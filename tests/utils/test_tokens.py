"""The estimate is pessimistic, and the cut never leaves more than the limit."""

import json
from pathlib import Path

import pytest

from utils.errors import SettingsError
from utils.tokens import cut_answer, estimate_tokens, load_counter, whole_items


def test_the_estimate_is_never_below_the_number_of_llama_2s_tokens() -> None:
    words = {"hello world": 2, "the answer is forty-two": 6, "zzqx vvkj zzqx vvkj": 16}
    digits = {"1957, 1959 and 2008": 17, "2023-10-02": 11}
    others = dict.fromkeys(("", "\ud800", "\0", "\u200b" * 3, "\n\n"), 2)
    others["\u30e4\u30af\u30eb\u30c8"] = 5
    for text, tokens in (words | digits | others).items():
        assert tokens <= estimate_tokens(text), text


def test_an_answer_is_cut_between_words_if_possible_and_a_list_between_items() -> None:
    assert cut_answer("alpha beta gamma", 2, count=lambda text: len(text.split())) == "alpha beta"
    assert cut_answer("abcdef", 3, count=len) == "abc"
    assert whole_items("A. One, B. Two, C. Thr") == "A. One, B. Two"
    assert whole_items("A. One, B. Two, C. Three (and oth") == "A. One, B. Two, C. Three"
    assert whole_items("A. One, B. Two (x), C. Thr") == "A. One, B. Two (x)"
    assert whole_items("One thing, and no more") == "One thing, and no more"


def test_the_tokenizer_of_the_settings_counts_every_token(tmp_path: Path) -> None:
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
