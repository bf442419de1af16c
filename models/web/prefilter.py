"""Which of many pages are worth reading, told by their names and snippets."""

from models.ranking.protocol import Reranker
from models.records import Page, Question

PAGES_READ = 10


def prefilter(question: Question, ranker: Reranker, keep: int = PAGES_READ) -> list[int]:
    """The indices of at most `keep` pages of `question`, the likeliest first.

    Pages without HTML, and pages that stood before, are not worth a place.
    """
    unique: dict[str, int] = {}
    for index, page in enumerate(question.pages):
        if page.html.strip():
            unique.setdefault(page.html, index)
    indices = list(unique.values())
    if len(indices) <= keep:
        return indices
    scores = ranker.score(question.text, [_sign(question.pages[index]) for index in indices])
    ranked = sorted(zip(scores, indices, strict=True), key=lambda pair: (-pair[0], pair[1]))
    return [index for _, index in ranked[:keep]]


def _sign(page: Page) -> str:
    return f"{page.name}\n{page.snippet}"
