"""The estimate is pessimistic, and the cut never leaves more than the limit."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from utils.errors import SettingsError
from utils.tokens import MAX_ANSWER_TOKENS, cut_answer, estimate_tokens, load_counter, whole_items

FILE = Path(__file__).with_name("token_counts.jsonl")  # measured with both tokenizers
COUNTS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
# Of gold answers; docs/submit.md has them.
FIGURES = {"golds": 1942, "below": 1, "over 75": 20, "cut too late": 0, "cut too early": 4}


@pytest.mark.parametrize("case", COUNTS, ids=lambda case: case["text"][:40])
def test_the_estimate_is_never_below_the_number_of_llamas_tokens(case: dict[str, Any]) -> None:
    tokens = max(case["llama2"], case["llama3"])
    estimate = estimate_tokens(case["text"])
    assert tokens <= estimate
    if tokens >= 20:
        assert estimate <= 1.2 * tokens


def test_any_text_has_an_estimate() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("\ud800") >= 1
    assert estimate_tokens(" " * 100) >= 7
    assert estimate_tokens("x" * 1000) >= 1000  # no vowel, no word


@pytest.mark.engine
@pytest.mark.crag_data
def test_real_answers_are_hardly_ever_cut_too_early_or_too_late(crag_data: Path) -> None:
    """By Mistral's first tokenizer, which counts all texts of the file above as Llama 2's does."""
    package = pytest.importorskip("mistral_common", reason="pip install mistral-common")
    pieces = pytest.importorskip("sentencepiece", reason="pip install sentencepiece")
    model = Path(package.__file__).with_name("data") / "tokenizer.model.v1"
    tokenizer = pieces.SentencePieceProcessor(str(model))
    assert all(len(tokenizer.encode(case["text"])) == case["llama2"] for case in COUNTS)
    figures: Counter[str] = Counter()
    for answer in golds(crag_data):
        tokens = len(tokenizer.encode(answer))
        estimate = estimate_tokens(answer)
        figures["golds"] += 1
        figures["below"] += estimate < tokens
        figures["over 75"] += tokens > MAX_ANSWER_TOKENS
        figures["cut too late"] += estimate <= MAX_ANSWER_TOKENS < tokens
        figures["cut too early"] += tokens <= MAX_ANSWER_TOKENS < estimate
    assert figures == FIGURES


def golds(folder: Path) -> Iterator[str]:
    """The gold answers of the validation split and of the further questions."""
    for name in ("questions_validation.jsonl", "questions_more.jsonl"):
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            for answer in (row["answer"], *row["alt_ans"]):
                if isinstance(answer, str) and answer.strip():
                    yield answer


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
