"""Answers a question from passages of web pages, or abstains."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from models.ranking.log_linear import LogLinearModel, choose, read_model
from models.reading.candidates import candidates
from models.records import Answer, Passage, Question, Source
from models.web.page import PageText

WEIGHTS = Path(__file__).parent.parent / "reading" / "weights.json"


class WebAnswerer(Protocol):
    def answer(
        self, question: Question, passages: Sequence[Passage], texts: Mapping[int, PageText]
    ) -> Answer:
        """The answer in `passages` (best first); "i don't know" if they have none."""
        ...


class ExtractiveReader:
    """Copies a value from the passages if a log-linear model considers it likely right.

    Args:
        model: the one that comes with the project if None (`python -m training reader` fits it).

    Raises:
        SettingsError: the project's weights cannot be read.
    """

    def __init__(self, model: LogLinearModel | None = None) -> None:
        self._model = model or shipped()

    def answer(
        self, question: Question, passages: Sequence[Passage], texts: Mapping[int, PageText]
    ) -> Answer:
        found = candidates(question.text, passages, texts)
        choice = choose([(each.answer, each.features) for each in found], self._model)
        if choice is None or choice.probability < self._model.threshold:
            return Answer()
        return Answer(choice.answer, Source.WEB)


@lru_cache(maxsize=1)
def shipped() -> LogLinearModel:
    return read_model(WEIGHTS)
