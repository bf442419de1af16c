"""Answers a question from passages of web pages, or abstains."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from models.ranking.log_linear import Choice, LogLinearModel, choose, read_model
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
        return self.answer_of(self.choice(question, passages, texts))

    def choice(
        self, question: Question, passages: Sequence[Passage], texts: Mapping[int, PageText]
    ) -> Choice | None:
        """The best candidate in `passages`; None if none has the form that the question wants."""
        scored = [
            (candidate.answer, candidate.features)
            for candidate in candidates(question.plain, passages, texts)
        ]
        return choose(scored, self.model)

    def answer_of(self, choice: Choice | None) -> Answer:
        """A choice as the answer, unless it is refused."""
        if choice is None or self.refusal(choice):
            return Answer()
        return Answer(choice.answer, Source.WEB)

    def refusal(self, choice: Choice | None) -> str:
        """Why a choice is not given as the answer; empty if it is."""
        if choice is None:
            return "no passage has a value of the form that the question wants"
        if choice.probability >= self.model.threshold:
            return ""
        return (
            f"{choice.answer!r} is right with a probability of {choice.probability:.2f}, "
            f"and {self.model.threshold:.2f} is needed"
        )
