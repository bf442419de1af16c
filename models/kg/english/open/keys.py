"""Which key of an infobox a question asks for, by the words in which English asks for it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from models.kg.english.open.values import is_amount, is_date
from models.kg.english.open.ways import LABELS, WAYS, Form, Kind, Way, form_of
from models.synonyms import meanings
from utils.text import FUNCTION_WORDS, stem, words

SUMMARY = "summary_text"


# Words of keys that add nothing to what is asked.
_FILLER = frozenset(
    map(stem, "date year place name location total m tip ps np res dam plant num number count"
              " quantity"
        " official of no the type".split())
)  # fmt: skip
# Words of keys that belong to the page, not to its subject.
_APPARATUS = re.compile(
    r"(?:image|caption|map|logo|photo|alt|pushpin|coord|flag|seal|module|footnote|signature|size"
    r"|website|citation|ref|(?:^|[_ ])name$|blank\d*_name|_type\d*$|_title\d*$|listen|width$"
    r"|native_name_lang|link$)"
)
# Questions that want a name: no date and no number.
_NAMED = (Form.WHO, Form.WHERE)
_NOBODY = frozenset("alma_mater education location country city type genre status language".split())
_IN_UNITS = re.compile(
    r"\bin (?:feet|met(?:er|re)s|miles|kilomet(?:er|re)s|km|square \w+|acres|kelvin)\b"
)
_ASKS_CAUSE = re.compile(r"\b(?:caus\w+|reasons?|why|manner|circumstances|die[ds]? (?:of|from))\b")
_ASKS_SPAN = re.compile(r"\bhow (?:many years|long)\b(?! (?:ago|since|has|have)\b)")
_ASKS_DATE = re.compile(r"\b(?:dates?|years?|day|month|time|period|era|century)\b")


@dataclass(frozen=True, slots=True)
class Asking:
    """A key that a question may ask for, and the words of the question that ask for it."""

    key: str
    kind: Kind
    explained: frozenset[str]


def canonical(key: str) -> str:
    """A key in the one spelling that the ways above use."""
    plain = re.sub(r"[\s-]+", "_", key.strip()).lower()
    return re.sub(r"^(?:ps|np)_", "", plain)


def askings(rest: str, facts: Mapping[str, Any]) -> list[Asking]:
    """The keys of `facts` that a question asks for, those first that explain most of its words.

    `rest`: its words with `xx` in the place of the name.
    """
    form = form_of(rest)
    found = [
        asking
        for asking in (*_by_ways(rest, facts), *_by_label(rest, facts))
        if _may_be(asking, form, facts[asking.key], rest)
    ]
    return sorted(found, key=lambda asking: (-len(asking.explained), _unlike(asking, facts)))


def _may_be(asking: Asking, form: Form, value: Any, rest: str) -> bool:
    """Whether a value is of the kind that a question wants: names have no dates and no amounts."""
    if form in _NAMED:
        return not is_amount(value) and not (form is Form.WHO and asking.key in _NOBODY)
    if asking.kind is Kind.TEXT and _IN_UNITS.search(rest) and not re.search(r"\d", str(value)):
        return False
    if _ASKS_CAUSE.search(rest) and "cause" not in asking.key.lower() and "death" in asking.key:
        return False
    if asking.kind is not Kind.NUMBER and _ASKS_SPAN.search(rest) and is_date(value):
        return False
    if form is Form.WHAT and asking.kind is Kind.TEXT and is_date(value):
        return bool(_ASKS_DATE.search(rest) or asking.key.endswith("date"))
    return True


def _unlike(asking: Asking, facts: Mapping[str, Any]) -> bool:
    """Whether a count is asked for and the key's value does not begin with a number."""
    value = facts[asking.key]
    return asking.kind is Kind.COUNT and not str(value).lstrip("c. ~").startswith(
        tuple("0123456789")
    )


def _by_ways(rest: str, facts: Mapping[str, Any]) -> Iterator[Asking]:
    form = form_of(rest)
    known = {canonical(key): key for key, value in reversed(list(facts.items())) if value}
    for way in ways_of(rest, form):
        key = next((known[key] for key in way.keys if key in known), None)
        key = key or next((known[f"{k}1"] for k in way.keys if f"{k}1" in known), None)
        if key is None:
            continue
        matches = list(way.cue.finditer(rest))
        kind = Kind.COUNT if form is Form.COUNT and way.kind is Kind.TEXT else way.kind
        explained = {word for match in matches for word in match.group().split() if word != "xx"}
        yield Asking(key, kind, frozenset(explained - FUNCTION_WORDS))


def ways_of(rest: str, form: Form) -> Iterator[Way]:
    """The ways in which `rest` asks, the longest cue first."""
    fitting = [
        (len(match.group()), -index, way)
        for index, way in enumerate(WAYS)
        if way.fits(form) and (match := way.cue.search(rest))
    ]
    for _, _, way in sorted(fitting, key=lambda found: found[:2], reverse=True):
        yield way


def _by_label(rest: str, facts: Mapping[str, Any]) -> Iterator[Asking]:
    """Keys whose own words are asked for."""
    asked = {word: stem(word) for word in rest.split() if word not in FUNCTION_WORDS}
    counted = form_of(rest) is Form.COUNT
    for key, value in facts.items():
        label = _label(key)
        if not value or not label or key == SUMMARY:
            continue
        explaining = {word: _means(own) & label for word, own in asked.items()}
        told = set().union(*explaining.values())
        if told and label - told <= _FILLER and not told <= _FILLER:
            kind = Kind.COUNT if counted else Kind.TEXT
            words_told = frozenset(word for word, means in explaining.items() if means)
            yield Asking(key, kind, words_told)


@lru_cache(maxsize=4096)
def _means(stemmed: str) -> frozenset[str]:
    """The stems of labels that a question's word may mean."""
    return meanings(stemmed) | LABELS.get(stemmed, frozenset())


@lru_cache(maxsize=4096)
def _label(key: str) -> frozenset[str]:
    if _APPARATUS.search(key.lower()):
        return frozenset()
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key)
    own = words(spaced.replace("_", " "))
    return frozenset(
        stem(word) for word in own if word not in FUNCTION_WORDS and not word.isdigit()
    )


def first_key(facts: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    """The first of `keys`, in their canonical spelling, for which `facts` has a value."""
    known = {canonical(key): key for key, value in reversed(list(facts.items())) if value}
    return next((known[key] for key in keys if key in known), None)
