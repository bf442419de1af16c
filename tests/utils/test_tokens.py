"""The estimate is pessimistic, and the cut never leaves more than the limit."""

import json
from pathlib import Path
from typing import Any

import pytest

from utils.errors import SettingsError
from utils.tokens import cut_answer, estimate_tokens, load_counter, whole_items

FILE = Path(__file__).with_name("token_counts.jsonl")  # measured with both tokenizers
COUNTS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", COUNTS, ids=lambda case: case["text"][:40])
def test_the_estimate_is_never_below_the_number_of_llamas_tokens(case: dict[str, Any]) -> None:
    tokens = max(case["llama2"], case["llama3"])
    estimate = estimate_tokens(case["text"])
    assert tokens <= estimate
    if tokens >= 20:
        assert estimate <= 1.2 * tokens


def test_an_answer_that_fits_is_not_cut_by_the_estimate() -> None:
    """The former estimate, 1.44 times the number of tokens, cut each of these."""
    nearly_75 = [case["text"] for case in COUNTS if 50 <= case["llama2"] <= 65]
    assert len(nearly_75) >= 2
    for text in nearly_75:
        assert cut_answer(text) == text


def test_texts_without_letters_and_texts_that_cannot_be_encoded_have_an_estimate() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("\0") == 2
    assert estimate_tokens("\ud800") >= 1
    assert estimate_tokens(" " * 100) >= 7
    assert estimate_tokens("x" * 1000) >= 1000  # no vowel, no word


def test_a_repeated_word_is_as_uncertain_as_often_as_it_stands() -> None:
    once = estimate_tokens("nordlys")
    assert estimate_tokens("nordlys " * 20) > 20 * (once - 1)


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
