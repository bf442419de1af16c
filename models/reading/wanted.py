"""What a question asks for: the kinds of value that may answer it, and the words to be found."""

import re
from dataclasses import dataclass

from models.kg.english.question import QuestionText
from utils.text import FUNCTION_WORDS, stem, words

MAX_WORDS, _MAX_CHARS = 60, 1000  # of a question; the rest is not read
_MAX_OPTIONS_CHARS, _LONGEST_OPTION = 250, 8  # characters of such a question; words of an option

# Question phrases; the kinds of value (values.py) that answer them, the likeliest first; additional
# words that a label of such a value may have. The first row that matches counts.
_FORMS = (
    (r"(?:what|which) year", "year", "year date"),
    (r"when|(?:what|which) (?:\w+ )?(?:date|day)|date", "date month year",
     "date year day birth death born died"),
    (r"how many|number of", "number", "number"),
    (r"percent(?:age)?", "percent", ""),
    (r"how much|price|cost|budget|gross|revenue|salary|net worth", "money number",
     "price cost budget gross revenue"),
    (r"how (?:tall|high|deep|wide)|height|elevation", "measure", "height elevation depth width"),
    (r"how (?:long|far)|length|distance|duration", "measure",
     "length distance duration time running"),
    (r"how (?:heavy|fast)|weight|speed", "measure", "weight mass speed"),
    (r"how (?:big|large|old)|area|age", "measure number", "area size age"),
    (r"who(?:se|m)?|(?:what|which) (?:actor|actress|singer|player|director|person)", "name", ""),
    (r"where|(?:what|which) (?:city|country|state|town|place|continent)", "name text",
     "place location city country birth venue"),
    (r"what|which|name", "name text", ""),
)  # fmt: skip
_POLAR = re.compile(
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should)\b(?! you\b)"
)
_LEAD = re.compile(
    r"^(?:(?:can|could|would|do) you (?:please )?(?:tell me|know|name|give me|provide)|tell me"
    r"|please (?:tell me|provide)|i(?:'d like| want| need) to know|what about|in|on|at) "
)
_OR = re.compile(
    r"(?:[,:]|\b(?:between|better|is|was|were|are|had|has|did|of)) *"
    r"(?P<a>[^,:?]+?),? (?:or|and) (?P<b>[^,?]+?)\s*\?*$"
)
# Pages write more about what is greater: only such questions are decided by amount of text.
_MORE = re.compile(r"\b(?:more|most|better|best|first|\w+(?:er|est))\b")
_LESS = re.compile(
    r"\b(?:fewer|fewest|less|least|lower|lowest|worse|worst|smaller|smallest|not|never)\b|n't"
)
# Words that name the kind of answer; they need not occur near it.
_ASKING = frozenset(
    "year date day number total amount city country state town place name title kind type called"
    " exact person".split()
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question as the reader sees it.

    Attributes:
        kinds: of value that may answer, the likeliest first; none if unknown.
        options: the two alternatives that it offers, in lower case; or none.
        noun: the stem of the noun after the question phrase: what is counted, or the type of
            answer.
        said: the stems of all its words; `needed`: those that a supporting text should have.
        labels: the stems that the label of a matching value may have.
    """

    kinds: tuple[str, ...]
    options: tuple[str, ...]
    noun: str
    said: frozenset[str]
    needed: frozenset[str]
    labels: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "Wanted":
        asked = [word.text for word in QuestionText.of(text[:_MAX_CHARS]).words[:MAX_WORDS]]
        plain = _LEAD.sub("", _LEAD.sub("", " ".join(asked)))
        kinds, labels, noun, form = "", "", "", ""
        for pattern, fitting, beside in () if _POLAR.match(plain) else _FORMS:
            if match := re.search(rf"\b(?:{pattern})\b", plain):
                kinds, labels, form = fitting, beside, match.group()
                noun = _noun(plain[match.end() :])
                break
        options = _options(text)
        explained = {*FUNCTION_WORDS, *_ASKING, *(form.split() if "measure" in kinds else ())}
        explained.update(word for option in options for word in words(option))
        needed = frozenset(stem(word) for word in asked if word not in explained)
        said = frozenset(map(stem, asked))
        return cls(
            () if options else tuple(kinds.split()),
            options, noun, said, needed, frozenset(map(stem, labels.split())),
        )  # fmt: skip


def _noun(rest: str) -> str:
    """The stem of the last word before a function word: "guest rooms does it have" -> "room"."""
    noun = ""
    for word in rest.split():
        if word in FUNCTION_WORDS:
            break
        noun = word
    return stem(noun) if noun else ""


def _options(text: str) -> tuple[str, ...]:
    plain = text[:_MAX_OPTIONS_CHARS].lower().strip()
    found = _OR.search(plain) if " or " in plain or "between" in plain else None
    if found is None or _LESS.search(plain):
        return ()
    a, b = (found[name].strip(" ,").split(" between ")[-1] for name in "ab")
    if a == b or not _MORE.search(plain.replace(a, "").replace(b, "")):
        return ()
    return (a, b) if max(len(a.split()), len(b.split())) <= _LONGEST_OPTION else ()
