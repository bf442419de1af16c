"""Files of attribute weights that are none; tests/training/test_svm.py has what is predicted."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.subtasks.attributes.svm import read_predictor
from utils.errors import InputError, MissingPackageError


@dataclass
class Trap:
    """Creates the file `mark` when it is unpickled."""

    mark: Path

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return open, (str(self.mark), "w")


def test_a_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    trap = np.array([Trap(tmp_path / "mark")], dtype=object)
    np.savez(tmp_path / "a.npz", words=trap)
    with pytest.raises(InputError, match="no file of attribute weights"):
        read_predictor(tmp_path / "a.npz")
    assert not (tmp_path / "mark").exists()


def test_a_file_of_another_format_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "broken").write_bytes(b"PK\x03\x04 broken")
    np.save(tmp_path / "array.npy", np.zeros(3))
    np.savez(tmp_path / "other.npz", hashed=np.zeros(3))
    for name in ("absent", "empty", "broken", "array.npy", "other.npz"):
        with pytest.raises(InputError, match="make one with `crag training svm"):
            read_predictor(tmp_path / name)


def test_without_scikit_learn_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.pipeline", None)
    with pytest.raises(MissingPackageError, match=r"pip install -e '\.\[transformers\]'"):
        read_predictor(tmp_path / "a.npz")
