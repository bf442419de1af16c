"""The linear attribute predictor: its features, its file, its predictions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.ranking.protocol import Floats
from models.records import Domain
from models.subtasks.attributes.ngrams import BLOCKS, BUCKETS, features
from models.subtasks.attributes.svm import (
    CLASSES,
    DOMAINS,
    DYNAMISMS,
    FORMAT,
    Dynamism,
    LinearPredictor,
    SvmWeights,
    read_weights,
    write_weights,
)
from utils.errors import InputError, SettingsError


@dataclass
class Letters:
    """Embeds a text by how often it has an a, a b and a c."""

    size: int = 3

    def embed(self, texts: Sequence[str]) -> Floats:
        letters = "abcdef"[: self.size]
        counts = [[text.count(letter) + 0.01 for letter in letters] for text in texts]
        rows = np.array(counts, dtype=np.float32).reshape(len(texts), self.size)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def weights(embedded: int = 0) -> SvmWeights:
    """All 0, except the biases of sports and of fast-changing; `embedded`: an embedding's size."""
    bias = zeros(CLASSES)
    bias[DOMAINS.index(Domain.SPORTS)] = 1.0
    bias[len(DOMAINS) + DYNAMISMS.index(Dynamism.FAST)] = 1.0
    return SvmWeights(
        hashed=zeros(CLASSES, BLOCKS * BUCKETS),
        embedded=zeros(CLASSES, embedded),
        support=zeros(0, embedded),
        kernel=zeros(CLASSES, 0),
        bias=bias,
        sigmoids=np.array([[2.0, 0.0], [2.0, 0.0]], dtype=np.float32),
    )


def zeros(*shape: int) -> Floats:
    return np.zeros(shape, dtype=np.float32)


def test_each_block_of_features_has_unit_length() -> None:
    row = features(["who directed it in 1999?"])
    blocks = [row.values[row.columns // BUCKETS == block] for block in range(BLOCKS)]
    assert [np.linalg.norm(block) for block in blocks] == pytest.approx([1.0] * BLOCKS)


def test_only_the_beginning_of_a_long_text_gives_features() -> None:
    assert len(features(["a b c d " * 100_000]).columns) < 20_000


def test_a_prediction_uses_n_grams_embedding_and_kernel() -> None:
    support = Letters().embed(["ccc"])
    fitted = replace(weights(3), support=support, kernel=zeros(CLASSES, 1))
    fitted.embedded[DOMAINS.index(Domain.MUSIC)] = [9.0, 0.0, 0.0]
    fitted.hashed[DOMAINS.index(Domain.FINANCE), features(["price"]).columns[0]] = 50.0
    fitted.kernel[DOMAINS.index(Domain.OPEN)] = 5.0
    predictions = LinearPredictor(fitted, Letters()).predict(["bbb", "aaa", "price", "ccc"])
    assert [one.domain for one in predictions] == ["sports", "music", "finance", "open"]
    for prediction in predictions:
        assert prediction.dynamic
        assert 0.5 < prediction.dynamic_chance < 1
        assert 0.5 < prediction.domain_sure <= 1


def test_weights_trained_with_an_embedder_need_it() -> None:
    with pytest.raises(SettingsError, match="none is given"):
        LinearPredictor(weights(3))
    with pytest.raises(SettingsError, match="embeddings of 3, and given 5"):
        LinearPredictor(weights(3), Letters(5)).predict(["x"])


def test_weights_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_weights(tmp_path / "a.npz", weights(), {"questions": 3})
    copy, description = read_weights(tmp_path / "a.npz")
    assert description == {"format": FORMAT, "questions": 3}
    assert np.array_equal(copy.bias, weights().bias)


@dataclass
class Trap:
    """Creates the file `mark` when it is unpickled."""

    mark: Path

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return open, (str(self.mark), "w")


def test_a_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    trap = np.array([Trap(tmp_path / "mark")], dtype=object)
    np.savez(tmp_path / "a.npz", told=trap)
    with pytest.raises(InputError, match="no file of attribute weights"):
        read_weights(tmp_path / "a.npz")
    assert not (tmp_path / "mark").exists()


def test_a_file_of_another_format_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "broken").write_bytes(b"PK\x03\x04 broken")
    np.save(tmp_path / "array.npy", np.zeros(3))
    for name in ("absent", "empty", "broken", "array.npy"):
        with pytest.raises(InputError, match="make one with"):
            read_weights(tmp_path / name)
    for description in (b"[1]", b'{"format": "another"}'):
        np.savez(tmp_path / "a.npz", told=np.frombuffer(description, dtype=np.uint8))
        with pytest.raises(InputError, match="its format is not"):
            read_weights(tmp_path / "a.npz")
