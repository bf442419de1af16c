"""The probability that an answer is right: a logistic model on features of its trace.

`crag training confidence` fits it (dragonrangers, section 3, uses one such feature only). If
the setting `confidence` names its file, every answer must exceed its threshold.
`models/user_model.py` adds the features to each trace as its last step, for the fit.
"""

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import FiniteFloat, TypeAdapter

from models.kg.lexicon.route import route
from models.llm.confidence import answer_key
from models.records import INVALID, Answer, Domain, Source
from models.runtime.trace import Step
from models.settings import Settings
from utils.errors import SettingsError
from utils.text import find_run

logger = logging.getLogger(__name__)

STEP = "confidence"  # the step that stores the features
_PROGRAM_STEP = "write_query"
_LOWEST = -700.0  # of a logit: exp(-x) overflows below it


def features_of(query: str, answer: Answer, steps: Sequence[Step]) -> dict[str, float]:
    """The features of `answer` to `query`; features that no step provides are absent.

    They are the figures in `Step.confidence` (each of the last step that has it: `likely`,
    `samples`, `votes`, `coverage`, `parametric`, `external`, `final`, `domain`, `dynamic`), and:

    - `program`: `likely` of the step that wrote the KG program
    - `agreement`: the share of the answering steps whose text contains this answer
    - `from_kg`, `from_web`, `invalid`: 1 if so, else 0
    - `about_DOMAIN`: 1 for the domain, if any, that the question's words indicate, else 0
    """
    features: dict[str, float] = {}
    for step in steps:
        features.update(step.confidence)
        if step.name == _PROGRAM_STEP and "likely" in step.confidence:
            features["program"] = step.confidence["likely"]
    agreement = _agreement(answer, steps)
    if agreement is not None:
        features["agreement"] = agreement
    features["from_kg"] = float(answer.source is Source.KG)
    features["from_web"] = float(answer.source is Source.WEB)
    features["invalid"] = float(answer.text == INVALID)
    query_domain = route(query)
    for domain in Domain:
        features[f"about_{domain}"] = float(domain is query_domain)
    return features


def _agreement(answer: Answer, steps: Sequence[Step]) -> float | None:
    """The share of the answering steps whose text contains `answer`; None without such steps."""
    outputs = [step.output for step in steps if step.answers and step.output.strip()]
    if not outputs:
        return None
    key = list(answer_key(answer.text))
    agreeing = [text for text in outputs if find_run(key, list(answer_key(text))) >= 0]
    return len(agreeing) / len(outputs)


@dataclass(frozen=True, slots=True)
class ConfidenceModel:
    """A logistic model on features; a feature that is absent counts as its mean.

    Attributes:
        means: of each feature, over the answers that have it.
        scales: likewise; a feature's distance from its mean is divided by its scale.
        weights: of the scaled features.
        bias: the intercept.
        threshold: an answer is given if its probability is higher.
        gains: whether the model improved the score on held-out data.
        system: the system whose answers it was fitted on, if known.
    """

    means: Mapping[str, FiniteFloat]
    scales: Mapping[str, FiniteFloat]
    weights: Mapping[str, FiniteFloat]
    bias: FiniteFloat
    threshold: FiniteFloat
    gains: bool = True
    system: str | None = None

    def __post_init__(self) -> None:
        if not self.weights.keys() <= self.means.keys() & self.scales.keys():
            raise ValueError("a weight has no mean or no scale")
        if not all(self.scales.values()):
            raise ValueError("a scale is 0")

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability, from 0 to 1, that an answer with these features is right.

        Features that the model does not have are ignored.
        """
        total = self.bias
        for name, weight in self.weights.items():
            value = features.get(name)
            if value is not None and math.isfinite(value):
                total += weight * (value - self.means[name]) / self.scales[name]
        return 1.0 / (1.0 + math.exp(-max(total, _LOWEST)))


def read_confidence(settings: Settings) -> ConfidenceModel | None:
    """The model in the file that `settings` name; None if they name none.

    Raises:
        SettingsError: the file cannot be read, or the model was fitted on another system's answers.
    """
    file = settings.confidence
    if file is None:
        return None
    try:
        row = json.loads(file.read_text(encoding="utf-8"))["model"]
        model = TypeAdapter(ConfidenceModel).validate_python(row)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{file}: no confidence model: {error!s:.200}") from error
    if model.system not in (None, settings.system):
        raise SettingsError(
            f"{file} was fitted on answers of {model.system}, not of {settings.system}: fit one "
            "with `crag training confidence --from-run`"
        )
    if not model.gains:
        logger.warning("%s: the model gained nothing on held-out data", file)
    return model
