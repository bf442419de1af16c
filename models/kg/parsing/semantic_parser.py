"""Parses a question into candidate programs, ranked, each with its answer.

A floating, bottom-up parser (Pasupat and Liang 2015; Wang et al. 2015): spans, then typed rules,
then a log-linear ranking of the executed candidates.
"""

from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from models.english.question import QuestionText
from models.kg.lexicon.lexicon import Lexicon, lexicon
from models.kg.lexicon.positions import union_of
from models.kg.names.finder import NameFinder
from models.kg.parsing.answers import compose
from models.kg.parsing.candidates import Candidate
from models.kg.parsing.coverage import Coverage
from models.kg.parsing.generator import CandidateGenerator
from models.kg.parsing.ranking.features import Features
from models.kg.parsing.ranking.question_types import AskedTypes
from models.kg.parsing.ranking.vetoes import Vetoes
from models.kg.parsing.spans import Spans
from models.kg.run import ProgramResult, run_many
from models.ranking.log_linear import Choice, LogLinearModel, choose, read_model, score
from utils.crag_api import KgClient
from utils.deadline import Deadline
from utils.errors import ApiError, CragError, DeadlineExceeded
from utils.plain_question import plain_question

WEIGHTS = Path(__file__).parent / "ranking" / "weights.json"
MAX_CHARS = 600  # longer than real questions; time grows with the length


@lru_cache(maxsize=1)
def shipped_weights() -> LogLinearModel:
    """The weights that come with the project."""
    return read_model(WEIGHTS)


@dataclass(frozen=True, slots=True)
class Derivation:
    """An executed candidate.

    Attributes:
        composed: the answer that its composer made; None if the results are insufficient.
        ruled_out: that answer must be wrong (`Vetoes`).
    """

    candidate: Candidate
    result: ProgramResult
    composed: str | None
    features: dict[str, float]
    ruled_out: bool = False

    @property
    def answer(self) -> str | None:
        """The composed answer, unless it was ruled out."""
        return None if self.ruled_out else self.composed

    @property
    def failed(self) -> bool:
        """Whether a statement failed or came too late."""
        return bool(self.result.errors)


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question's derivations, and the best one with its probability.

    Attributes:
        model: the weights that rank them, and the minimum probability of an answer that is given.
        coverage: which words the candidates explain; None if the question was not read.
        choice: None if no derivation has an answer.
    """

    model: LogLinearModel
    coverage: Coverage | None = None
    derivations: tuple[Derivation, ...] = ()
    choice: Choice | None = None

    @property
    def chosen(self) -> Derivation | None:
        return self.derivations[self.choice.index] if self.choice else None

    @property
    def answer(self) -> str | None:
        """The chosen answer, unless it is refused."""
        return self.choice.answer if self.choice and not self.refusal else None

    @property
    def refusal(self) -> str:
        """Why there is no answer; empty if there is one."""
        if self.coverage is None:
            return "the question was not read: it is empty or too long"
        if self.choice is None:
            return self._why_no_choice()
        threshold = self.model.threshold
        if self.choice.probability < threshold:
            return (
                f"it is right with a probability of {self.choice.probability:.2f}, "
                f"and {threshold:.2f} is needed"
            )
        if self._has_failed_rival():
            return "a call failed for another reading that explains as many words"
        return ""

    def _why_no_choice(self) -> str:
        if self.errors:
            return f"a call failed: {self.errors[0]}"
        if any(derivation.ruled_out for derivation in self.derivations):
            return "every answer was ruled out"
        unknown = ", ".join(self._unknown_names())
        if unknown:
            return f"the KG has nothing of that name: {unknown}"
        return "no reading of the question has an answer in the KG"

    def _unknown_names(self) -> list[str]:
        """The words of the question that are neither English nor the name of a thing."""
        if self.coverage is None:
            return []
        spans = self.coverage.spans
        named = union_of(thing.positions for thing in spans.things)
        return [
            word
            for i, word in enumerate(spans.words)
            if i not in named and word.isalpha() and not spans.lexicon.is_english(word)
        ]

    def _has_failed_rival(self) -> bool:
        """Whether a derivation failed that explains as many words as the chosen one."""
        if not self.errors:
            return False
        least_words = len(self.chosen.candidate.explained) if self.chosen else 0
        return any(
            derivation.failed and len(derivation.candidate.explained) >= least_words
            for derivation in self.derivations
        )

    @property
    def errors(self) -> list[CragError]:
        """Failed and late calls; with any, an answer may be missing."""
        errors: list[CragError] = []
        for derivation in self.derivations:
            errors += derivation.result.errors
        return [error for error in errors if isinstance(error, (ApiError, DeadlineExceeded))]

    @property
    def best(self) -> Derivation | None:
        """The chosen derivation; without an answer the likeliest one, or None."""
        return self.chosen or next(iter(self.ranked()), None)

    def ranked(self) -> list[Derivation]:
        """The derivations with an answer, the likeliest first; then those without."""
        return sorted(
            self.derivations,
            key=lambda derivation: (
                derivation.answer is None,
                -score(derivation.features, self.model.ranker),
            ),
        )


@dataclass
class SemanticParser:
    """Parses English questions over a KG."""

    client: KgClient
    lexicon: Lexicon = field(default_factory=lexicon)
    model: LogLinearModel = field(default_factory=shipped_weights)

    def parse(self, text: str, now: datetime | None, deadline: Deadline) -> ParsedQuestion:
        """The derivations of a question that was asked at `now`.

        Raises:
            ApiError: a search of the KG for names failed.
            DeadlineExceeded: there was no time for one.
        """
        text = plain_question(text.encode("utf-8", "ignore").decode("utf-8"))
        question = QuestionText.of(text[:MAX_CHARS], now)
        if len(text) > MAX_CHARS or not question.words:
            return ParsedQuestion(self.model)
        names = NameFinder(self.client, deadline, self.lexicon.near_spellings)
        spans = Spans(question, self.lexicon, names)
        coverage = Coverage(spans)
        candidates = CandidateGenerator(spans, coverage).candidates()
        programs = [candidate.program for candidate in candidates]
        results = run_many(programs, self.client, now, deadline)
        types = AskedTypes(spans)
        features = Features(coverage, types)
        vetoes = Vetoes(coverage, types, candidates)
        derivations = []
        for candidate, result in zip(candidates, results, strict=True):
            answer = compose(candidate.composer, result.outcomes)
            ruled_out = answer is not None and vetoes.rules_out(candidate, answer)
            answer_features = features.features_of(candidate, result.outcomes)
            derivations.append(Derivation(candidate, result, answer, answer_features, ruled_out))
        choice = choose([(each.answer, each.features) for each in derivations], self.model)
        return ParsedQuestion(self.model, coverage, tuple(derivations), choice)
