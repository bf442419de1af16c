"""A page's text, and the contract of the extractors that produce it."""

from dataclasses import dataclass
from typing import Protocol

from models.records import Page

Span = tuple[int, int]  # start and end, in characters


@dataclass(frozen=True, slots=True)
class PageText:
    """A page's title and its text, one line per block.

    `tables` are the (start, end) of the Markdown tables in `text`, in order: each begins and ends
    at a line boundary.
    """

    title: str
    text: str
    tables: tuple[Span, ...] = ()

    def cut(self, max_chars: int) -> "PageText":
        """This page with at most `max_chars` of its text, and the tables within them."""
        if len(self.text) <= max_chars:
            return self
        tables = tuple(span for span in self.tables if span[1] <= max_chars)
        return PageText(self.title, self.text[:max_chars], tables)


class Extractor(Protocol):
    """Extracts a page's text from its HTML; `main_text_only`: it may skip other text."""

    @property
    def name(self) -> str: ...

    @property
    def main_text_only(self) -> bool: ...

    def extract(self, page: Page) -> PageText:
        """The readable text of `page`; empty if it has none."""
        ...
