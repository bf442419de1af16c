"""The ways in which English asks for the facts of an infobox; the rows are in `ways.toml`."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from utils.text import stem

_FILE = Path(__file__).with_name("ways.toml")


class Form(StrEnum):
    """How a question begins: what kind of thing it asks for."""

    WHEN = "when"
    WHERE = "where"
    COUNT = "count"
    AGE = "age"
    WHO = "who"
    HOW = "how"
    WHAT = "what"


_FORMS = (
    (Form.AGE, r"how old|(?:what|at what) age|(?:current )?age of|xx age"),
    (Form.COUNT, r"how many(?! years)|number of|count of|total of|amount of"),
    (
        Form.WHEN,
        r"when|(?:what|which)(?: \w+)? (?:year|date|day|month|decade|century)|how long ago"
        r"|how many years ago|(?:year|date|day) (?:of|in which|that|xx)|since",
    ),
    (
        Form.HOW,
        r"how (?:much|tall|high|long|wide|deep|big|large|heavy|far|hot|bright|fast|many years)",
    ),
    (
        Form.WHERE,
        r"where(?:abouts)?|(?:what|which) (?:city|country|nation|place|state|town|county|province"
        r"|region|island|continent|location|district)",
    ),
    (
        Form.WHO,
        r"who|whom|whose|(?:what|which) (?:person|people|company|man|woman|firm|studio"
        r"|organi[sz]ation|architects?|emperor|king|ruler|artists?|publisher|developer)",
    ),
)


def form_of(rest: str) -> Form:
    """What the words of a question, `xx` in the place of the name, ask for."""
    return next(
        (form for form, pattern in _FORMS if re.search(rf"\b(?:{pattern})\b", rest)), Form.WHAT
    )


class Kind(StrEnum):
    """How a key's value is read."""

    TEXT = "text"
    DATE = "date"
    NUMBER = "number"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class Way:
    """One way to ask: a pattern over a question's words, and the keys that answer it, best first.

    `forms`: those questions that may ask so; none: all that the kind allows.
    """

    cue: re.Pattern[str]
    keys: tuple[str, ...]
    kind: Kind
    forms: frozenset[Form]

    def fits(self, form: Form) -> bool:
        if self.forms:
            return form in self.forms
        if form in (Form.WHEN, Form.AGE):
            return self.kind is Kind.DATE
        return form is not Form.HOW or self.kind is Kind.NUMBER


def _load() -> Iterator[Way]:
    with _FILE.open("rb") as file:
        table = tomllib.load(file)
    for group in table["group"]:
        forms = frozenset(Form(form) for form in group["forms"].split())
        for cue, keys in group["ways"]:
            listed = table["keys"][keys[1:]] if keys.startswith("$") else keys
            pattern = re.compile(rf"\b(?:{cue})\b")
            yield Way(pattern, tuple(listed.split()), Kind(group["kind"]), forms)


def _labels() -> dict[str, frozenset[str]]:
    with _FILE.open("rb") as file:
        table = tomllib.load(file)["labels"]
    found: dict[str, set[str]] = {}
    for label, asking in table.items():
        for word in asking.split():
            found.setdefault(stem(word), set()).update(stem(each) for each in label.split("_"))
    return {word: frozenset(label) for word, label in found.items()}


WAYS = tuple(_load())
LABELS = _labels()  # the stem of a question's word -> the stems of labels that it may mean
