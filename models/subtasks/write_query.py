"""From a question to what is to be looked up in the KG."""

from typing import Protocol

from models.kg.run import Lookup
from models.kg.schema import ATTRIBUTES
from models.records import Domain, Question


class QueryWriter(Protocol):
    def write(self, question: Question, domain: Domain | None) -> list[Lookup]:
        """The look-ups that may answer `question`, the likeliest first; none where none may."""
        ...


class CueQueryWriter:
    """Looks for the cue of each attribute: plain questions of one thing and one attribute."""

    def write(self, question: Question, domain: Domain | None) -> list[Lookup]:
        lookups = []
        for attribute in ATTRIBUTES:
            if domain is not None and attribute.domain is not domain:
                continue
            match = attribute.cue.search(question.text)
            if match:
                rest = question.text[: match.start()] + " " + question.text[match.end() :]
                lookups.append(Lookup(attribute, rest))
        return [*lookups, Lookup(None, question.text)]
