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
from models.reading.asked import (
    asks_for_several,
    can_be_asked_for,
    features_of_question,
    has_no_span,
)
from models.reading.columns import extreme_cell
from models.reading.spans import FoundSpan, spans_in
from models.reading.windows import Window, best_rows, windows_of
from models.records import Passage
from models.web.page import PageText
from utils.deadline import Deadline
from utils.text import content_words, fold, stem, without_articles, words

MOST_CHARS = 6000  # of passages and rows that are read
MOST_CANDIDATES = 20
_SCALE = 10.0  # of margins and lengths, so that features are about 1
_MOST_MARGIN = 2.0  # of the feature
_AS_LIKELY = 1.0  # a smaller difference of margins does not tell which of two answers is right
_OF_ROWS = ("margin", "said", "relevance", "of several")  # features that weigh otherwise in rows
_WORD = re.compile(r"[-−$€£]?[^\W_]+[#+%]*")
_MOST_SPANS = 3  # of a window
_MOST_PARTS = 8  # of an answer of several spans
_PART_MARGIN = 6.0  # less than the best one's, that a further part may have


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
    if has_no_span(question):
        return []
    windows = _windows_to_read(question, passages, texts)
    if not windows:
        return []
    spans = _spans_of(question, windows, encoder, deadline)
    extreme = extreme_cell(question, passages, texts)
    if extreme is not None:
        spans.append(extreme)
    alike: dict[str, list[FoundSpan]] = defaultdict(list)
    for span in spans:
        if can_be_asked_for(question, span.text, span.window.text):
            alike[_wording_with_signs(span.text)].append(span)
    relevance = _relevance(question, windows)
    found = []
    for group in alike.values():
        best = max(group, key=lambda span: span.margin)
        features = {
            "extreme": float(extreme in group),
            "relevance": relevance.get(best.window.text, 1.0),
            **_features_of_spans(question, best, group),
            **features_of_question(question, best.text),
        }
        if best.window.cells:
            features |= {f"row:{name}": features[name] for name in _OF_ROWS}
        found.append(CandidateValue(best.text, features, best))
    found.sort(key=lambda candidate: -candidate.span.margin)
    return [_with_dispute(candidate, found) for candidate in found[:MOST_CANDIDATES]]


def _spans_of(
    question: str, windows: Sequence[Window], encoder: SpanEncoder, deadline: Deadline
) -> list[FoundSpan]:
    """The likeliest spans of each window; those of a passage together, too, where the question
    asks for several things."""
    readings = encoder.read(question, [window.text for window in windows], deadline)
    is_several = asks_for_several(question)
    spans: list[FoundSpan] = []
    for window, logits in zip(windows, readings, strict=True):
        if logits is None:  # there was no time for it
            continue
        likeliest = spans_in(window, logits, most=_MOST_PARTS)
        spans += likeliest[:_MOST_SPANS]
        if is_several and not window.cells:
            spans += _joined(likeliest)
    return spans


def _windows_to_read(
    question: str, passages: Sequence[Passage], texts: Mapping[int, PageText]
) -> list[Window]:
    """The rows that are nearest to the question, and as many passages as there is room for."""
    of_text, rows = windows_of(passages, texts)
    windows = best_rows(question, rows)
    room = MOST_CHARS - sum(len(window.text) for window in windows)
    for window in of_text:
        if room <= 0:
            break
        windows.append(window)
        room -= len(window.text)
    return windows


def _joined(spans: Sequence[FoundSpan]) -> list[FoundSpan]:
    """The likeliest spans of one window as one answer, in their order; empty if there is but one.

    Args:
        spans: best first.
    """
    least = max(spans[0].margin - _PART_MARGIN, 0.0) if spans else 0.0
    parts = sorted((span for span in spans if span.margin > least), key=lambda span: span.start)
    if len(parts) < 2:
        return []
    text = ", ".join(dict.fromkeys(part.text for part in parts))
    margin = min(part.margin for part in parts)
    return [FoundSpan(parts[0].window, text, parts[0].start, parts[-1].end, margin)]


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
    chances: dict[str, float] = {}  # by window
    for span in alike:
        window = span.window.text
        chances[window] = max(chances.get(window, 0.0), _sigmoid(span.margin))
    pages = {span.window.page for span in alike if span.margin > 0}
    return {
        "bias": 1.0,
        "margin": max(-_MOST_MARGIN, min(_MOST_MARGIN, best.margin / _SCALE)),
        "agree": math.log1p(math.fsum(chances.values())),
        "pages": math.log1p(len(pages)),
        "said": _share_of_question(question, best.window),
        "row": float(bool(best.window.cells)),
        "long": len(words(best.text)) / _SCALE,
    }


def _share_of_question(question: str, window: Window) -> float:
    """The share of the question's content words that a window has."""
    wanted = {stem(word) for word in content_words(question)}
    present = {stem(word) for word in words(window.text)}
    return len(wanted & present) / len(wanted) if wanted else 0.0


def _wording_with_signs(text: str) -> str:
    """What spans of one wording share: their words without articles, and their signs, because a
    page has "5%" and "5", or "C" and "C++", as different facts."""
    return " ".join(without_articles(_WORD.findall(fold(text)))) or text


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, value))))
