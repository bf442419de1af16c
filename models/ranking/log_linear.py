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

from utils.errors import SettingsError

# Features that are too fine for the confidence model, given the number of questions.
_FINE = ("inner:", "form:", "rival:", "one:", "many:", "or:")
_UNSURE = 0.6
_SCALE = 5.0  # scores of the ranker are clipped to this
_MARKS = re.compile(r"[$,]")
Weights = Mapping[str, float]
Scored = tuple[str | None, Mapping[str, float]]  # an answer and its candidate's features


@dataclass(frozen=True, slots=True)
class LogLinearModel:
    """The weights of both models.

    Attributes:
        ranker, confidence: weights by feature; an absent one is 0.
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
    return math.fsum(weights.get(name, 0.0) * value for name, value in features.items())


def best(candidates: Sequence[Scored], ranker: Weights) -> Choice | None:
    """The best answer with the features of the confidence model, before its probability is known.
    Answers that differ only in punctuation count as one."""
    scored = [
        (score(features, ranker), index)
        for index, (answer, features) in enumerate(candidates)
        if answer is not None
    ]
    if not scored:
        return None
    top = max(value for value, _ in scored)
    groups: dict[str, list[tuple[float, int]]] = {}
    for value, index in scored:
        key = _MARKS.sub("", str(candidates[index][0]).lower())
        groups.setdefault(key, []).append((value, index))
    mass = {key: math.fsum(math.exp(v - top) for v, _ in group) for key, group in groups.items()}
    key = max(mass, key=lambda k: mass[k])
    share = mass[key] / math.fsum(mass.values())
    _, index = max(groups[key], key=lambda item: (item[0], -item[1]))
    answer, features = candidates[index]
    coarse = {name: value for name, value in features.items() if not name.startswith(_FINE)}
    told = {
        **coarse,
        "share": share,
        "score": max(-_SCALE, min(_SCALE, top)) / _SCALE,
        "unsure": float(share < _UNSURE),
        "rivals": math.log(len(groups)),
    }
    return Choice(index, str(answer), 0.0, told)


def choose(candidates: Sequence[Scored], model: LogLinearModel) -> Choice | None:
    """The best answer and its probability; None if no candidate has an answer."""
    found = best(candidates, model.ranker)
    if found is None:
        return None
    total = max(-60.0, min(60.0, score(found.features, model.confidence)))
    probability = 1.0 / (1.0 + math.exp(-total))
    return replace(found, probability=probability)


def read_model(file: Path) -> LogLinearModel:
    """The model in a file. Raises SettingsError if it is not one."""
    try:
        told = json.loads(file.read_text(encoding="utf-8"))["model"]
        return TypeAdapter(LogLinearModel).validate_python(told)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{file}: no weights of a ranker: {error!s:.200}") from error
