"""SVMs that predict domain and dynamism (electricsheep §4.2): `crag training svm`.

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
    SvmWeights,
    margins,
    write_weights,
)
from training.fitting.folds import FOLDS, folds_of
from training.records import Part, examples_of
from utils.errors import InputError
from utils.packages import training_package

DOMAIN_C = 1.0  # how much a training error costs the linear SVMs
DYNAMISM_C = 0.3
KERNEL_C = 3.0  # and those with a kernel
EMBEDDED_SCALE = 0.7  # of the embedding beside the n-grams
KERNEL_SHARE = 0.5  # of the kernel's score, added to the linear one
_HASHED = BLOCKS * BUCKETS  # columns of n-grams; those of the embedding follow

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
        """Whether each question's answer is real-time or fast-changing."""
        return np.array([DYNAMISMS[place].dynamic for place in self.dynamisms], dtype=bool)

    def in_class(self, place: int) -> Bools:
        """Whether each question is in a class: the domains come first, then the dynamisms."""
        if place < len(DOMAINS):
            return np.asarray(self.domains == place)
        return np.asarray(self.dynamisms == place - len(DOMAINS))


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """What was predicted for every question by a model that never saw it.

    Attributes:
        margins: of the domain, and of the dynamic classes (models/subtasks/attributes/svm.py).
        truths: whether the domain is right, and whether the question is dynamic.
        domain: the accuracy of the domain.
        dynamic: the accuracy of whether a question is dynamic.
    """

    seed: int
    margins: tuple[Floats, Floats]
    truths: tuple[Bools, Bools]
    domain: float
    dynamic: float


def read_labelled(path: Path, part: Part = "all") -> Labelled:
    """The questions of `path`, or of a part of it, that carry both labels, each question once.

    Raises:
        InputError: the file cannot be read, or none of its rows is labelled.
    """
    domains = list(map(str, DOMAINS))
    dynamisms = list(map(str, DYNAMISMS))
    labels_by_text = {}
    for example in examples_of(path, part):
        if example.domain in domains and example.static_or_dynamic in dynamisms:
            domain = domains.index(example.domain)
            dynamism = dynamisms.index(example.static_or_dynamic)
            labels_by_text[example.query] = (domain, dynamism)
    if not labels_by_text:
        raise InputError(f"{path}: no row has a domain and static_or_dynamic of the benchmark's")
    labels = np.array(list(labels_by_text.values()), dtype=np.int64)
    return Labelled(tuple(labels_by_text), labels[:, 0], labels[:, 1])


def matrix(hashed: Sparse, embedded: Floats) -> Any:
    """Both in one scipy CSR matrix, the hashed columns first."""
    sparse = training_package("scipy.sparse")
    shape = (len(embedded), _HASHED)
    ngrams = sparse.csr_matrix((hashed.values, hashed.columns, hashed.starts), shape=shape)
    embedding = sparse.csr_matrix(EMBEDDED_SCALE * embedded)
    return sparse.hstack([ngrams, embedding], format="csr")


def fit(rows: Any, embedded: Floats, data: Labelled, chosen: Labels, seed: int) -> SvmWeights:
    """One-against-rest SVMs fitted on the rows `chosen`; the sigmoids are left at 0."""
    svm = training_package("sklearn.svm")
    linear = np.zeros((CLASSES, rows.shape[1]), dtype=np.float32)
    kernel = np.zeros((CLASSES, len(embedded)), dtype=np.float32)
    bias = np.zeros(CLASSES, dtype=np.float32)
    for place in range(CLASSES):
        truths = data.in_class(place)[chosen]
        if truths.all():
            bias[place] = 1.0
            continue
        if not truths.any():
            bias[place] = -1.0
            continue
        cost = DOMAIN_C if place < len(DOMAINS) else DYNAMISM_C
        model = svm.LinearSVC(C=cost, random_state=seed).fit(rows[chosen], truths)
        linear[place] = model.coef_[0]
        bias[place] = model.intercept_[0]
        if embedded.shape[1]:
            near = svm.SVC(C=KERNEL_C, gamma=GAMMA).fit(embedded[chosen], truths)
            kernel[place, chosen[near.support_]] = KERNEL_SHARE * near.dual_coef_[0]
            bias[place] += KERNEL_SHARE * near.intercept_[0]
    linear[:, _HASHED:] *= EMBEDDED_SCALE
    in_use = kernel.any(axis=0)
    return SvmWeights(
        hashed=linear[:, :_HASHED],
        embedded=linear[:, _HASHED:],
        support=embedded[in_use],
        kernel=kernel[:, in_use],
        bias=bias,
        sigmoids=np.zeros((2, 2), dtype=np.float32),
    )


def out_of_fold(rows: Any, embedded: Floats, data: Labelled, folds: int, seed: int) -> OutOfFold:
    """The scores of every question by a model of the other folds.

    Raises:
        InputError: there are fewer questions than folds.
    """
    fold = folds_of(data.texts, folds, salt=f"{seed} ")
    scores = np.zeros((len(data.texts), CLASSES), dtype=np.float32)
    for held_out in range(folds):
        weights = fit(rows, embedded, data, np.flatnonzero(fold != held_out), seed)
        tested = np.flatnonzero(fold == held_out)
        texts = [data.texts[place] for place in tested]
        scores[tested] = weights.scores(features(texts), embedded[tested])
    domain_margin, dynamic_margin = margins(scores)
    domain_right = scores[:, : len(DOMAINS)].argmax(axis=1) == data.domains
    dynamic_right = (dynamic_margin > 0) == data.dynamic
    return OutOfFold(
        seed=seed,
        margins=(domain_margin, dynamic_margin),
        truths=(domain_right, data.dynamic),
        domain=float(domain_right.mean()),
        dynamic=float(dynamic_right.mean()),
    )


def sigmoids(runs: Sequence[OutOfFold]) -> Floats:
    """Sigmoids that turn margins into probabilities, fitted out of fold: float32[2, 2]."""
    linear_model = training_package("sklearn.linear_model")
    slopes_and_offsets = []
    for kind in (0, 1):
        margin = np.concatenate([run.margins[kind] for run in runs])
        truth = np.concatenate([run.truths[kind] for run in runs])
        if truth.all() or not truth.any():
            slopes_and_offsets.append((1.0, 0.0))
            continue
        model = linear_model.LogisticRegression(C=1e3).fit(margin[:, None], truth)
        slopes_and_offsets.append((model.coef_[0, 0], model.intercept_[0]))
    return np.array(slopes_and_offsets, dtype=np.float32)


def train(
    data: Labelled,
    embedder: Embedder | None,
    *,
    folds: int = FOLDS,
    seeds: Sequence[int] = (0, 1, 2),
) -> tuple[SvmWeights, list[OutOfFold]]:
    """The weights fitted on all questions, and the results out of fold, one per seed.

    Raises:
        InputError: there are fewer questions than folds.
        MissingPackageError: scikit-learn is not installed.
    """
    if folds > len(data.texts):  # before the embedder is asked
        raise InputError(f"{len(data.texts)} questions cannot be checked in {folds} folds")
    if embedder is None:
        embedded = np.zeros((len(data.texts), 0), dtype=np.float32)
    else:
        embedded = embedder.embed(data.texts)
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


def summary(card: Mapping[str, Any]) -> str:
    """The accuracies, one line each."""
    count = len(card["seeds"])
    lines = []
    for name, key, base in (
        ("domain", "accuracy_domain", "largest_domain"),
        ("dynamic", "accuracy_dynamic", "always_static"),
    ):
        accuracies = card[key]
        lines.append(
            f"{name:8} {np.mean(accuracies):.4f} out of fold, "
            f"{min(accuracies):.4f} to {max(accuracies):.4f} over {count} seeds"
            f" (always the commonest: {card[base]:.4f})"
        )
    return "\n".join(lines)


def write(out: Path, weights: SvmWeights, card: Mapping[str, Any]) -> Path:
    """Write the weights with the facts of their card, and a model card beside them: its path."""
    write_weights(out, weights, card)
    facts = "\n".join(f"- {key}: {value}" for key, value in card.items())
    card_file = out.with_suffix(".card.md")
    card_file.write_text(
        f"""# {out.name}

Predicts a question's domain ({", ".join(DOMAINS)}) and whether its answer is dynamic
(real-time or fast-changing), by SVMs over hashed n-grams and, if named, a sentence embedding.
Made by `crag training svm`, loaded by `models.subtasks.attributes.svm.LinearPredictor`.
The weights were learnt from labelled questions: whoever passes them on must keep to the licence of
that data. Accuracies are out of fold, one per seed.

{facts}
""",
        encoding="utf-8",
    )
    return card_file
