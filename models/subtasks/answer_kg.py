"""From what the KG says to an answer."""

from collections.abc import Sequence
from typing import Protocol

from models.kg.run import Fact
from models.records import Answer, Question, Source


class KgAnswerer(Protocol):
    def answer(self, question: Question, facts: Sequence[Fact]) -> Answer:
        """The answer on the grounds of `facts`; "i don't know" where they do not settle it."""
        ...


class AgreeingFacts:
    """Says the value that all facts share: two that differ mean that the question was unclear."""

    def answer(self, question: Question, facts: Sequence[Fact]) -> Answer:
        values = {fact.value for fact in facts}
        if len(values) != 1:
            return Answer()
        return Answer(values.pop(), Source.KG, str(facts[0]))
