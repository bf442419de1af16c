"""The form of a question: its question word, yes/no, one or several values."""

import re
from collections.abc import Iterable
from functools import cached_property

from models.english.question import QuestionText
from models.kg.lexicon.lexicon import Lexicon
from utils.text import FUNCTION_WORDS, words

POLAR = "polar"  # the name of the form of yes/no questions
NO_FORM = "none"  # the name of the form of texts without a question word
_SENTENCE_BREAK = re.compile(r"[.!?;]\s+|\s[-–—]\s")
_MARKS = r"[,.;:?!]"
_OPENING = re.compile(rf"[^,.;:?!]*{_MARKS}\s*")
# A plural noun: "which films", "any movies".
_PLURAL = r"\b(?:what|which|the|any) (?!was\b|does\b|this\b|is\b|series\b)\w\w+[^s\W]s\b"


def _any_of(phrases: Iterable[str]) -> str:
    """A pattern of any of the phrases as whole words."""
    return rf"\b(?:{'|'.join(map(re.escape, phrases))})\b"


class Form:
    """How a question asks. The words that show it are in `[question]` of `lexicon/general.toml`."""

    def __init__(self, question: QuestionText, lexicon: Lexicon) -> None:
        self._question = question
        self._lexicon = lexicon
        self._cues = lexicon.question_words
        self._words = [word.text for word in question.words]
        self._text = " ".join(self._words)

    @cached_property
    def polar(self) -> bool:
        """Whether it is a yes/no question."""
        text = " ".join(words(self._text_without_opening()))
        if re.match(_any_of(self._cues.requests), text):
            request = rf"(?:\S+ ){{1,6}}{_any_of(self._cues.whether)}"
            return re.match(request, text) is not None
        if re.match(_any_of(self._cues.polar_verbs), text):
            return not self._has_later_question()
        if re.search(_any_of(self._cues.interrogatives), text):
            return False
        if re.search(rf"{_any_of(self._cues.tags)}$", text):
            return True
        clause_break = rf"{_MARKS}|{_any_of(self._cues.breaks)}"
        clauses = re.split(clause_break, self._question.text)
        return any(self._is_polar_clause(words(clause)) for clause in clauses)

    def _text_without_opening(self) -> str:
        """The text without openings: "Hi! I was wondering, …"."""
        rest = self._question.text
        free_words = FUNCTION_WORDS.union(self._lexicon.filler)
        while True:
            opening = _OPENING.match(rest)
            if opening is None or not free_words.issuperset(words(opening[0])):
                return rest
            rest = rest[opening.end() :]

    def _has_later_question(self) -> bool:
        """Whether a question word follows a yes/no question: "Is it long? How long exactly?"."""
        for sentence in _SENTENCE_BREAK.split(self._question.text)[1:]:
            if words(sentence)[:1] and words(sentence)[0] in self._cues.interrogatives:
                return True
        return False

    def _is_polar_clause(self, clause: list[str]) -> bool:
        if not clause or clause[0] not in self._cues.polar_verbs:
            return False
        return re.match(_any_of(self._cues.requests), " ".join(clause)) is None

    @cached_property
    def name(self) -> str:
        """Its question word: "who", "how many"; "polar"; "none". After the kind of a thing a word
        asks nothing: "the birthday of the guy who directed it"."""
        if self.polar:
            return POLAR
        kind_words: list[str] = []
        for of_type in self._lexicon.types.values():
            kind_words += of_type
        relative = rf"({_any_of(kind_words)})\s+(?:who|whose|whom|which|when)\b"
        # If nothing else asks, only clauses behind "of" count as such: "birthday of the man who".
        for pattern in (relative, rf"\bof (?:the |a )?{relative}"):
            main_clause = re.sub(pattern, r"\1", self._question.text, flags=re.IGNORECASE)
            form = self._first_form(" ".join(words(main_clause)))
            if form:
                return form
        return NO_FORM

    def _first_form(self, text: str) -> str:
        """The first form in a text, of several at one place the longest; "" without any."""
        gap = f" (?:{_any_of(self._cues.before_noun)} )*"  # "what was the date"
        starts: dict[str, int] = {}
        for form in self._lexicon.general.forms:
            match = re.search(rf"\b{form.replace(' ', gap)}s?\b", text)
            if match and form != POLAR:
                starts[form] = match.start()
        return min(starts, key=lambda form: (starts[form], -len(form)), default="")

    @cached_property
    def plural(self) -> bool:
        """Whether it asks for several values."""
        return bool(re.search(rf"{_any_of(self._cues.several)}|{_PLURAL}", self._text))

    @cached_property
    def focus(self) -> int:
        """The position of the first content word after the question word; -1 if there is none."""
        free_words = FUNCTION_WORDS.union(self._cues.before_noun)
        for at, word in enumerate(self._words):
            if word in self._cues.interrogatives:
                for later in range(at + 1, len(self._words)):
                    if self._words[later] not in free_words:
                        return later
                return -1
        return -1

    @cached_property
    def has_time_clause(self) -> bool:
        """Whether a subordinate clause gives a time: "how old was she when she died"."""
        return re.search(rf" {_any_of(self._cues.subordinate)}", self._text) is not None
