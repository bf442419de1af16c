"""Candidate answers from passages: their values, with features for and against each.

`weights.json` has a weight per feature, fitted by `crag training reader`.
"""

import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from models.kg.english.question import QuestionText
from models.reading.values import PageValue, ValueKind, key_of, page_values
from models.reading.wanted import Wanted
from models.records import Passage
from models.web.chunking import sentences
from models.web.page import PageText
from utils.text import content_words, stem, words

# Upper bounds for adversarial pages.
MAX_PASSAGES = 24
MAX_CHARS = 2500  # of a passage
MAX_SENTENCE = 500  # characters
MAX_UNITS = 1500  # sentences and table cells of all passages
MAX_CANDIDATES = 40
_MAX_TITLE = 200  # characters
_MAX_CELL = 60  # characters; a longer cell is no short answer

_SHARPNESS = 4  # extra weight of a sentence that has all of the question's words
_LEAST_WORDS = 2  # of a question that asks for a name: a single word occurs near many names
_NEAR = 60.0  # characters from a word of the question at which a value has half the weight
_TITLE = 0.8  # the weight of a word that occurs only in the page's title
_BEFORE = 0.6  # the weight of a word that occurs only in the previous sentence
_AFTER = 4  # words after a value that may contain the noun it counts
_LEAST_TOPIC = 3e-4  # lower bound of this feature
_LEAST_AGREE = 7e-3  # lower bound of this feature
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
class _Snippet:
    """A sentence, a line with a label, or one cell of a table's row.

    Attributes:
        stems: of its words, in order.
        starts: the character offset of each word.
        around: the weight of each stem in the title or the previous sentence.
        label: the stems of the label or header.
        value: the text next to the label or below the header.
    """

    text: str
    page: int
    stems: tuple[str, ...]
    starts: tuple[int, ...]
    around: Mapping[str, float]
    label: frozenset[str] = frozenset()
    value: str = ""

    @property
    def stems_with_label(self) -> set[str]:
        """The stems of its words and of its label."""
        return {*self.stems, *self.label}

    def has_label_of(self, wanted: Wanted) -> bool:
        """Whether its label is the one asked for."""
        return bool(self.label) and self.label <= wanted.stems | wanted.labels


@dataclass(frozen=True, slots=True)
class _Mention:
    """A value where it occurs, and how well the text around it fits the question."""

    weight: float
    unit: _Snippet
    value: PageValue


def candidates(
    question: str, passages: Sequence[Passage], texts: Mapping[int, PageText]
) -> list[CandidateValue]:
    """At most `MAX_CANDIDATES` values of the requested kinds, the best supported first."""
    wanted = Wanted.of(question)
    least_words = _LEAST_WORDS if ValueKind.NAME in wanted.kinds else 1
    if len(wanted.needed) < least_words or not (wanted.kinds or wanted.options):
        return []
    units = list(islice(_units(passages, texts), MAX_UNITS))
    rarity = _rarity(wanted, units)
    best_coverage: dict[int, float] = {}  # by page
    mentions_by_key: dict[str, list[_Mention]] = defaultdict(list)
    for unit in units:
        coverage = _coverage(unit, rarity, wanted) ** _SHARPNESS
        best_coverage[unit.page] = max(best_coverage.get(unit.page, 0.0), coverage)
        if not coverage:
            continue
        for value in _requested_values(unit, wanted):
            weight = coverage / (1 + _distance(unit, value, wanted) / _NEAR)
            mentions_by_key[value.key].append(_Mention(weight, unit, value))
    topic = math.fsum(best_coverage.values()) or 1.0
    results = [_candidate(mentions, topic, wanted) for mentions in mentions_by_key.values()]
    results.sort(key=lambda candidate: -candidate.features["log agree"])
    return results[:MAX_CANDIDATES]


def _candidate(mentions: Sequence[_Mention], topic: float, wanted: Wanted) -> CandidateValue:
    """The candidate with these mentions.

    Args:
        topic: the coverage of the question by all pages.
    """
    best_weight: dict[int, float] = {}  # by page
    for mention in mentions:
        page = mention.unit.page
        best_weight[page] = max(best_weight.get(page, 0.0), mention.weight)
    top = max(mentions, key=lambda mention: mention.weight)
    agree = math.fsum(best_weight.values()) / topic
    counting = [mention for mention in mentions if _counts_noun(mention, wanted)]
    explained = {*top.unit.stems_with_label, *top.unit.around}
    likeliest_kinds = (ValueKind.OPTION, *wanted.kinds[:1])
    features = {
        "bias": 1.0,
        "topic": math.log(max(topic, _LEAST_TOPIC)),
        "log agree": math.log(max(agree, _LEAST_AGREE)),
        "pages": math.log(len(best_weight)),
        "noun": math.log1p(len(counting)),
        "explained": float(wanted.needed <= explained),
        "choice": float(bool(wanted.options)),
        "kind second": float(top.value.kind not in likeliest_kinds),
    }
    return CandidateValue(top.value.text, features)


def _counts_noun(mention: _Mention, wanted: Wanted) -> bool:
    """Whether the noun of the question follows the value: "1,212 guest rooms"."""
    if not wanted.noun:
        return False
    after = bisect_left(mention.unit.starts, mention.value.end)
    return wanted.noun in mention.unit.stems[after : after + _AFTER]


def _units(passages: Sequence[Passage], texts: Mapping[int, PageText]) -> Iterator[_Snippet]:
    """The sentences, labelled lines and table cells of the passages."""
    for passage in passages[:MAX_PASSAGES]:
        yield from _units_of_passage(passage, texts[passage.page].title)


def _units_of_passage(passage: Passage, title: str) -> Iterator[_Snippet]:
    heading = {stem(word): _TITLE for word in words(title[:_MAX_TITLE])}
    text = passage.text[:MAX_CHARS]
    around = heading
    header: list[str] = []
    for start, end in sentences(text):
        sentence = text[start:end].strip()[:MAX_SENTENCE]
        unit = _unit(sentence, passage.page, around)
        if sentence.startswith("| "):  # a table (models/web/tables.py)
            cells = sentence.removeprefix("| ").removesuffix(" |").split(" | ")
            if len(cells) != len(header):
                header = cells
            elif not sentence.startswith("| --"):
                for label, value in zip(header, cells, strict=True):
                    yield _labelled(unit, label, value)
            continue
        header = []
        around = {**dict.fromkeys(unit.stems, _BEFORE), **heading}
        match = _LABELLED.fullmatch(sentence)
        yield _labelled(unit, match["label"], match["value"]) if match else unit


def _unit(sentence: str, page: int, around: Mapping[str, float]) -> _Snippet:
    sentence_words = QuestionText.of(sentence).words
    return _Snippet(
        text=sentence,
        page=page,
        stems=tuple(stem(word.text) for word in sentence_words),
        starts=tuple(word.start for word in sentence_words),
        around=around,
    )


def _labelled(unit: _Snippet, label: str, value: str) -> _Snippet:
    return replace(unit, label=frozenset(map(stem, words(label))), value=value)


def _rarity(wanted: Wanted, units: Sequence[_Snippet]) -> dict[str, float]:
    """The weight of each needed word; higher if fewer units contain it."""
    counts: Counter[str] = Counter()
    for unit in units:
        counts.update(wanted.needed & unit.stems_with_label)
    total = len(units)
    return {
        word: math.log(1 + (total - counts[word] + 0.5) / (counts[word] + 0.5))
        for word in sorted(wanted.needed)
    }


def _coverage(unit: _Snippet, rarity: Mapping[str, float], wanted: Wanted) -> float:
    """The weighted share of the question's words in a unit, 0 to 1; 0 if the unit is negated."""
    unit_stems = unit.stems_with_label
    if unit_stems.isdisjoint(rarity) and not unit.has_label_of(wanted):
        return 0.0
    if _DENIED.search(unit.text):
        return 0.0
    weights = []
    for word, weight in rarity.items():
        share = 1.0 if word in unit_stems else unit.around.get(word, 0.0)
        weights.append(weight * share)
    return math.fsum(weights) / math.fsum(rarity.values())


def _requested_values(unit: _Snippet, wanted: Wanted) -> Iterator[PageValue]:
    """The values of a unit of the requested kinds, except those in the question itself."""
    if wanted.options:
        present = [option for option in wanted.options if _has_option(unit, option)]
        if len(present) == 1:
            yield PageValue(ValueKind.OPTION, present[0], present[0], 0, 0)
        return
    text = unit.text
    place = 0
    if unit.label:
        text = unit.value
        place = max(unit.text.find(unit.value), 0)
    for value in page_values(text, wanted.kinds):
        if not _in_question(value.text, wanted):
            yield value.moved(place)
    if ValueKind.TEXT in wanted.kinds:
        cell = _ASIDE.sub("", unit.value).strip()
        is_short = len(cell) <= _MAX_CELL
        if is_short and any(map(str.isalpha, cell)) and not _in_question(cell, wanted):
            key = key_of(ValueKind.TEXT, cell)
            yield PageValue(ValueKind.TEXT, cell, key, place, place + len(cell))


def _in_question(text: str, wanted: Wanted) -> bool:
    """Whether the question has all words of a text."""
    return wanted.stems.issuperset(map(stem, words(text)))


def _has_option(unit: _Snippet, option: str) -> bool:
    """Whether a unit contains more than half of an option's content words."""
    option_stems = [stem(word) for word in content_words(option) or words(option)]
    present = [word for word in option_stems if word in unit.stems]
    return len(present) * 2 > len(option_stems)


def _distance(unit: _Snippet, value: PageValue, wanted: Wanted) -> int:
    """Characters to the nearest needed word; 0 if the label is the one asked for."""
    if unit.has_label_of(wanted):
        return 0
    distances = [
        abs(start - value.start)
        for word, start in zip(unit.stems, unit.starts, strict=True)
        if word in wanted.needed
    ]
    return min(distances, default=len(unit.text))
