"""SVMs that predict domain and dynamism (electricsheep §4.2): `python -m training svm`.

Over sentence embeddings, as in the paper, and over hashed n-grams beside them. Accuracies are out
of fold: each question is predicted by a model that never saw it. The weights' file and the model
card beside it hold them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.ranking.protocol import Embedder, Floats
from models.subtasks.attributes.ngrams import BLOCKS, BUCKETS, Sparse, features
from models.subtasks.attributes.svm import (
    CLASSES,
    DOMAINS,
    DYNAMISMS,
    GAMMA,
    margins,
    write_weights,
)
from models.subtasks.attributes.svm import (
    SvmWeights as Weights,
)
from training.packages import package
from training.records import Part, examples_of
from utils.errors import InputError

FOLDS = 5
DOMAIN_C, PACE_C = 1.0, 0.3  # how much a training error costs the linear SVMs
KERNEL_C = 3.0  # and those with a kernel
EMBEDDED_SCALE = 0.7  # of the embedding beside the n-grams
KERNEL_SHARE = 0.5  # of the kernel's score, added to the linear one

Labels = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Labelled:
    """Questions with their labels, as indices into DOMAINS and DYNAMISMS."""

    texts: tuple[str, ...]
    domains: Labels
    dynamisms: Labels

    @property
    def dynamic(self) -> Bools:
        return np.array([DYNAMISMS[place].dynamic for place in self.dynamisms], dtype=bool)


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """What was predicted for every question by a model that never saw it.

    Attributes:
        margins: of the domain, and of the dynamic classes (models/subtasks/attributes/svm.py).
        truths: whether the domain is right, and whether the question is dynamic.
    """

    seed: int
    margins: tuple[Floats, Floats]
    truths: tuple[Bools, Bools]
    domain: float  # accuracies
    dynamic: float


def read_labelled(path: Path, part: Part = "all") -> Labelled:
    """The questions of `path`, or of a part of it, that carry both labels, each question once.
    Raises InputError where the file cannot be read, or none of its rows is labelled."""
    domains, dynamisms = list(map(str, DOMAINS)), list(map(str, DYNAMISMS))
    found = {
        example.query: (domains.index(example.domain), dynamisms.index(example.static_or_dynamic))
        for example in examples_of(path, part)
        if example.domain in domains and example.static_or_dynamic in dynamisms
    }
    if not found:
        raise InputError(f"{path}: no row has a domain and static_or_dynamic of the benchmark's")
    labels = np.array(list(found.values()), dtype=np.int64)
    return Labelled(tuple(found), labels[:, 0], labels[:, 1])


def matrix(hashed: Sparse, embedded: Floats) -> Any:
    """Both in one scipy CSR matrix, the hashed columns first."""
    sparse = package("scipy.sparse")
    shape = (len(embedded), BLOCKS * BUCKETS)
    left = sparse.csr_matrix((hashed.values, hashed.columns, hashed.starts), shape=shape)
    return sparse.hstack([left, sparse.csr_matrix(EMBEDDED_SCALE * embedded)], format="csr")


def fit(rows: Any, embedded: Floats, data: Labelled, chosen: Labels, seed: int) -> Weights:
    """One-against-rest SVMs fitted on the rows `chosen`; the sigmoids are left at 0."""
    svm = package("sklearn.svm")
    linear = np.zeros((CLASSES, rows.shape[1]), dtype=np.float32)
    kernel = np.zeros((CLASSES, len(embedded)), dtype=np.float32)
    bias = np.zeros(CLASSES, dtype=np.float32)
    for place in range(CLASSES):
        of_domain = place < len(DOMAINS)
        labels = data.domains == place if of_domain else data.dynamisms == place - len(DOMAINS)
        wanted = labels[chosen]
        if wanted.all() or not wanted.any():  # a class that is not there, or the only one
            bias[place] = 1.0 if wanted.all() else -1.0
            continue
        model = svm.LinearSVC(C=DOMAIN_C if of_domain else PACE_C, random_state=seed)
        model.fit(rows[chosen], wanted)
        linear[place], bias[place] = model.coef_[0], model.intercept_[0]
        if embedded.shape[1]:
            near = svm.SVC(C=KERNEL_C, gamma=GAMMA).fit(embedded[chosen], wanted)
            kernel[place, chosen[near.support_]] = KERNEL_SHARE * near.dual_coef_[0]
            bias[place] += KERNEL_SHARE * near.intercept_[0]
    linear[:, BLOCKS * BUCKETS :] *= EMBEDDED_SCALE
    hashed, of_embedding = np.split(linear, [BLOCKS * BUCKETS], axis=1)
    used = kernel.any(axis=0)
    none = np.zeros((2, 2), dtype=np.float32)
    return Weights(hashed, of_embedding, embedded[used], kernel[:, used], bias, none)


def folds_of(data: Labelled, folds: int, seed: int) -> Labels:
    """The fold of each question: random, stratified by domain and dynamism."""
    shuffled = np.random.default_rng(seed).permutation(len(data.texts))
    groups = data.domains * len(DYNAMISMS) + data.dynamisms
    dealt = shuffled[np.argsort(groups[shuffled], kind="stable")]
    fold = np.empty(len(dealt), dtype=np.int64)
    fold[dealt] = np.arange(len(dealt)) % folds
    return fold


def out_of_fold(rows: Any, embedded: Floats, data: Labelled, folds: int, seed: int) -> OutOfFold:
    """The scores of every question by a model of the other folds."""
    fold = folds_of(data, folds, seed)
    scores = np.zeros((len(data.texts), CLASSES), dtype=np.float32)
    for held_out in range(folds):
        weights = fit(rows, embedded, data, np.flatnonzero(fold != held_out), seed)
        tested = np.flatnonzero(fold == held_out)
        texts = [data.texts[i] for i in tested]
        scores[tested] = weights.scores(features(texts), embedded[tested])
    lead, dynamic = margins(scores)
    right = scores[:, : len(DOMAINS)].argmax(axis=1) == data.domains
    paced = (dynamic > 0) == data.dynamic
    truths = (right, data.dynamic)
    return OutOfFold(seed, (lead, dynamic), truths, float(right.mean()), float(paced.mean()))


def sigmoids(runs: Sequence[OutOfFold]) -> Floats:
    """Sigmoids that turn margins into probabilities, fitted out of fold: float32[2, 2]."""
    linear = package("sklearn.linear_model")
    fitted = []
    for kind in (0, 1):
        margin = np.concatenate([run.margins[kind] for run in runs])
        truth = np.concatenate([run.truths[kind] for run in runs])
        if truth.all() or not truth.any():
            fitted.append((1.0, 0.0))
            continue
        model = linear.LogisticRegression(C=1e3).fit(margin[:, None], truth)
        fitted.append((model.coef_[0, 0], model.intercept_[0]))
    return np.array(fitted, dtype=np.float32)


def train(
    data: Labelled,
    embedder: Embedder | None,
    *,
    folds: int = FOLDS,
    seeds: Sequence[int] = (0, 1, 2),
) -> tuple[Weights, list[OutOfFold]]:
    """The weights fitted on all questions, and the results out of fold, one per seed.

    Raises:
        InputError: there are fewer questions than folds.
        MissingPackageError: scikit-learn is not installed.
    """
    if folds > len(data.texts):
        raise InputError(f"{len(data.texts)} questions cannot be checked in {folds} folds")
    none = np.zeros((len(data.texts), 0), dtype=np.float32)
    embedded = none if embedder is None else embedder.embed(data.texts)
    rows = matrix(features(data.texts), embedded)
    runs = [out_of_fold(rows, embedded, data, folds, seed) for seed in seeds]
    weights = fit(rows, embedded, data, np.arange(len(data.texts)), seeds[0])
    return replace(weights, sigmoids=sigmoids(runs)), runs


def figures(data: Labelled, runs: Sequence[OutOfFold]) -> dict[str, Any]:
    """The measurements, for the weights' file and its card."""
    return {
        "questions": len(data.texts),
        "folds": FOLDS,
        "seeds": [run.seed for run in runs],
        "accuracy_domain": [round(run.domain, 4) for run in runs],
        "largest_domain": round(float(np.bincount(data.domains).max() / len(data.texts)), 4),
        "accuracy_dynamic": [round(run.dynamic, 4) for run in runs],
        "always_static": round(float(1 - data.dynamic.mean()), 4),
    }


def summary(told: Mapping[str, Any]) -> str:
    """The accuracies, one line each."""
    return "\n".join(
        f"{name:8} {np.mean(told[key]):.4f} out of fold, "
        f"{min(told[key]):.4f} to {max(told[key]):.4f} over {len(told['seeds'])} seeds"
        f" (always the commonest: {told[base]:.4f})"
        for name, key, base in (
            ("domain", "accuracy_domain", "largest_domain"),
            ("dynamic", "accuracy_dynamic", "always_static"),
        )
    )


def write(out: Path, weights: Weights, told: Mapping[str, Any]) -> Path:
    """Write the weights with what is `told` of them, and a model card beside them: its path."""
    write_weights(out, weights, told)
    facts = "\n".join(f"- {key}: {value}" for key, value in told.items())
    card = out.with_suffix(".card.md")
    card.write_text(
        f"""# {out.name}

Predicts a question's domain ({", ".join(DOMAINS)}) and whether its answer is dynamic
(real-time or fast-changing), by SVMs over hashed n-grams and, if named, a sentence embedding.
Made by `python -m training svm`, loaded by `models.subtasks.attributes.svm.LinearPredictor`.
The weights were learnt from labelled questions: whoever passes them on must keep to the licence of
that data. Accuracies are out of fold, one per seed.

{facts}
""",
        encoding="utf-8",
    )
    return card
