"""What a system did for one question, step by step."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from models.kg import Result
from models.kg.english.reading import Reading
from models.records import Answer, Domain, Passage


@dataclass(slots=True)
class Trace:
    """Filled in the order of the fields; what a step never reached stays as it was."""

    question_id: str
    domain: Domain | None = None
    readings: Sequence[Reading] = ()
    results: Sequence[Result] = ()
    kg_answer: Answer = field(default_factory=Answer)
    passages: Sequence[Passage] = ()
    web_answer: Answer = field(default_factory=Answer)

    @property
    def answer(self) -> Answer:
        """The KG's answer, or, where it has none, the web's."""
        return self.kg_answer if self.kg_answer.known else self.web_answer
