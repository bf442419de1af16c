"""Predicts a question's domain and dynamism by linear SVMs: electricsheep §4.2.

The features are TF-IDF of words and of pieces of words and, if the predictor was trained with one,
a sentence embedding. `crag training svm` trains on them.
"""

import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.ranking.protocol import Embedder, Floats
from models.records import Domain
from utils.errors import InputError, SettingsError
from utils.packages import package

DOMAINS = tuple(Domain)
MAX_CHARS = 2000  # of a question; the rest is ignored
_INSTALL = "-e '.[transformers]'"
TFIDF = ("words", "pieces")
_UNREADABLE = (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True, slots=True)
class Attributes:
    """The predictions for one question.

    Attributes:
        domain: the most likely one.
        domain_sure: the probability that `domain` is right, from 0 to 1.
        dynamic: the answer changes within days: it is real-time or fast-changing.
        dynamic_chance: the probability of `dynamic`, from 0 to 1.
    """

    domain: Domain
    domain_sure: float
    dynamic: bool
    dynamic_chance: float


def new_vectorizer(embed: Callable[[Sequence[str]], Floats] | None) -> Any:
    """scikit-learn's `FeatureUnion` of TF-IDF of words, of pieces of words, and of an embedding.

    Raises:
        MissingPackageError: scikit-learn is not installed.
    """
    pipeline = package("sklearn.pipeline", _INSTALL)
    text = package("sklearn.feature_extraction.text", _INSTALL)
    words = text.TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\w+", sublinear_tf=True)
    pieces = text.TfidfVectorizer(ngram_range=(2, 5), analyzer="char_wb", sublinear_tf=True)
    parts = list(zip(TFIDF, (words, pieces), strict=True))
    if embed is not None:
        preprocessing = package("sklearn.preprocessing", _INSTALL)
        parts.append(("embedding", preprocessing.FunctionTransformer(embed)))
    return pipeline.FeatureUnion(parts)


@dataclass(frozen=True, slots=True)
class LinearPredictor:
    """Predicts with the file written by `crag training svm`.

    Attributes:
        vectorizer: a fitted one of `new_vectorizer`.
        weights: float64[6, features], a row for each domain, then one for "dynamic".
        bias: float64[6]. The sigmoid of a row's score is its calibrated probability.
    """

    vectorizer: Any
    weights: NDArray[np.float64]
    bias: NDArray[np.float64]

    def predict(self, texts: Sequence[str]) -> list[Attributes]:
        """The attributes of each question.

        Raises:
            SettingsError: the embedder's dimension differs from that in training.
        """
        if not texts:
            return []
        rows = self.vectorizer.transform([text[:MAX_CHARS] for text in texts])
        if rows.shape[1] != self.weights.shape[1]:
            raise SettingsError("these weights were trained with an embedder of another dimension")
        scores = rows @ self.weights.T + self.bias
        predictions = []
        for *by_domain, dynamic in 1 / (1 + np.exp(-scores)):
            best = int(np.argmax(by_domain))
            domain_sure = float(by_domain[best] / sum(by_domain))
            predictions.append(
                Attributes(DOMAINS[best], domain_sure, bool(dynamic > 0.5), float(dynamic))
            )
        return predictions


def read_predictor(path: Path, embedder: Embedder | None = None) -> LinearPredictor:
    """The predictor in a file of arrays, which holds no code.

    Raises:
        InputError: there is no such file, or it has another format.
        MissingPackageError: scikit-learn is not installed.
        SettingsError: it was trained with an embedder and none is given.
    """
    vectorizer = new_vectorizer(None if embedder is None else embedder.embed)
    parts = dict(vectorizer.transformer_list)
    try:
        with np.load(path, allow_pickle=False) as arrays:
            for name in TFIDF:
                parts[name].set_params(vocabulary=arrays[name].tolist())
                parts[name].idf_ = arrays[f"{name}_idf"]
            weights = np.asarray(arrays["weights"], dtype=np.float64)
            bias = np.asarray(arrays["bias"], dtype=np.float64)
        rows = len(DOMAINS) + 1
        if weights.ndim != 2 or len(weights) != rows or bias.shape != (rows,):
            raise ValueError(f"weights {weights.shape} and bias {bias.shape}")
    except _UNREADABLE as error:
        raise InputError(
            f"{path} is no file of attribute weights ({error}): make one with "
            "`crag training svm --data FILE --out FILE`"
        ) from error
    terms = sum(len(parts[name].idf_) for name in TFIDF)
    if embedder is None and weights.shape[1] > terms:
        raise SettingsError("these weights were trained with an embedder, and none is given")
    return LinearPredictor(vectorizer, weights, bias)
