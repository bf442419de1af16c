"""Answers a question from passages of web pages, or abstains."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from models.ranking.log_linear import Choice, LogLinearModel, choose, read_model
from models.ranking.span_encoder import SpanEncoder, shipped_encoder
from models.reading.candidates import candidates
from models.reading.spans import FoundSpan
from models.records import Answer, Passage, Question, Source
from models.runtime.trace import Step
from models.web.page import PageText
from utils.deadline import Deadline

WEIGHTS = Path(__file__).parent.parent / "reading" / "weights.json"


@cache
def shipped_weights() -> LogLinearModel:
    """The model that comes with the project; `crag training reader` fits it."""
    return read_model(WEIGHTS)


@dataclass(frozen=True, slots=True)
class WebChoice:
    """The answer that is likeliest right, and where it stands."""

    choice: Choice
    span: FoundSpan


@dataclass(frozen=True)
class ExtractiveReader:
    """Copies a span from the passages if a log-linear model considers it likely right."""

    encoder: SpanEncoder = field(default_factory=shipped_encoder)
    model: LogLinearModel = field(default_factory=shipped_weights)

    def choice(
        self,
        question: Question,
        passages: Sequence[Passage],
        texts: Mapping[int, PageText],
        deadline: Deadline,
    ) -> WebChoice | None:
        """The best span in `passages` (best first), however unlikely; None if none was read."""
        found = candidates(question.plain, passages, texts, self.encoder, deadline)
        scored = [(candidate.answer, candidate.features) for candidate in found]
        choice = choose(scored, self.model)
        return WebChoice(choice, found[choice.index].span) if choice else None

    def answer_of(self, best: WebChoice | None) -> Answer:
        """A choice as the answer, unless it is refused."""
        if best is None or self.refusal(best):
            return Answer()
        return Answer(best.choice.answer, Source.WEB)

    def step(self, best: WebChoice | None, seconds: float, confidence: Mapping[str, float]) -> Step:
        """The step of a trace: where the span stands, its probability, and why it is refused."""
        answer = self.answer_of(best)
        inputs: dict[str, str] = {}
        if best is not None:
            inputs["found in"] = best.span.in_context()
            confidence = {**confidence, "probability": best.choice.probability}
        if not answer.known:
            inputs["refused"] = self.refusal(best)
        return Step("answer_web", inputs, answer.text, seconds, confidence=confidence, answers=True)

    def refusal(self, best: WebChoice | None) -> str:
        """Why a choice is not given as the answer; empty if it is."""
        if best is None:
            return "the passages have no candidate answer"
        choice = best.choice
        if choice.features.get("disputed"):
            return f"the passages disagree: another answer is as likely as {choice.answer!r}"
        if choice.probability >= self.model.threshold:
            return ""
        return (
            f"{choice.answer!r} is right with a probability of {choice.probability:.2f}, "
            f"and {self.model.threshold:.2f} is needed"
        )
