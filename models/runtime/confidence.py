"""The probability that an answer is right: a logistic model on features of its trace.

`python -m training confidence` fits it (dragonrangers, section 3, uses one such feature only). If
the setting `confidence` names its file, every answer must reach its threshold.
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
# The steps that give an answer, or whose reasoning ends with one.
_SAYING = frozenset(
    "answer_kg answer_web parametric external final think answer reason summarise".split()
)
_LOWEST = -700.0  # of a logit: exp(-x) overflows below it


def features_of(query: str, answer: Answer, steps: Sequence[Step]) -> dict[str, float]:
    """The features of `answer` to `query`; features that no step provides are absent.

    The figures in `Step.confidence` (of the last step that has them: `likely`, `samples`,
    `coverage`, `parametric`, `external`, `final`, `domain`, `dynamic`), and:

    - `agreement`: the share of the answering steps whose text contains this answer
    - `from_kg`, `from_web`, `invalid`: 1 if so
    - `about_DOMAIN`: 1 for the domain, if any, indicated by the question's words
    """
    found = {name: value for step in steps for name, value in step.confidence.items()}
    said = [step.output for step in steps if step.name in _SAYING and step.output.strip()]
    if said:
        key, texts = list(answer_key(answer.text)), [list(answer_key(text)) for text in said]
        found["agreement"] = sum(find_run(key, text) >= 0 for text in texts) / len(said)
    found["from_kg"] = float(answer.source is Source.KG)
    found["from_web"] = float(answer.source is Source.WEB)
    found["invalid"] = float(answer.text == INVALID)
    about = route(query)
    return found | {f"about_{domain}": float(domain is about) for domain in Domain}


@dataclass(frozen=True, slots=True)
class ConfidenceModel:
    """Feature weights by name; a feature that is absent counts as its mean.

    Attributes:
        means, scales: of each feature, over the answers that have it.
        weights: of the scaled features.
        bias: the intercept.
        threshold: an answer is given if its probability is above it.
        gains: whether it improved the score on held-out data.
        system: whose answers it was fitted on, if known.
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

    def chance(self, features: Mapping[str, float]) -> float:
        """The probability, from 0 to 1. Features that the model does not have are ignored."""
        total = self.bias
        for name, weight in self.weights.items():
            value = features.get(name)
            if value is not None and math.isfinite(value):
                total += weight * (value - self.means[name]) / self.scales[name]
        return 1.0 / (1.0 + math.exp(-max(total, _LOWEST)))


def read_confidence(settings: Settings) -> ConfidenceModel | None:
    """The model that `settings` name, if any.

    Raises:
        SettingsError: it cannot be read, or was fitted on another system's answers.
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
            "with `python -m training confidence --from-run`"
        )
    if not model.gains:
        logger.warning("%s: it gained nothing on held-out data", file)
    return model
