"""Ranks candidate answers and estimates the best one's probability: two log-linear models.

The ranker compares the candidates of a question. The confidence model uses the best one's features
and its margin. The semantic parser and the offline page reader each have their own weights, fitted
by `crag training parser` and `crag training reader`.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from models.ranking.features import declared_feature
from utils.errors import SettingsError

_UNSURE = 0.6  # a smaller share of the probability mass
_MAX_SCORE = 5.0  # scores of the ranker are clipped to this
_MAX_LOGIT = 60.0
_MARKS = re.compile(r"[$,]")
Weights = Mapping[str, float]
AnswerWithFeatures = tuple[
    str | None, Mapping[str, float]
]  # an answer and its candidate's features


@dataclass(frozen=True, slots=True)
class LogLinearModel:
    """The weights of both models.

    Attributes:
        ranker: weights by feature; an absent one is 0.
        confidence: the same, for the probability of the best candidate.
        threshold: minimum probability of an answer that is given.
    """

    ranker: Weights
    confidence: Weights
    threshold: float


@dataclass(frozen=True, slots=True)
class Choice:
    """The index of the best candidate, and the probability that its answer is right."""

    index: int
    answer: str
    probability: float
    features: Mapping[str, float]


def score(features: Mapping[str, float], weights: Weights) -> float:
    """The sum of the features' values, each times its weight."""
    return math.fsum(weights.get(name, 0.0) * value for name, value in features.items())


def best(candidates: Sequence[AnswerWithFeatures], ranker: Weights) -> Choice | None:
    """The best answer with the features of the confidence model, its probability not yet known.

    Answers that differ only in punctuation count as one; None if no candidate has an answer.
    """
    scores: dict[int, float] = {}  # by candidate
    groups: dict[str, list[int]] = {}  # candidates by answer
    for index, (answer, features) in enumerate(candidates):
        if answer is not None:
            scores[index] = score(features, ranker)
            key = _MARKS.sub("", answer.lower())
            groups.setdefault(key, []).append(index)
    if not scores:
        return None
    top_score = max(scores.values())
    mass: dict[str, float] = {}  # proportional to the probability of each answer
    for key, group in groups.items():
        terms = [math.exp(scores[index] - top_score) for index in group]
        mass[key] = math.fsum(terms)
    best_key = max(mass, key=lambda key: mass[key])
    share = mass[best_key] / math.fsum(mass.values())
    best_index = max(groups[best_key], key=lambda index: scores[index])  # the first of equal ones
    answer, features = candidates[best_index]
    return Choice(
        index=best_index,
        answer=str(answer),
        probability=0.0,
        features={
            **_for_confidence(features),
            "share": share,
            "score": max(-_MAX_SCORE, min(_MAX_SCORE, top_score)) / _MAX_SCORE,
            "unsure": float(share < _UNSURE),
            "rivals": math.log(len(groups)),
        },
    )


def _for_confidence(features: Mapping[str, float]) -> dict[str, float]:
    """The features that the confidence model uses."""
    used: dict[str, float] = {}
    for name, value in features.items():
        feature = declared_feature(name)
        if feature is None or feature.confidence:
            used[name] = value
    return used


def choose(candidates: Sequence[AnswerWithFeatures], model: LogLinearModel) -> Choice | None:
    """The best answer and its probability; None if no candidate has an answer."""
    choice = best(candidates, model.ranker)
    if choice is None:
        return None
    logit = score(choice.features, model.confidence)
    logit = max(-_MAX_LOGIT, min(_MAX_LOGIT, logit))
    return replace(choice, probability=1.0 / (1.0 + math.exp(-logit)))


def read_model(file: Path) -> LogLinearModel:
    """The model in a file.

    Raises:
        SettingsError: it is not one.
    """
    try:
        model = json.loads(file.read_text(encoding="utf-8"))["model"]
        return TypeAdapter(LogLinearModel).validate_python(model)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{file}: no weights of a ranker: {error!s:.200}") from error
