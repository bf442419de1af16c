"""Answers a question from passages of web pages, or abstains."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from models.ranking.log_linear import LogLinearModel, choose, read_model
from models.reading.candidates import candidates
from models.records import Answer, Passage, Question, Source
from models.web.page import PageText

WEIGHTS = Path(__file__).parent.parent / "reading" / "weights.json"


@cache
def shipped_weights() -> LogLinearModel:
    """The model that comes with the project; `crag training reader` fits it."""
    return read_model(WEIGHTS)


@dataclass(frozen=True)
class ExtractiveReader:
    """Copies a value from the passages if a log-linear model considers it likely right."""

    model: LogLinearModel = field(default_factory=shipped_weights)

    def answer(
        self, question: Question, passages: Sequence[Passage], texts: Mapping[int, PageText]
    ) -> Answer:
        """The answer in `passages` (best first); "i don't know" if they have none."""
        scored = [
            (candidate.answer, candidate.features)
            for candidate in candidates(question.text, passages, texts)
        ]
        choice = choose(scored, self.model)
        if choice is None or choice.probability < self.model.threshold:
            return Answer()
        return Answer(choice.answer, Source.WEB)
