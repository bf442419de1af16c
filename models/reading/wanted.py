"""What a question asks for: the kinds of value that may answer it, and the words to be found."""

import re
from dataclasses import dataclass

from models.kg.english.question import QuestionText
from models.reading.values import ValueKind
from utils.text import FUNCTION_WORDS, stem, words

MAX_WORDS = 60  # of a question; the rest is not read
_MAX_CHARS = 1000  # of a question
_MAX_OPTIONS_CHARS = 250  # of a question that names two options
_MAX_OPTION_WORDS = 8


@dataclass(frozen=True, slots=True)
class _QuestionForm:
    """How questions of a kind are worded, and what answers them.

    Attributes:
        pattern: of the question phrase.
        kinds: of value that answer such questions, the likeliest first.
        labels: further words that a label of such a value may have.
    """

    pattern: re.Pattern[str]
    kinds: tuple[ValueKind, ...]
    labels: str = ""


def _form(phrases: str, *kinds: ValueKind, labels: str = "") -> _QuestionForm:
    return _QuestionForm(re.compile(rf"\b(?:{phrases})\b"), kinds, labels)


# The first form that matches counts.
_FORMS = (
    _form(r"(?:what|which) year", ValueKind.YEAR, labels="year date"),
    _form(
        r"when|(?:what|which) (?:\w+ )?(?:date|day)|date",
        ValueKind.DATE,
        ValueKind.MONTH,
        ValueKind.YEAR,
        labels="date year day birth death born died",
    ),
    _form(r"how many|number of", ValueKind.NUMBER, labels="number"),
    _form(r"percent(?:age)?", ValueKind.PERCENT),
    _form(
        r"how much|price|cost|budget|gross|revenue|salary|net worth",
        ValueKind.MONEY,
        ValueKind.NUMBER,
        labels="price cost budget gross revenue",
    ),
    _form(
        r"how (?:tall|high|deep|wide)|height|elevation",
        ValueKind.MEASURE,
        labels="height elevation depth width",
    ),
    _form(
        r"how (?:long|far)|length|distance|duration",
        ValueKind.MEASURE,
        labels="length distance duration time running",
    ),
    _form(r"how (?:heavy|fast)|weight|speed", ValueKind.MEASURE, labels="weight mass speed"),
    _form(
        r"how (?:big|large|old)|area|age",
        ValueKind.MEASURE,
        ValueKind.NUMBER,
        labels="area size age",
    ),
    _form(
        r"who(?:se|m)?|(?:what|which) (?:actor|actress|singer|player|director|person)",
        ValueKind.NAME,
    ),
    _form(
        r"where|(?:what|which) (?:city|country|state|town|place|continent)",
        ValueKind.NAME,
        ValueKind.TEXT,
        labels="place location city country birth venue",
    ),
    _form(r"what|which|name", ValueKind.NAME, ValueKind.TEXT),
)
_POLAR = re.compile(
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should)\b(?! you\b)"
)
_LEAD = re.compile(
    r"^(?:(?:can|could|would|do) you (?:please )?(?:tell me|know|name|give me|provide)|tell me"
    r"|please (?:tell me|provide)|i(?:'d like| want| need) to know|what about|in|on|at) "
)
_OR = re.compile(
    r"(?:[,:]|\b(?:between|better|is|was|were|are|had|has|did|of)) *"
    r"(?P<first>[^,:?]+?),? (?:or|and) (?P<second>[^,?]+?)\s*\?*$"
)
# Pages write more about what is greater: only such questions are decided by amount of text.
_MORE = re.compile(r"\b(?:more|most|better|best|first|\w+(?:er|est))\b")
_LESS = re.compile(
    r"\b(?:fewer|fewest|less|least|lower|lowest|worse|worst|smaller|smallest|not|never)\b|n't"
)
# Words that name the kind of answer; they need not occur near it.
_KIND_WORDS = frozenset(
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
        stems: of all its words.
        needed: the stems that a supporting text should have.
        labels: the stems that the label of a matching value may have.
    """

    kinds: tuple[ValueKind, ...]
    options: tuple[str, ...]
    noun: str
    stems: frozenset[str]
    needed: frozenset[str]
    labels: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "Wanted":
        """What the question `text` asks for."""
        question_words = [word.text for word in QuestionText.of(text[:_MAX_CHARS]).words]
        question_words = question_words[:MAX_WORDS]
        without_lead = _LEAD.sub("", " ".join(question_words))
        without_lead = _LEAD.sub("", without_lead)  # "tell me, in ..."
        kinds: tuple[ValueKind, ...] = ()
        phrase = ""
        noun = ""
        labels = ""
        form_match = _matching_form(without_lead)
        if form_match is not None:
            form, match = form_match
            kinds = form.kinds
            phrase = match.group()
            noun = _noun(without_lead[match.end() :])
            labels = form.labels
        options = _options(text)
        explained = {*FUNCTION_WORDS, *_KIND_WORDS}
        if ValueKind.MEASURE in kinds:
            explained.update(phrase.split())
        for option in options:
            explained.update(words(option))
        return cls(
            kinds=() if options else kinds,
            options=options,
            noun=noun,
            stems=frozenset(map(stem, question_words)),
            needed=frozenset(stem(word) for word in question_words if word not in explained),
            labels=frozenset(map(stem, labels.split())),
        )


def _matching_form(question: str) -> tuple[_QuestionForm, re.Match[str]] | None:
    """The form of a question, with its phrase; None if it asks for yes or no."""
    if _POLAR.match(question):
        return None
    for form in _FORMS:
        match = form.pattern.search(question)
        if match:
            return form, match
    return None


def _noun(rest: str) -> str:
    """The stem of the last word before a function word: "guest rooms does it have" -> "room"."""
    noun = ""
    for word in rest.split():
        if word in FUNCTION_WORDS:
            break
        noun = word
    return stem(noun) if noun else ""


def _options(text: str) -> tuple[str, ...]:
    """The two things of which a question asks for the greater; none if it is no such question."""
    plain = text[:_MAX_OPTIONS_CHARS].lower().strip()
    if " or " not in plain and "between" not in plain:
        return ()
    match = _OR.search(plain)
    if match is None or _LESS.search(plain):
        return ()
    first = _option(match["first"])
    second = _option(match["second"])
    if first == second or not _MORE.search(plain.replace(first, "").replace(second, "")):
        return ()
    if max(len(first.split()), len(second.split())) > _MAX_OPTION_WORDS:
        return ()
    return (first, second)


def _option(text: str) -> str:
    return text.strip(" ,").split(" between ")[-1]
