"""Candidate answers from passages: their values, with features for and against each.

`weights.json` has a weight per feature, fitted by `python -m training reader`.
"""

import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from models.kg.english.question import QuestionText
from models.reading.values import Value, key_of, values
from models.reading.wanted import Wanted
from models.records import Passage
from models.web.chunking import sentences
from models.web.page import PageText
from utils.text import content_words, stem, words

# Upper bounds for adversarial pages: passages, their characters, sentences and table cells, and
# candidates. A longer cell is no short answer.
MAX_PASSAGES, MAX_CHARS, MAX_SENTENCE, MAX_UNITS = 24, 2500, 500, 1500
_MAX_TITLE, _MAX_CELL, MAX_CANDIDATES = 200, 60, 40
_SHARPNESS = 4  # extra weight of a sentence that has all of the question's words
_LEAST_WORDS = 2  # of a question that asks for a name: a single word occurs near many names
_NEAR = 60.0  # characters from a word of the question at which a value has half the weight
# The weight of a word that occurs only in the page's title, or in the previous sentence.
_TITLE, _BEFORE = 0.8, 0.6
_AFTER = 4  # words after a value that may contain the noun it counts
_LEAST_TOPIC, _LEAST_AGREE = 3e-4, 7e-3  # lower bounds of these features
_LABELLED = re.compile(r"(?P<label>[^:|.]{2,60}): (?P<value>[^|]{1,80})")
_ASIDE = re.compile(r"\s*[(\[;].*$")
_DENIED = re.compile(
    r"\b(?:not|never|neither|nor|cannot|denied|refused|failed|falsely|will be)\b|n['\u2019]t\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class CandidateValue:
    """A candidate answer and its features."""

    answer: str
    features: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, a line with a label, or one cell of a table's row.

    Attributes:
        stems, starts: of its words, in order, and the character offset of each.
        around: the weight of each stem in the title or the previous sentence.
        label: the stems of the label or header; `value`: the text next to it or below it.
    """

    text: str
    page: int
    stems: tuple[str, ...]
    starts: tuple[int, ...]
    around: Mapping[str, float]
    label: frozenset[str] = frozenset()
    value: str = ""

    @property
    def own(self) -> set[str]:
        return {*self.stems, *self.label}

    def names_column(self, wanted: Wanted) -> bool:
        return bool(self.label) and self.label <= wanted.said | wanted.labels


class _Mention(NamedTuple):
    weight: float
    unit: _Unit
    value: Value


def candidates(
    question: str, passages: Sequence[Passage], texts: Mapping[int, PageText]
) -> list[CandidateValue]:
    """At most `MAX_CANDIDATES` values of the requested kinds, the best supported first."""
    wanted = Wanted.of(question)
    least = _LEAST_WORDS if "name" in wanted.kinds else 1
    if len(wanted.needed) < least or not (wanted.kinds or wanted.options):
        return []
    units = list(islice(_units(passages, texts), MAX_UNITS))
    rarity = _rarity(wanted, units)
    topical: dict[int, float] = {}  # by page: the coverage of the question by its best sentence
    groups: dict[str, list[_Mention]] = defaultdict(list)
    for unit in units:
        coverage = _coverage(unit, rarity, wanted) ** _SHARPNESS
        topical[unit.page] = max(topical.get(unit.page, 0.0), coverage)
        for value in _values(unit, wanted) if coverage else ():
            weight = coverage / (1 + _distance(unit, value, wanted) / _NEAR)
            groups[value.key].append(_Mention(weight, unit, value))
    topic = math.fsum(topical.values()) or 1.0
    found = [_candidate(mentions, topic, wanted) for mentions in groups.values()]
    found.sort(key=lambda candidate: -candidate.features["log agree"])
    return found[:MAX_CANDIDATES]


def _candidate(mentions: Sequence[_Mention], topic: float, wanted: Wanted) -> CandidateValue:
    """`topic`: the coverage of the question by all pages."""
    best: dict[int, float] = {}  # by page
    for mention in mentions:
        best[mention.unit.page] = max(best.get(mention.unit.page, 0.0), mention.weight)
    top = max(mentions, key=lambda mention: mention.weight)
    agree = math.fsum(best.values()) / topic
    features = {
        "bias": 1.0,
        "topic": math.log(max(topic, _LEAST_TOPIC)),
        "log agree": math.log(max(agree, _LEAST_AGREE)),
        "pages": math.log(len(best)),
        "noun": math.log1p(sum(_counts_noun(mention, wanted) for mention in mentions)),
        "explained": float(wanted.needed <= {*top.unit.own, *top.unit.around}),
        "choice": float(bool(wanted.options)),
        "kind second": float(top.value.kind not in ("option", *wanted.kinds[:1])),
    }
    return CandidateValue(top.value.text, features)


def _counts_noun(mention: _Mention, wanted: Wanted) -> bool:
    after = bisect_left(mention.unit.starts, mention.value.end)
    return bool(wanted.noun) and wanted.noun in mention.unit.stems[after : after + _AFTER]


def _units(passages: Sequence[Passage], texts: Mapping[int, PageText]) -> Iterator[_Unit]:
    for passage in passages[:MAX_PASSAGES]:
        title = words(texts[passage.page].title[:_MAX_TITLE])
        heading = dict.fromkeys(map(stem, title), _TITLE)
        text, around, header = passage.text[:MAX_CHARS], heading, list[str]()
        for start, end in sentences(text):
            said = text[start:end].strip()[:MAX_SENTENCE]
            found = QuestionText.of(said).words
            unit = _Unit(
                said, passage.page, tuple(stem(word.text) for word in found),
                tuple(word.start for word in found), around,
            )  # fmt: skip
            if said.startswith("| "):  # a table (models/web/tables.py)
                cells = said.removeprefix("| ").removesuffix(" |").split(" | ")
                if len(cells) != len(header):
                    header = cells
                elif not said.startswith("| --"):
                    yield from (_labelled(unit, *pair) for pair in zip(header, cells, strict=True))
                continue
            header = []
            around = {**dict.fromkeys(unit.stems, _BEFORE), **heading}
            match = _LABELLED.fullmatch(said)
            yield _labelled(unit, match["label"], match["value"]) if match else unit


def _labelled(unit: _Unit, label: str, value: str) -> _Unit:
    return replace(unit, label=frozenset(map(stem, words(label))), value=value)


def _rarity(wanted: Wanted, units: Sequence[_Unit]) -> dict[str, float]:
    """The weight of each needed word; higher if fewer units contain it."""
    counts = Counter(word for unit in units for word in wanted.needed & unit.own)
    total = len(units)
    return {
        word: math.log(1 + (total - counts[word] + 0.5) / (counts[word] + 0.5))
        for word in sorted(wanted.needed)
    }


def _coverage(unit: _Unit, rarity: Mapping[str, float], wanted: Wanted) -> float:
    """The weighted share of the question's words in a unit, 0 to 1; 0 if the unit is negated."""
    own = unit.own
    if (own.isdisjoint(rarity) and not unit.names_column(wanted)) or _DENIED.search(unit.text):
        return 0.0
    held = (
        worth * (1.0 if word in own else unit.around.get(word, 0.0))
        for word, worth in rarity.items()
    )
    return math.fsum(held) / math.fsum(rarity.values())


def _values(unit: _Unit, wanted: Wanted) -> Iterator[Value]:
    """The values of a unit of the requested kinds, except those in the question itself."""
    if wanted.options:
        named = [_names(unit, option) for option in wanted.options]
        if named[0] != named[1]:
            option = wanted.options[named.index(True)]
            yield Value("option", option, option, 0, 0)
        return
    place = max(unit.text.find(unit.value), 0) if unit.label else 0
    for value in values(unit.value if unit.label else unit.text, wanted.kinds):
        if not wanted.said.issuperset(map(stem, words(value.text))):
            yield value._replace(start=place + value.start, end=place + value.end)
    cell = _ASIDE.sub("", unit.value).strip()
    if "text" in wanted.kinds and cell[:_MAX_CELL] == cell and any(map(str.isalpha, cell)):
        if not wanted.said.issuperset(map(stem, words(cell))):
            yield Value("text", cell, key_of("text", cell), place, place + len(cell))


def _names(unit: _Unit, option: str) -> bool:
    """Whether a unit contains more than half of an option's own words."""
    own = [stem(word) for word in content_words(option) or words(option)]
    return sum(word in unit.stems for word in own) * 2 > len(own)


def _distance(unit: _Unit, value: Value, wanted: Wanted) -> int:
    """Characters to the nearest needed word; 0 if the label is the one asked for."""
    if unit.names_column(wanted):
        return 0
    near = (
        abs(start - value.start)
        for word, start in zip(unit.stems, unit.starts, strict=True)
        if word in wanted.needed
    )
    return min(near, default=len(unit.text))
