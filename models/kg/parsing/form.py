"""The form of a question: its question word, yes/no, one or several values."""

import re
from functools import cached_property

from models.kg.english.question import QuestionText
from models.kg.lexicon.lexicon import Lexicon
from utils.text import FUNCTION_WORDS, words

_SENTENCE = re.compile(r"[.!?;]\s+|\s[-–—]\s")
_MARKS = r"[,.;:?!]"
# A plural noun: "which films", "any movies".
_PLURAL = r"\b(?:what|which|the|any) (?!was\b|does\b|this\b|is\b|series\b)\w\w+[^s\W]s\b"


def _any_of(phrases: list[str]) -> str:
    return rf"\b(?:{'|'.join(map(re.escape, phrases))})\b"


class Form:
    """How a question asks. The word lists are in `lexicon/general.toml`, under `[question]`."""

    def __init__(self, asked: QuestionText, lexicon: Lexicon) -> None:
        self._asked, self._lexicon = asked, lexicon
        self._said = lexicon.question
        self._words = [word.text for word in asked.words]
        self._text = " ".join(self._words)

    @cached_property
    def polar(self) -> bool:
        """Whether it is a yes/no question."""
        text = " ".join(words(self._unopened))
        if re.match(_any_of(self._said["requests"]), text):
            request = rf"(?:\S+ ){{1,6}}{_any_of(self._said['whether'])}"
            return re.match(request, text) is not None
        if re.match(_any_of(self._said["polar"]), text):
            return not self._asks_again
        if self._asks(text):
            return False
        if re.search(rf"{_any_of(self._said['tags'])}$", text):
            return True
        breaks = rf"{_MARKS}|{_any_of(self._said['breaks'])}"
        clauses = [words(clause) for clause in re.split(breaks, self._asked.text)]
        return any(map(self._is_polar, clauses))

    @property
    def _unopened(self) -> str:
        """The text without openings: "Hi! I was wondering, …"."""
        rest, opening = self._asked.text, re.compile(rf"[^,.;:?!]*{_MARKS}\s*")
        free = FUNCTION_WORDS.union(self._lexicon.filler)
        while (match := opening.match(rest)) and free.issuperset(words(match[0])):
            rest = rest[match.end() :]
        return rest

    @property
    def _asks_again(self) -> bool:
        """Whether a question word follows a yes/no question: "Is it long? How long exactly?"."""
        asking = self._said["words"]
        rest = _SENTENCE.split(self._asked.text)[1:]
        return any(each[:1] and each[0] in asking for each in map(words, rest))

    def _asks(self, text: str) -> bool:
        return re.search(_any_of(self._said["words"]), text) is not None

    def _is_polar(self, clause: list[str]) -> bool:
        request = re.match(_any_of(self._said["requests"]), " ".join(clause))
        return bool(clause) and clause[0] in self._said["polar"] and not request

    @cached_property
    def name(self) -> str:
        """Its question word: "who", "how many"; "polar"; "none". After the kind of a thing a word
        asks nothing: "the birthday of the guy who directed it"."""
        if self.polar:
            return "polar"
        kinds = _any_of([said for each in self._lexicon.types.values() for said in each])
        relative = rf"({kinds})\s+(?:who|whose|whom|which|when)\b"
        # If nothing else asks, only clauses behind "of" count as such: "birthday of the man who".
        for pattern in (relative, rf"\bof (?:the |a )?{relative}"):
            asking = re.sub(pattern, r"\1", self._asked.text, flags=re.IGNORECASE)
            if form := self._first_form(" ".join(words(asking))):
                return form
        return "none"

    def _first_form(self, text: str) -> str:
        """The first form in a text, of several at one place the longest; "" without any."""
        gap = f" (?:{_any_of(self._said['before_noun'])} )*"  # "what was the date"
        forms = {form: form.replace(" ", gap) for form in self._lexicon.general["forms"]}
        found = {form: re.search(rf"\b{pattern}s?\b", text) for form, pattern in forms.items()}
        places = {form: hit.start() for form, hit in found.items() if hit and form != "polar"}
        return min(places, key=lambda form: (places[form], -len(form)), default="")

    @cached_property
    def plural(self) -> bool:
        """Whether it asks for several values."""
        return bool(re.search(rf"{_any_of(self._said['plural'])}|{_PLURAL}", self._text))

    @cached_property
    def asked(self) -> int:
        """The index of the first content word after the question word; -1 if there is none."""
        free = FUNCTION_WORDS.union(self._said["before_noun"])
        for i, word in enumerate(self._words):
            if word in self._said["words"]:
                rest = range(i + 1, len(self._words))
                return next((j for j in rest if self._words[j] not in free), -1)
        return -1

    @cached_property
    def then(self) -> bool:
        """Whether a subordinate clause gives a time: "how old was she when she died"."""
        return re.search(rf" {_any_of(self._said['then'])}", self._text) is not None
