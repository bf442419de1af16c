"""The linear attribute predictor: its features, its file, and what it makes of both."""

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
        rows = [[text.count("abcdef"[i]) + 0.01 for i in range(self.size)] for text in texts]
        made = np.array(rows, dtype=np.float32).reshape(len(texts), self.size)
        return made / np.linalg.norm(made, axis=1, keepdims=True)


def weights(embedded: int = 0) -> SvmWeights:
    """Nothing learnt but a lean to sports and to fast-changing."""
    sizes = ((CLASSES, BLOCKS * BUCKETS), (CLASSES, embedded), (0, embedded), (CLASSES, 0), CLASSES)
    *others, bias = (np.zeros(size, dtype=np.float32) for size in sizes)
    bias[DOMAINS.index(Domain.SPORTS)] = 1.0
    bias[len(DOMAINS) + DYNAMISMS.index(Dynamism.FAST)] = 1.0
    return SvmWeights(*others, bias, np.array([[2.0, 0.0], [2.0, 0.0]], dtype=np.float32))


def test_a_text_is_read_in_part_and_each_block_of_features_has_unit_length() -> None:
    found = features(["who directed it in 1999?"])
    blocks = [found.values[found.columns // BUCKETS == block] for block in range(BLOCKS)]
    assert [np.linalg.norm(block) for block in blocks] == pytest.approx([1.0] * BLOCKS)
    assert len(features(["a b c d " * 100_000]).columns) < 20_000


def test_prediction_reads_text_embedding_and_likeness_to_a_learnt_question() -> None:
    kernel = np.zeros((CLASSES, 1), dtype=np.float32)
    learnt = replace(weights(3), support=Letters().embed(["ccc"]), kernel=kernel)
    learnt.embedded[DOMAINS.index(Domain.MUSIC)] = [9.0, 0.0, 0.0]
    learnt.hashed[DOMAINS.index(Domain.FINANCE), features(["price"]).columns[0]] = 50.0
    learnt.kernel[DOMAINS.index(Domain.OPEN)] = 5.0
    found = LinearPredictor(learnt, Letters()).predict(["bbb", "aaa", "price", "ccc"])
    assert [one.domain for one in found] == ["sports", "music", "finance", "open"]
    assert all(one.dynamic and 0.5 < one.dynamic_chance < 1 for one in found)
    assert all(0.5 < one.domain_sure <= 1 for one in found)


def test_weights_with_an_embedder_need_it() -> None:
    with pytest.raises(SettingsError, match="none is given"):
        LinearPredictor(weights(3))
    with pytest.raises(SettingsError, match="embeddings of 3, and given 5"):
        LinearPredictor(weights(3), Letters(5)).predict(["x"])


def test_weights_are_read_as_they_were_written(tmp_path: Path) -> None:
    write_weights(tmp_path / "a.npz", weights(), {"questions": 3})
    found, told = read_weights(tmp_path / "a.npz")
    assert told == {"format": FORMAT, "questions": 3}
    assert np.array_equal(found.bias, weights().bias)


@dataclass
class Trap:
    """Unpickled, it leaves a mark."""

    mark: Path

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return open, (str(self.mark), "w")


def test_a_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    trap = np.array([Trap(tmp_path / "mark")], dtype=object)
    np.savez(tmp_path / "a.npz", told=trap)
    with pytest.raises(InputError, match="no file of attribute weights"):
        read_weights(tmp_path / "a.npz")
    assert not (tmp_path / "mark").exists()


def test_what_is_no_such_file_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "broken").write_bytes(b"PK\x03\x04 broken")
    np.save(tmp_path / "array.npy", np.zeros(3))
    for name in ("absent", "empty", "broken", "array.npy"):
        with pytest.raises(InputError, match="make one with"):
            read_weights(tmp_path / name)
    for told in (b"[1]", b'{"format": "another"}'):
        np.savez(tmp_path / "a.npz", told=np.frombuffer(told, dtype=np.uint8))
        with pytest.raises(InputError, match="its format is not"):
            read_weights(tmp_path / "a.npz")
