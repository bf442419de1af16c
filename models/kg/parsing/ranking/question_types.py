"""Which types of answers a question asks for; features and vetoes share it."""

from collections.abc import Sequence
from functools import cached_property

from models.kg.lexicon.positions import NO_WORDS, Positions, union_of
from models.kg.lexicon.types import OPEN_ENTITY, ValueType
from models.kg.parsing.spans import Spans


class AskedTypes:
    """The types of answers that the form of one question asks for."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans
        self.form_name = spans.form.name

    @cached_property
    def wanted(self) -> Sequence[ValueType]:
        """The types that the form asks for; empty if it may ask for any."""
        return self._spans.lexicon.general.forms.get(self.form_name, ())

    @cached_property
    def never(self) -> Sequence[ValueType]:
        """The types that the form never asks for."""
        return self._spans.lexicon.general.never.get(self.form_name, ())

    @cached_property
    def thing_words(self) -> Positions:
        """The words for kinds of things, where such a thing is asked for: "which river"."""
        if self.wanted:  # it asks for a number, a person, …
            return NO_WORDS
        return union_of(self._spans.match.find(self._spans.lexicon.types[OPEN_ENTITY]))

    @property
    def asks_for_thing(self) -> bool:
        """Whether the word behind the question word is a kind of things."""
        return self._spans.form.focus in self.thing_words
