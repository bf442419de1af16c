"""How much the passages speak for each candidate answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from models.ranking.lexical import count_terms, idf, terms_of
from models.records import Passage
from models.subtasks.reading.asked import Asked
from models.subtasks.reading.candidates import Candidate, candidates
from models.subtasks.reading.plain import LONGEST, is_plain
from models.web.chunking import sentences
from models.web.page import PageText
from utils.text import stem, words

# Words that say what kind of thing is asked, and need not stand beside it.
_ASKING = frozenset(
    stem(word)
    for word in """year date day number total amount city country state town place name title many
    much exact kind type tell called""".split()
)
_TITLE = 0.8  # of a word's weight, where only the page's title has it
_BEFORE = 0.6  # the same for the sentence before
_SHARPNESS = 4  # how much more a sentence counts that holds all of the question's words
_NEAR = 60.0  # characters from a word of the question at which a span counts for half


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a passage, with its page."""

    text: str
    page: int
    before: int  # the index of the sentence before it in the passage; -1 where it is the first


@dataclass(frozen=True, slots=True)
class Weighed:
    """A candidate and what speaks for it.

    Attributes:
        weight: over all pages, each page's best sentence.
        share: of the weight of all candidates.
        coverage: of the question's words, in its best sentence.
        pages: how many hold it.
    """

    text: str
    weight: float
    share: float
    coverage: float
    pages: int
    grounds: str


def weigh(
    question: str, asked: Asked, passages: Sequence[Passage], texts: Mapping[int, PageText]
) -> list[Weighed]:
    """The candidates in `passages`, the one for which most speaks first."""
    read = list(_sentences(passages))
    coverage, places = _coverage(question, read, texts)
    known = {stem(word) for word in words(question)}
    found: dict[str, dict[str, tuple[float, float, Candidate, int]]] = {}
    for i, sentence in enumerate(read):
        if coverage[i] <= 0 or not is_plain(sentence.text):
            continue
        title = texts[sentence.page].title
        for candidate in candidates(sentence.text, asked):
            if {stem(word) for word in words(candidate.text)} <= known:
                continue  # the question itself says it
            near = min((abs(at - candidate.start) for at in places[i]), default=len(sentence.text))
            weight = float(coverage[i]) ** _SHARPNESS / (1 + near / _NEAR)
            pages = found.setdefault(candidate.key, {})
            if title not in pages or weight > pages[title][0]:
                pages[title] = (weight, float(coverage[i]), candidate, i)
    return _ranked(found, read, texts)


def _ranked(
    found: Mapping[str, Mapping[str, tuple[float, float, Candidate, int]]],
    read: Sequence[Sentence],
    texts: Mapping[int, PageText],
) -> list[Weighed]:
    totals = {key: sum(entry[0] for entry in pages.values()) for key, pages in found.items()}
    order = sorted(totals, key=lambda key: -totals[key])
    everything = sum(totals.values()) or 1.0
    out: list[Weighed] = []
    for key in order:
        weight, covered, candidate, i = max(found[key].values(), key=lambda entry: entry[0])
        out.append(
            Weighed(
                text=candidate.text,
                weight=totals[key],
                share=totals[key] / everything,
                coverage=covered,
                pages=len(found[key]),
                grounds=f"{texts[read[i].page].title}: {read[i].text}",
            )
        )
    return out


def _sentences(passages: Sequence[Passage]) -> Iterator[Sentence]:
    count = 0
    for passage in passages:
        before = -1
        for start, end in sentences(passage.text):
            text = passage.text[start:end].strip()
            if text and len(text) <= LONGEST:
                yield Sentence(text, passage.page, before)
                before = count
                count += 1


def _coverage(
    question: str, read: Sequence[Sentence], texts: Mapping[int, PageText]
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float32]], list[list[int]]]:
    """How much of the question each sentence holds, 0 to 1, and where in it the words stand."""
    terms = [term for term in terms_of(question) if term.decode() not in _ASKING]
    if not terms or not read:
        return np.zeros(len(read), dtype=np.float32), [[] for _ in read]
    counts, _ = count_terms(terms, [sentence.text for sentence in read])
    weights = idf(counts)
    pages = sorted({sentence.page for sentence in read})
    titles, _ = count_terms(terms, [texts[page].title for page in pages])
    column = {page: i for i, page in enumerate(pages)}
    there = (counts > 0).astype(np.float32)
    titled = (titles > 0).astype(np.float32)[:, [column[s.page] for s in read]] * _TITLE
    before = np.zeros_like(there)
    for i, sentence in enumerate(read):
        if sentence.before >= 0:
            before[:, i] = there[:, sentence.before] * _BEFORE
    held = np.maximum(np.maximum(there, titled), before)
    covered = (weights @ held) / float(weights.sum())
    covered[there.sum(axis=0) == 0] = 0
    lowered = [sentence.text.lower() for sentence in read]
    spelt = [term.decode() for term in terms]
    places = [[text.find(term) for term in spelt if term in text] for text in lowered]
    return np.asarray(covered, dtype=np.float32), places
