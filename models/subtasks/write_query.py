"""From a question to what is to be looked up in the KG."""

import re
from typing import Protocol

from models.kg.domains import ATTRIBUTES
from models.kg.run import Lookup
from models.records import Domain, Question
from utils.text import words


class QueryWriter(Protocol):
    def write(self, question: Question, domain: Domain | None) -> list[Lookup]:
        """The look-ups that may answer `question`, the likeliest first; none where none may."""
        ...


# A yes or no, a count, a choice: one attribute's value alone does not answer these.
_NOT_PLAIN = re.compile(
    r"^(?:so |and )?(?:is|are|was|were|do|does|did|has|have|had)\b(?! (?:there|you know)\b)"
    r"|\bhow many (?:members|people|movies|films|songs|albums|times)\b|\b(?:or|if|whether)\b",
    re.I,
)


class WordQueryWriter:
    """Looks for the words that ask for each attribute: plain questions of one of one thing."""

    def write(self, question: Question, domain: Domain | None) -> list[Lookup]:
        if _NOT_PLAIN.search(question.text):
            return []
        lookups = []
        question_words = words(question.text)
        for attribute in ATTRIBUTES:
            if domain is not None and attribute.domain is not domain:
                continue
            filler = attribute.asked_by(question_words)
            if filler is not None:
                lookups.append(Lookup(attribute, question.text, filler))
        return [*lookups, Lookup(None, question.text)]
