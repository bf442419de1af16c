"""From what the KG says to an answer."""

from typing import Protocol

from models.kg import Result
from models.kg.english.reading import Reading
from models.records import Answer, Question, Source


class KgAnswerer(Protocol):
    def answer(self, question: Question, reading: Reading, result: Result) -> Answer:
        """The answer on the grounds of `result`; "i don't know" where it does not settle it."""
        ...


class ComposedAnswer:
    """Says what the reading's composer makes of the results; nothing where one is partial."""

    def answer(self, question: Question, reading: Reading, result: Result) -> Answer:
        text = None if result.errors else reading.compose(result.outcomes)
        return Answer(text, Source.KG, " ".join(result.sentences)) if text else Answer()
