"""Which of two things that a question compares has more of what it asks for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from models.ranking.lexical import count_terms, idf, terms_of
from models.records import Passage
from models.web.chunking import sentences
from models.web.page import PageText
from utils.text import content_words, fold, words

# Only where more is asked for: of what there is more, pages have more to say.
_MORE = re.compile(
    r"\b(?:more|most|higher|highest|larger|largest|bigger|biggest|better|best|greater|greatest)\b"
)
_LESS = re.compile(r"\b(?:fewer|less|least|lower|lowest|worse|worst|smaller|smallest|not|n't)\b")
_SAID = 0.25  # what a sentence counts for that says nothing of the question but the name


@dataclass(frozen=True, slots=True)
class Chosen:
    """The option for which more speaks: its weight, and that by the other's weight."""

    text: str
    weight: float
    margin: float
    grounds: str


def choose(
    question: str,
    options: Sequence[str],
    passages: Sequence[Passage],
    texts: Mapping[int, PageText],
) -> Chosen | None:
    """The option with the heavier sentences; None where the question does not ask for more.

    A sentence counts for the option that it alone names, by how much of the question it holds.
    """
    asked = fold(question)
    if not _MORE.search(asked) or _LESS.search(asked):
        return None
    said = [
        (passage.text[start:end].strip(), passage.page)
        for passage in passages
        for start, end in sentences(passage.text)
        if passage.text[start:end].strip()
    ]
    for option in options:
        asked = asked.replace(option, " ")
    terms = terms_of(asked)
    if not said or not terms:
        return None
    counts, _ = count_terms(terms, [text for text, _ in said])
    weights = idf(counts)
    coverage = (weights @ (counts > 0)) / float(weights.sum())
    totals = [0.0, 0.0]
    best: list[tuple[float, str]] = [(0.0, ""), (0.0, "")]
    for (text, page), covered in zip(said, coverage, strict=True):
        named = [_names(text, option) for option in options]
        if named[0] == named[1]:
            continue
        one = named.index(True)
        weight = _SAID + float(covered) ** 2
        totals[one] += weight
        best[one] = max(best[one], (weight, f"{texts[page].title}: {text}"))
    first = 0 if totals[0] >= totals[1] else 1
    margin = totals[first] / totals[1 - first] if totals[1 - first] else 9.0
    return Chosen(options[first], totals[first], min(margin, 9.0), best[first][1])


def _names(text: str, option: str) -> bool:
    """Whether `text` has more than half of the option's own words."""
    own = content_words(option) or words(option)
    there = set(words(text))
    return sum(word in there for word in own) * 2 > len(own)
