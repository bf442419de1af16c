"""An arbiter between a system's answer and the semantic parser's.

Both come with figures on how sure they are. A log-linear model over both, fitted by `crag training
arbiter` on questions that neither was tuned on, decides between the two and "i don't know". db3's
paper has no such step.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.kg.parsing.parser import ParsedQuestion, SemanticParser
from models.llm.confidence import vote_key
from models.ranking.log_linear import AnswerWithFeatures, LogLinearModel, choose
from models.records import Answer, Question, Source
from models.runtime.batch import in_turn
from models.runtime.confidence_model import features_of
from models.runtime.ledger import Ledger, QuestionOutcome
from models.runtime.trace import Step
from models.systems.protocol import System
from utils.deadline import Deadline
from utils.errors import CragError

STEP = "arbiter"
_PARSER_SHARE = 0.2  # of the time
_MOST_LOGIT = 6.0
# Figures of a system's answer that the arbiter reads (models/runtime/confidence_model.py).
_SYSTEM_FEATURES = ("program", "likely", "votes", "from_kg", "from_web", "invalid")


@dataclass(frozen=True, slots=True)
class SystemAnswer:
    """A known answer of a system, with the features of its trace."""

    text: str
    features: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ParserAnswer:
    """The semantic parser's likeliest answer; None if no program has a result."""

    text: str | None
    probability: float


def candidates(system: SystemAnswer | None, parser: ParserAnswer) -> list[AnswerWithFeatures]:
    """The answers to choose from: one where both say the same, two where they differ.

    Features are from 0 to 1 or logarithms. A candidate has those of each side that gives it, and
    `agree`, `differ` or `alone`.

    >>> system = SystemAnswer("1997", {"likely": 1.0})
    >>> [(text, sorted(features)) for text, features in candidates(system, ParserAnswer(None, 0))]
    [('1997', ['alone', 'by_system', 'system:likely'])]
    """
    by_system: dict[str, float] = {}
    by_parser: dict[str, float] = {}
    if system is not None:
        by_system = {"by_system": 1.0, **_figures(system.features)}
    if parser.text is not None:
        by_parser = {"by_parser": 1.0, "parser:logit": _logit(parser.probability)}
    if system is None and parser.text is None:
        return []
    if system is None:
        return [(parser.text, {**by_parser, "alone": 1.0})]
    if parser.text is None:
        return [(system.text, {**by_system, "alone": 1.0})]
    if vote_key(system.text) == vote_key(parser.text):
        return [(parser.text, {**by_system, **by_parser, "agree": 1.0})]
    return [
        (system.text, {**by_system, "differ": 1.0}),
        (parser.text, {**by_parser, "differ": 1.0}),
    ]


def _figures(features: Mapping[str, float]) -> dict[str, float]:
    """The features of a system's answer; probabilities of texts as logarithms."""
    figures = {}
    for name in _SYSTEM_FEATURES:
        value = features.get(name)
        if value is None:
            continue
        if name in ("program", "likely"):
            value = math.log(max(value, math.exp(-_MOST_LOGIT)))
        figures[f"system:{name}"] = value
    return figures


def _logit(probability: float) -> float:
    """The log-odds, bounded and scaled to -1 to 1."""
    bounded = min(max(probability, 1e-3), 1 - 1e-3)
    return math.log(bounded / (1 - bounded)) / _MOST_LOGIT


@dataclass
class ArbitratedSystem:
    """A system whose answers are weighed against the semantic parser's.

    Attributes:
        system: answers first, and fills the ledger.
        parser: is asked about every question that has a KG.
        model: of `crag training arbiter`.
    """

    system: System
    parser: SemanticParser
    model: LogLinearModel

    def answer(self, questions: Sequence[Question], deadline: Deadline, ledger: Ledger) -> None:
        """Let both answer, and record the likelier answer of each question if it is likely
        enough. If the system fails, its answers so far are weighed."""
        with_kg = [i for i, question in enumerate(questions) if question.task.has_kg]
        parser_deadline = deadline.sooner(deadline.remaining() * _PARSER_SHARE)
        parser_answers: dict[int, ParserAnswer] = {}
        for index, share in in_turn(with_kg, parser_deadline):
            try:
                question = questions[index]
                parsed = self.parser.parse(question.text, question.asked_at, share)
            except CragError as error:
                ledger.note_failure(index, error, STEP)
                continue
            parser_answers[index] = _parser_answer(parsed)
        try:
            self.system.answer(questions, deadline, ledger)
        finally:
            for index, parser_answer in parser_answers.items():
                self._decide(questions[index], index, parser_answer, ledger)

    def _decide(
        self, question: Question, index: int, parser_answer: ParserAnswer, ledger: Ledger
    ) -> None:
        outcome = ledger.outcome(index)
        system_answer = _system_answer(question, outcome)
        choice = choose(candidates(system_answer, parser_answer), self.model)
        inputs = {
            "system": system_answer.text if system_answer else "",
            "parser": parser_answer.text or "",
        }
        answer = Answer()
        figures = {"parser_probability": parser_answer.probability}
        if choice is not None:
            figures["probability"] = choice.probability
            if choice.probability >= self.model.threshold:
                from_system = system_answer is not None and choice.answer == system_answer.text
                answer = outcome.answer if from_system else Answer(choice.answer, Source.KG)
        ledger.note_step(index, Step(STEP, inputs, answer.text, confidence=figures))
        ledger.record(index, answer, final=outcome.final)


def _system_answer(question: Question, outcome: QuestionOutcome) -> SystemAnswer | None:
    if not outcome.answer.known:
        return None
    features = features_of(question.text, outcome.answer, outcome.steps)
    return SystemAnswer(outcome.answer.text, features)


def _parser_answer(parsed: ParsedQuestion) -> ParserAnswer:
    """The answer of the likeliest program, whether or not it reaches the parser's threshold."""
    if parsed.choice is None:
        return ParserAnswer(None, 0.0)
    return ParserAnswer(parsed.choice.answer, parsed.choice.probability)
