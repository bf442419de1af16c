"""Which words of the question a candidate explains, and which it leaves over."""

from functools import cached_property

from models.kg.lexicon.positions import NO_WORDS, Positions, union_of
from models.kg.lexicon.relations import Relation
from models.kg.parsing.candidates import Candidate
from models.kg.parsing.spans import Spans


class Coverage:
    """The explained words of one question's candidates."""

    def __init__(self, spans: Spans) -> None:
        self.spans = spans
        self._context_of_relation: dict[str, Positions] = {}

    def unexplained(self, candidate: Candidate) -> Positions:
        """The content words that neither the candidate nor its context explains."""
        return self._content_beside(candidate) - self.context(candidate)

    def context(self, candidate: Candidate) -> Positions:
        """The content words around a candidate's phrases that have no meaning of their own
        there."""
        context = NO_WORDS
        for base in candidate.bases:
            context |= self._context_words(base.relation)
            if base.inner is not None:
                context |= self._context_words(base.inner.relation)
        return context & self._content_beside(candidate)

    def _content_beside(self, candidate: Candidate) -> Positions:
        return self._content_without_filler - candidate.explained

    @cached_property
    def _content_without_filler(self) -> Positions:
        filler = self.spans.match.find(self.spans.lexicon.filler)
        return self.spans.content - union_of(filler)

    def _context_words(self, relation: Relation) -> Positions:
        if relation.id not in self._context_of_relation:
            places = self.spans.match.find(relation.wording.context)
            self._context_of_relation[relation.id] = union_of(places)
        return self._context_of_relation[relation.id]
