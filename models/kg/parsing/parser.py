"""Parses a question into candidate programs, ranked, each with its answer.

A floating, bottom-up parser (Pasupat and Liang 2015; Wang et al. 2015): spans, then typed rules,
then a log-linear ranking of the executed candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import chain
from pathlib import Path

from models.kg.english.names import NameFinder
from models.kg.english.question import QuestionText
from models.kg.execution.execute import StatementResult, execute
from models.kg.execution.plan import make_plan
from models.kg.language.ast import Program
from models.kg.language.check import check
from models.kg.lexicon.lexicon import Lexicon, lexicon
from models.kg.parsing.answers import compose
from models.kg.parsing.candidates import Candidate
from models.kg.parsing.features import Features
from models.kg.parsing.rules import Rules
from models.kg.parsing.spans import Spans
from models.ranking.log_linear import Choice, LogLinearModel, choose, read_model, score
from utils.crag_api import KgClient
from utils.deadline import Deadline
from utils.errors import ApiError, CragError, DeadlineExceeded

WEIGHTS = Path(__file__).with_name("weights.json")
MOST_CHARS = 600  # longer than real questions; time grows with the length


@lru_cache(maxsize=1)
def shipped() -> LogLinearModel:
    """The weights that come with the project."""
    return read_model(WEIGHTS)


@dataclass(frozen=True, slots=True)
class Derivation:
    """An executed candidate: its results, its answer (None: insufficient results), its features.

    `ruled_out`: its answer is None because `Features.rules_out` rejected it.
    """

    candidate: Candidate
    outcomes: tuple[StatementResult, ...]
    answer: str | None
    features: dict[str, float]
    ruled_out: bool = False


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question's derivations, and the best one with its probability; None without an answer."""

    rules: Rules | None
    derivations: tuple[Derivation, ...] = ()
    choice: Choice | None = None
    threshold: float = 1.0

    @property
    def chosen(self) -> Derivation | None:
        return self.derivations[self.choice.index] if self.choice else None

    @property
    def answer(self) -> str | None:
        """The answer, if its probability reaches the threshold."""
        if self.choice is None or self.choice.probability < self.threshold or self._rivalled:
            return None
        return self.choice.answer

    @property
    def _rivalled(self) -> bool:
        """Whether a derivation failed that explains as many words as the chosen one."""
        words = len(self.chosen.candidate.used) if self.chosen else 0
        return bool(self.errors) and any(
            len(d.candidate.used) >= words and any(o.errors for o in d.outcomes)
            for d in self.derivations
        )

    @property
    def errors(self) -> list[CragError]:
        """Failed and late calls; with any, an answer may be missing."""
        found = (e for d in self.derivations for o in d.outcomes for e in o.errors)
        return [error for error in found if isinstance(error, (ApiError, DeadlineExceeded))]

    def ranked(self, model: LogLinearModel) -> list[Derivation]:
        """The derivations with an answer, the likeliest first; then those without."""
        return sorted(
            self.derivations, key=lambda d: (d.answer is None, -score(d.features, model.ranker))
        )


@dataclass
class SemanticParser:
    """Parses English questions over a KG. `model` None: the project's weights."""

    client: KgClient
    lexicon: Lexicon = field(default_factory=lexicon)
    model: LogLinearModel = field(default_factory=shipped)

    def parse(self, text: str, now: datetime | None, deadline: Deadline) -> ParsedQuestion:
        """The derivations of a question that was asked at `now`.

        Raises:
            ApiError: a search of the KG for names failed.
            DeadlineExceeded: there was no time for one.
        """
        text = text.encode("utf-8", "ignore").decode("utf-8")
        asked = QuestionText.of(text[:MOST_CHARS], now)
        if len(text) > MOST_CHARS or not asked.words:
            return ParsedQuestion(None)
        spans = Spans(asked, self.lexicon, NameFinder(self.client, deadline))
        rules = Rules(spans)
        candidates = rules.candidates()
        results = run_all([c.program for c in candidates], self.client, now, deadline)
        features = Features(rules)
        found = []
        for candidate, outcomes in zip(candidates, results, strict=True):
            answer = compose(candidate.composer, outcomes)
            told = features.of(candidate, outcomes)
            ruled_out = answer is not None and features.rules_out(candidate, answer)
            answer = None if ruled_out else answer
            found.append(Derivation(candidate, outcomes, answer, told, ruled_out))
        choice = choose([(d.answer, d.features) for d in found], self.model)
        return ParsedQuestion(rules, tuple(found), choice, self.model.threshold)


def run_all(
    programs: Sequence[Program], client: KgClient, now: datetime | None, deadline: Deadline
) -> list[tuple[StatementResult, ...]]:
    """The outcomes of each program; all run as one, so that their calls are made in parallel."""
    distinct = list(dict.fromkeys(programs))
    if not distinct:
        return []
    whole = Program(tuple(chain.from_iterable(p.statements for p in distinct)))
    outcomes = iter(execute(make_plan(whole, check(whole)), client, now, deadline))
    given = {p: tuple(next(outcomes) for _ in p.statements) for p in distinct}
    return [given[program] for program in programs]
