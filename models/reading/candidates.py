"""Candidate answers from passages: the encoder's spans, with features for and against each.

`weights.json` has a weight per feature, fitted by `crag training reader`.
"""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from models.ranking.lexical import LexicalReranker
from models.ranking.span_encoder import SpanEncoder
from models.reading.columns import extreme_cell
from models.reading.spans import FoundSpan, spans_in
from models.reading.windows import Window, best_rows, windows_of
from models.records import Passage
from models.web.page import PageText
from utils.deadline import Deadline
from utils.text import FUNCTION_WORDS, content_words, stem, words

MOST_TEXTS = 10  # passages without tables that are read
MOST_CANDIDATES = 20
_SCALE = 10.0  # of margins and lengths, so that features are about 1
_MOST_MARGIN = 2.0  # of the feature
_AS_LIKELY = 1.0  # a smaller difference of margins does not tell which of two answers is right
_ARTICLES = frozenset(("a", "an", "the"))
_DIGIT = re.compile(r"\d")
_MONTH = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|today|yesterday", re.I
)
_NUMBER_WORD = re.compile(
    r"\b(?:no|none|once|twice|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen"
    r"|hundred|thousand|million|billion|half|quarter|several|single|double)\b",
    re.I,
)
# What a question asks for, by its words; the first that matches counts.
_WHEN = re.compile(r"\b(?:when|what year|which year|what date|what day|what month|in what year)\b")
_AMOUNT = re.compile(
    r"\b(?:how (?:many|much|old|long|tall|high|far|big|large|deep|fast|heavy|wide)|number of"
    r"|percent\w*|what age|population)\b"
)
_HEAVY = re.compile(r"\bhow (?:heavy|much does .* weigh)\b")
_MASS = re.compile(r"\d\s?(?:kg|kilo\w*|g|grams?|lbs?|pounds?|oz|ounces?|t|tons?|tonnes?)\b", re.I)
_WHO = re.compile(r"\b(?:who|whom|whose)\b")
_NOW = re.compile(
    r"\b(?:today|yesterday|tomorrow|currently|current|now|latest|recent|recently|this (?:year|week"
    r"|month|season|quarter)|last (?:week|month|night|quarter|season)|so far|as of|upcoming|still"
    r"|price|stock|shares|market cap\w*)\b"
)
_OF_SEVERAL = re.compile(
    r"\b(?:how many|number of|total|average|difference|more|fewer|less|most|least|\w{2,}est|first"
    r"|last|same|both|all|list|or|besides|other|before|after|between)\b"
)
# Yes or no, reasons and ways: no span of a text says these.
_NO_SPAN = re.compile(
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should)\b|.*\bwhy\b"
    r"|how (?:do|does|did|is|are|was|were|can|could|to|come)\b"
)


@dataclass(frozen=True, slots=True)
class CandidateValue:
    """A candidate answer, its features, and the span that speaks most for it."""

    answer: str
    features: Mapping[str, float]
    span: FoundSpan


def candidates(
    question: str,
    passages: Sequence[Passage],
    texts: Mapping[int, PageText],
    encoder: SpanEncoder,
    deadline: Deadline,
) -> list[CandidateValue]:
    """The spans of the passages, those of one wording together, the likeliest first; none for a
    question that asks for yes or no, a reason or a way."""
    if _NO_SPAN.match(question.lower()):
        return []
    of_text, rows = windows_of(passages, texts)
    windows = [*of_text[:MOST_TEXTS], *best_rows(question, rows)]
    if not windows:
        return []
    readings = encoder.read(question, [window.text for window in windows], deadline)
    spans: list[FoundSpan] = []
    for window, logits in zip(windows, readings, strict=True):
        if logits is not None:  # there was time for it
            spans += spans_in(window, logits)
    extreme = extreme_cell(question, passages, texts)
    if extreme is not None:
        spans.append(extreme)
    alike: dict[str, list[FoundSpan]] = defaultdict(list)
    asks_for_mass = _HEAVY.search(question.lower()) is not None
    for span in spans:
        if not asks_for_mass or _MASS.search(span.text):
            alike[_key(span.text)].append(span)
    relevance = _relevance(question, windows)
    found = []
    for group in alike.values():
        best = max(group, key=lambda span: span.margin)
        features = {
            "extreme": float(extreme in group),
            "relevance": relevance.get(best.window.text, 1.0),
            **_features_of_spans(question, best, group),
            **_features_of_question(question.lower(), best.text),
        }
        found.append(CandidateValue(best.text, features, best))
    found.sort(key=lambda candidate: -candidate.span.margin)
    return [_with_dispute(candidate, found) for candidate in found[:MOST_CANDIDATES]]


def _with_dispute(candidate: CandidateValue, others: Sequence[CandidateValue]) -> CandidateValue:
    """A candidate with the feature that another text is as likely the answer."""
    own = set(words(candidate.answer))
    least = max(candidate.span.margin - _AS_LIKELY, 0.0)
    disputed = any(
        other.span.margin > least and not own & set(words(other.answer)) for other in others
    )
    return replace(candidate, features={**candidate.features, "disputed": float(disputed)})


def _relevance(question: str, windows: Sequence[Window]) -> dict[str, float]:
    """The BM25 score of each window, by its text, as a share of the best one's."""
    scores = LexicalReranker().score(question, [window.text for window in windows])
    best = float(scores.max()) or 1.0
    return {window.text: float(score) / best for window, score in zip(windows, scores, strict=True)}


def _features_of_spans(
    question: str, best: FoundSpan, alike: Sequence[FoundSpan]
) -> dict[str, float]:
    """What speaks for a span, and for those that read alike."""
    chances = {span.window.text: _sigmoid(span.margin) for span in alike}
    pages = {span.window.page for span in alike if span.margin > 0}
    return {
        "bias": 1.0,
        "margin": max(-_MOST_MARGIN, min(_MOST_MARGIN, best.margin / _SCALE)),
        "agree": math.log1p(math.fsum(chances.values())),
        "pages": math.log1p(len(pages)),
        "said": _share_of_question(question, best.window),
        "row": float(bool(best.window.cells)),
        "long": len(words(best.text)) / _SCALE,
        "in question": float(_is_in_question(question, best.text)),
    }


def _features_of_question(question: str, answer: str) -> dict[str, float]:
    """Whether the answer is of the type that is asked for, and the kinds of questions that a span
    of one text seldom answers."""
    has_digit = bool(_DIGIT.search(answer))
    is_amount = has_digit or bool(_NUMBER_WORD.search(answer))
    odd = False
    if _WHEN.search(question):
        odd = not has_digit and not _MONTH.search(answer)
    elif _AMOUNT.search(question):
        odd = not is_amount
    elif _WHO.search(question):
        odd = has_digit or answer.islower()
    return {
        "odd type": float(odd),
        "of now": float(bool(_NOW.search(question))),
        "of several": float(bool(_OF_SEVERAL.search(question))),
        "asks when": float(bool(_WHEN.search(question))),
        "asks who": float(bool(_WHO.search(question))),
        "asks how many": float(bool(_AMOUNT.search(question))),
    }


def _share_of_question(question: str, window: Window) -> float:
    """The share of the question's content words that a window has."""
    wanted = {stem(word) for word in content_words(question)}
    present = {stem(word) for word in words(window.text)}
    return len(wanted & present) / len(wanted) if wanted else 0.0


def _is_in_question(question: str, answer: str) -> bool:
    said = set(words(question)) | FUNCTION_WORDS
    return said.issuperset(words(answer))


def _key(text: str) -> str:
    """What answers of one wording share: their words without articles."""
    return " ".join(word for word in words(text) if word not in _ARTICLES) or text


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, value))))
