"""Predicts a question's domain and dynamism by SVMs: electricsheep §4.2.

The features are hashed n-grams and, if the predictor was trained with one, a sentence embedding. To
a linear SVM on both, a second SVM with a kernel on the embedding alone is added, because the two
make different errors. `crag training svm` trains on the same `features` and writes the file
that is loaded here; prediction needs only numpy. Dynamism is learned in CRAG's four classes and
reduced to two, which measured better than learning two.
"""

import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np

from models.ranking.protocol import Embedder, Floats
from models.records import Domain
from models.subtasks.attributes.ngrams import Sparse, features
from utils.errors import InputError, SettingsError

FORMAT = "crag-attributes-1"
GAMMA = 1.0  # of the kernel


class Dynamism(StrEnum):
    """How quickly a correct answer becomes outdated, in the benchmark's terms."""

    REAL_TIME = "real-time"
    FAST = "fast-changing"
    SLOW = "slow-changing"
    STATIC = "static"

    @property
    def dynamic(self) -> bool:
        """Whether a correct answer becomes outdated within days."""
        return self in (Dynamism.REAL_TIME, Dynamism.FAST)


@dataclass(frozen=True, slots=True)
class Attributes:
    """The predictions for one question.

    Attributes:
        domain: the most likely one.
        domain_sure: the probability that `domain` is right, from 0 to 1.
        dynamic: the answer changes within days: it is real-time or fast-changing.
        dynamic_chance: the probability of `dynamic`, from 0 to 1; at 0.5 `dynamic` may be either.
    """

    domain: Domain
    domain_sure: float
    dynamic: bool
    dynamic_chance: float


@dataclass(frozen=True, slots=True)
class SvmWeights:
    """The trained weights, one row per class: the five domains, then the four classes of dynamism.

    Attributes:
        hashed: float32[9, BLOCKS * BUCKETS].
        embedded: float32[9, d]; d is 0 where there is no embedder.
        support: float32[m, d], the support vectors of the kernel; m may be 0.
        kernel: float32[9, m], the dual coefficients of the support vectors.
        bias: float32[9].
        sigmoids: float32[2, 2], slope and offset that map a margin to a probability: of the best
            domain over the second, and of the dynamic classes over the others.
    """

    hashed: Floats
    embedded: Floats
    support: Floats
    kernel: Floats
    bias: Floats
    sigmoids: Floats

    def scores(self, hashed: Sparse, embedded: Floats) -> Floats:
        """float32[n, 9]: the decision value of each class for each text."""
        rows = embedded @ self.embedded.T + self.bias
        rows += likenesses(embedded, self.support) @ self.kernel.T
        for i in range(len(rows)):
            entries = slice(hashed.starts[i], hashed.starts[i + 1])
            rows[i] += self.hashed[:, hashed.columns[entries]] @ hashed.values[entries]
        return np.asarray(rows, dtype=np.float32)


def likenesses(rows: Floats, others: Floats) -> Floats:
    """The kernel exp(-GAMMA |a - b|^2) of unit rows a and b: float32[n, m]."""
    return np.asarray(np.exp(-2 * GAMMA * (1 - rows @ others.T)), dtype=np.float32)


DOMAINS = tuple(Domain)
DYNAMISMS = tuple(Dynamism)
CLASSES = len(DOMAINS) + len(DYNAMISMS)
_IS_DYNAMIC = np.array([dynamism.dynamic for dynamism in DYNAMISMS])


def margins(scores: Floats) -> tuple[Floats, Floats]:
    """Of scores float32[n, 9]: the margins of the best domain and of the dynamic classes."""
    domains = np.sort(scores[:, : len(DOMAINS)], axis=1)
    domain_margin = domains[:, -1] - domains[:, -2]
    dynamisms = scores[:, len(DOMAINS) :]
    best_dynamic = dynamisms[:, _IS_DYNAMIC].max(axis=1)
    best_other = dynamisms[:, ~_IS_DYNAMIC].max(axis=1)
    return domain_margin, best_dynamic - best_other


def chances(margin: Floats, sigmoid: Floats) -> Floats:
    """The probability for each margin, by the slope and offset in `sigmoid`."""
    slope, offset = sigmoid
    return np.asarray(1.0 / (1.0 + np.exp(-(slope * margin + offset))), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class LinearPredictor:
    """Predicts with the file written by `crag training svm`.

    Attributes:
        weights: as read from that file.
        embedder: the one used in training, if any.

    Raises:
        SettingsError: the weights were trained with an embedder, and none is given.
    """

    weights: SvmWeights
    embedder: Embedder | None = None

    def __post_init__(self) -> None:
        if self.weights.embedded.shape[1] and self.embedder is None:
            raise SettingsError("these weights were trained with an embedder, and none is given")

    def predict(self, texts: Sequence[str]) -> list[Attributes]:
        """The attributes of each question.

        Raises:
            SettingsError: the embedder's dimension differs from that in training.
        """
        if not texts:
            return []
        scores = self.weights.scores(features(texts), self._embedded(texts))
        best = scores[:, : len(DOMAINS)].argmax(axis=1)
        domain_margin, dynamic_margin = margins(scores)
        domain_sure = chances(domain_margin, self.weights.sigmoids[0])
        dynamic_chance = chances(dynamic_margin, self.weights.sigmoids[1])
        return [
            Attributes(
                domain=DOMAINS[best[i]],
                domain_sure=float(domain_sure[i]),
                dynamic=bool(dynamic_margin[i] > 0),
                dynamic_chance=float(dynamic_chance[i]),
            )
            for i in range(len(texts))
        ]

    def _embedded(self, texts: Sequence[str]) -> Floats:
        size = self.weights.embedded.shape[1]
        if not size or self.embedder is None:
            return np.zeros((len(texts), 0), dtype=np.float32)
        rows = self.embedder.embed(texts)
        if rows.shape[1] != size:
            raise SettingsError(f"trained with embeddings of {size}, and given {rows.shape[1]}")
        return rows


_ARRAYS = tuple(entry.name for entry in fields(SvmWeights))
_DESCRIPTION = "told"  # the array of the file that holds the description
_UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    TypeError,
    zipfile.BadZipFile,
    zlib.error,
)


def write_weights(path: Path, weights: SvmWeights, description: Mapping[str, Any]) -> None:
    """Write `path` atomically: the weights, and their description as JSON."""
    text = json.dumps({"format": FORMAT, **description}, ensure_ascii=False)
    arrays = {name: getattr(weights, name) for name in _ARRAYS}
    arrays[_DESCRIPTION] = np.frombuffer(text.encode(), dtype=np.uint8)
    partial = path.with_name(path.name + ".new")
    with partial.open("wb") as file:
        np.savez_compressed(file, **arrays)
    partial.replace(path)


def read_weights(path: Path) -> tuple[SvmWeights, dict[str, Any]]:
    """The weights in `path`, and their description.

    Raises:
        InputError: there is no such file, or it has another format.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            description = json.loads(bytes(arrays[_DESCRIPTION]))
            if not isinstance(description, dict) or description.get("format") != FORMAT:
                raise ValueError(f"its format is not {FORMAT}")
            weights = SvmWeights(*(arrays[name].astype(np.float32) for name in _ARRAYS))
            return weights, description
    except _UNREADABLE as error:
        raise InputError(
            f"{path} is no file of attribute weights ({error}): make one with "
            "`crag training svm --data FILE --out FILE`"
        ) from error
