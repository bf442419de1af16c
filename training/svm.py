"""SVMs that predict domain and dynamism (electricsheep §4.2): `crag training svm`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.run_folder import write_json
from models.ranking.protocol import Embedder, Floats
from models.subtasks.attributes.svm import DOMAINS, TFIDF, new_vectorizer
from training.fitting.folds import FOLDS
from training.records import Part, examples_of
from utils.errors import InputError
from utils.packages import training_package

SEEDS = (0, 1, 2)  # of the folds
_IS_DYNAMIC = {"real-time": True, "fast-changing": True, "slow-changing": False, "static": False}
_LEAST = 2 * FOLDS  # questions of a class: some are in each fold of the questions not held out
_WHAT = (
    "SVMs that predict a question's domain, and whether its answer is real-time or fast-changing. "
    "They were learnt from labels: whoever passes them on must keep to the licence of that data."
)


@dataclass(frozen=True, slots=True)
class Labelled:
    """Questions with their labels."""

    texts: tuple[str, ...]
    domains: tuple[str, ...]
    dynamic: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of questions whose label is predicted by models of the other folds.

    Attributes:
        out_of_fold: for each of SEEDS.
        commonest: the share if the commonest label is always predicted.
    """

    out_of_fold: tuple[float, ...]
    commonest: float

    def __str__(self) -> str:
        mean = np.mean(self.out_of_fold)
        seeds = ", ".join(f"{share:.4f}" for share in self.out_of_fold)
        return (
            f"{mean:.4f} out of fold (by seed {seeds}; always the commonest {self.commonest:.4f})"
        )


@dataclass(frozen=True, slots=True)
class Trained:
    """scikit-learn's models, fitted on all questions, and the accuracy of each attribute."""

    domain: Any
    dynamic: Any
    accuracies: Mapping[str, Accuracy]


def read_labelled(path: Path, part: Part = "all") -> Labelled:
    """The questions of `path`, or of a part of it, that carry both labels, each question once.

    Raises:
        InputError: the file cannot be read, or a class has too few questions.
    """
    labels_by_text: dict[str, tuple[str, bool]] = {}
    for example in examples_of(path, part):
        if example.domain in DOMAINS and example.static_or_dynamic in _IS_DYNAMIC:
            is_dynamic = _IS_DYNAMIC[example.static_or_dynamic]
            labels_by_text[example.query] = (example.domain, is_dynamic)
    domains = tuple(domain for domain, _ in labels_by_text.values())
    dynamic = tuple(is_dynamic for _, is_dynamic in labels_by_text.values())
    counts = {str(domain): domains.count(domain) for domain in DOMAINS}
    counts |= {"dynamic": dynamic.count(True), "static": dynamic.count(False)}
    rarest = min(counts, key=lambda name: counts[name])
    if counts[rarest] < _LEAST:
        raise InputError(f"{path} has {counts[rarest]} questions of {rarest}, and needs {_LEAST}")
    return Labelled(tuple(labels_by_text), domains, dynamic)


def train(data: Labelled, embedder: Embedder | None = None) -> Trained:
    """The models of both attributes.

    Raises:
        MissingPackageError: scikit-learn is not installed.
    """
    embed = None if embedder is None else _embedded_once(embedder, data.texts)
    model = _new_model(new_vectorizer(embed))
    domains = [DOMAINS.index(domain) for domain in data.domains]  # the order of the file's rows
    clone = training_package("sklearn.base").clone
    return Trained(
        domain=clone(model).fit(data.texts, domains),
        dynamic=clone(model).fit(data.texts, data.dynamic),
        accuracies={
            "domain": _accuracy(model, data.texts, domains),
            "dynamic": _accuracy(model, data.texts, data.dynamic),
        },
    )


def _embedded_once(embedder: Embedder, texts: Sequence[str]) -> Callable[[Sequence[str]], Floats]:
    """The embedder for those texts, each of which many models see."""
    row_by_text = dict(zip(texts, embedder.embed(texts), strict=True))
    return lambda chosen: np.array([row_by_text[text] for text in chosen])


def _new_model(vectorizer: Any) -> Any:
    """A linear SVM, and a sigmoid that makes its scores probabilities, fitted out of fold."""
    svm = training_package("sklearn.svm").LinearSVC(random_state=0)
    calibration = training_package("sklearn.calibration")
    calibrated = calibration.CalibratedClassifierCV(svm, cv=FOLDS, ensemble=False)
    return training_package("sklearn.pipeline").make_pipeline(vectorizer, calibrated)


def _accuracy(model: Any, texts: Sequence[str], labels: Sequence[int]) -> Accuracy:
    selection = training_package("sklearn.model_selection")
    shares = []
    for seed in SEEDS:
        folds = selection.StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        by_fold = selection.cross_val_score(model, texts, labels, cv=folds)
        shares.append(float(by_fold.mean()))
    return Accuracy(tuple(shares), max(map(labels.count, set(labels))) / len(labels))


def write(out: Path, trained: Trained, facts: Mapping[str, Any]) -> Path:
    """Write the arrays, and a card beside them with the accuracies and further facts: its path."""
    arrays = {}
    parts = dict(trained.domain[0].transformer_list)
    for name in TFIDF:
        arrays[name] = parts[name].get_feature_names_out().astype(str)
        arrays[f"{name}_idf"] = parts[name].idf_
    rows = np.concatenate([_score_rows(trained.domain[1]), _score_rows(trained.dynamic[1])])
    partial = out.with_name(out.name + ".new")
    with partial.open("wb") as file:
        np.savez_compressed(file, weights=rows[:, :-1], bias=rows[:, -1], **arrays)
    partial.replace(out)
    card_file = out.with_suffix(".card.json")
    accuracies = {name: asdict(accuracy) for name, accuracy in trained.accuracies.items()}
    write_json(card_file, {"what": _WHAT, **facts, "folds": FOLDS, "accuracy": accuracies})
    return card_file


def _score_rows(model: Any) -> Any:
    """Weights and, last, the bias of each class; of two classes, those of the second.

    The sigmoid of a row's score is its probability, before all are divided by their sum.
    """
    (fitted,) = model.calibrated_classifiers_
    slopes = np.array([sigmoid.a_ for sigmoid in fitted.calibrators])
    offsets = np.array([sigmoid.b_ for sigmoid in fitted.calibrators])
    svm = fitted.estimator
    bias = -slopes * svm.intercept_ - offsets
    return np.column_stack([-slopes[:, None] * svm.coef_, bias])
