"""An answer where the passages agree on one, and none where they do not say it well enough."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.records import Answer, Passage, Question, Source
from models.subtasks.reading.asked import Asked, Kind, asked_by
from models.subtasks.reading.choose import choose
from models.subtasks.reading.weigh import weigh
from models.web.page import PageText

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Grounds:
    """The least that an answer must have to be given.

    Attributes:
        coverage: of the question's words in one sentence with its title.
        share: of all that speaks for any candidate.
        pages: that say it.
    """

    coverage: float
    share: float
    pages: int


@dataclass(frozen=True, slots=True)
class Confidence:
    """When to answer, by kind; a kind that is not named is not answered.

    `python -m benchmarks.reading --tune` shows what other thresholds of counts and choices bring;
    those of the other kinds are set by hand, high, since too few questions ask for them.
    """

    grounds: Mapping[Kind, Grounds]
    choice_weight: float
    choice_margin: float


DEFAULT = Confidence(
    grounds={
        Kind.COUNT: Grounds(0.55, 0.45, 1),
        Kind.DATE: Grounds(0.9, 0.5, 2),
        Kind.YEAR: Grounds(0.9, 0.5, 2),
        Kind.PERSON: Grounds(0.9, 0.3, 3),
        Kind.PLACE: Grounds(0.9, 0.5, 2),
        Kind.MONEY: Grounds(0.9, 0.6, 2),
        Kind.MEASURE: Grounds(0.9, 0.6, 2),
    },
    choice_weight=0.9,
    choice_margin=1.4,
)


class AgreementReader:
    """Reads numbers, dates, names and choices by how much speaks for each."""

    def __init__(self, confidence: Confidence = DEFAULT) -> None:
        self._confidence = confidence

    def answer(
        self, question: Question, passages: Sequence[Passage], texts: Mapping[int, PageText]
    ) -> Answer:
        asked = asked_by(question.text)
        if asked.kind is Kind.CHOICE:
            return self._choice(question.text, asked, passages, texts)
        least = self._confidence.grounds.get(asked.kind)
        if least is None:
            return Answer()
        ranked = weigh(question.text, asked, passages, texts)
        if not ranked:
            return Answer()
        best = ranked[0]
        if best.coverage < least.coverage or best.share < least.share or best.pages < least.pages:
            return Answer()
        if not set(_NUMBER.findall(question.text)) <= set(_NUMBER.findall(best.grounds)):
            return Answer()  # it is of another year, or of another one of several
        return Answer(best.text, Source.WEB, best.grounds)

    def _choice(
        self,
        question: str,
        asked: Asked,
        passages: Sequence[Passage],
        texts: Mapping[int, PageText],
    ) -> Answer:
        best = choose(question, asked.options, passages, texts)
        if best is None or best.weight < self._confidence.choice_weight:
            return Answer()
        if best.margin < self._confidence.choice_margin:
            return Answer()
        return Answer(best.text, Source.WEB, f"{best.text}: {best.grounds}")
