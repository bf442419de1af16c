"""Which of many pages are worth reading, told before they are read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from models.ranking.protocol import Reranker
from models.records import Page, Question


class PageFilter(Protocol):
    def choose(self, question: Question) -> list[int]:
        """The indices of the pages of `question` to read, the likeliest first.

        Pages without HTML, and pages that stood before, are never among them.
        """
        ...


class NoPrefilter:
    """Reads every page: extraction is so cheap that looking beats guessing."""

    def choose(self, question: Question) -> list[int]:
        return _distinct(question.pages)


@dataclass(frozen=True)
class RankedPages:
    """The best `keep` pages by what `sign` shows of them (db3, section 3.1: their snippets)."""

    ranker: Reranker
    keep: int
    sign: Callable[[Page], str]

    def choose(self, question: Question) -> list[int]:
        indices = _distinct(question.pages)
        if len(indices) <= self.keep:
            return indices
        signs = [self.sign(question.pages[index]) for index in indices]
        scores = self.ranker.score(question.text, signs)
        ranked = sorted(zip(scores, indices, strict=True), key=lambda pair: (-pair[0], pair[1]))
        return [index for _, index in ranked[: self.keep]]


def snippet(page: Page) -> str:
    return f"{page.name}\n{page.snippet}"


def title(page: Page) -> str:
    return page.name


def _distinct(pages: Sequence[Page]) -> list[int]:
    unique: dict[str, int] = {}
    for index, page in enumerate(pages):
        if page.html.strip():
            unique.setdefault(page.html, index)
    return list(unique.values())
